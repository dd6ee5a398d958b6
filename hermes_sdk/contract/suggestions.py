"""Suggestions for names that a release does not have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from hermes_sdk.contract.loader import api_releases, load
from hermes_sdk.contract.model import Contract


def suggest_name(name: str, names: Iterable[str]) -> str:
    """Return the end of a message that suggests the most similar name, or an empty string."""
    close = find_close(name, names)
    return f"; did you mean '{close[0]}'?" if close else ""


def find_close(name: str, names: Iterable[str], likeness: float = 0.6) -> list[str]:
    """Return up to two similar names, the closest first."""
    from difflib import get_close_matches

    return get_close_matches(name, sorted(names), n=2, cutoff=likeness)


def suggest(name: str, release: Contract, list_names: Callable[[Contract], Collection[str]]) -> str:
    """Return the end of a message with the releases that have a name, or else with a similar name.

    Args:
        release: The release that lacks the name.
        list_names: Returns the names in a release.

    Returns:
        The end of a message; empty without a suggestion.
    """
    having = [other for other in api_releases() if name in list_names(load(other))]
    if having and having[-1] == api_releases()[-1]:
        return f"; it exists since {having[0]}"
    if having:
        return f"; it exists from {having[0]} to {having[-1]}"
    return suggest_name(name, list_names(release))


def correct_name(name: str, release: Contract, list_names: Callable[[Contract], Collection[str]]) -> str | None:
    """Return the only close match of a misspelt name; None if any release has the name, or several are close.

    Args:
        release: The release that lacks the name.
        list_names: Returns the names in a release.
    """
    if any(name in list_names(load(other)) for other in api_releases()):
        return None
    close = find_close(name, list_names(release), likeness=0.9)
    return close[0] if len(close) == 1 else None


def suggest_member(name: str, release: Contract) -> str:
    """Return a suggestion for a wrong name of a member of ``ctx``, including a wrong verb as in ``add_tool``."""
    noun = name.partition("_")[2]
    message = suggest(name, release, lambda other: other.context)
    return message or suggest_name(f"register_{noun}", {f"register_{noun}"} & release.context.keys())
