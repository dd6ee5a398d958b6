"""Suggestions for a name that a release does not have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from hermes_sdk.contract.loader import api_releases, load
from hermes_sdk.contract.model import Contract


def suggest_name(name: str, names: Iterable[str]) -> str:
    """Ask for the one of some names that is like another: the end of a message, empty when there is none."""
    close = find_close(name, names)
    return f"; did you mean '{close[0]}'?" if close else ""


def find_close(name: str, names: Iterable[str], likeness: float = 0.6) -> list[str]:
    """Find up to two names that are like another one, the closest first."""
    from difflib import get_close_matches

    return get_close_matches(name, sorted(names), n=2, cutoff=likeness)


def suggest(name: str, release: Contract, names_of: Callable[[Contract], Collection[str]]) -> str:
    """Say in which releases a name is, or else which one of the release is like it.

    Args:
        release: The release that lacks it.
        names_of: What a release has of that kind.

    Returns:
        The end of a message, empty when there is nothing to say.
    """
    having = [other for other in api_releases() if name in names_of(load(other))]
    if having and having[-1] == api_releases()[-1]:
        return f"; it exists since {having[0]}"
    if having:
        return f"; it exists from {having[0]} to {having[-1]}"
    return suggest_name(name, names_of(release))


def correct_name(name: str, release: Contract, names_of: Callable[[Contract], Collection[str]]) -> str | None:
    """Return the one name that a misspelt one surely stands for; None when a release has it, or several are close.

    Args:
        release: The release that lacks it.
        names_of: What a release has of that kind.
    """
    if any(name in names_of(load(other)) for other in api_releases()):
        return None
    close = find_close(name, names_of(release), likeness=0.9)
    return close[0] if len(close) == 1 else None


def suggest_member(name: str, release: Contract) -> str:
    """Do the same for a member of ``ctx``, including one that differs in its verb only, such as ``add_tool``."""
    noun = name.partition("_")[2]
    told = suggest(name, release, lambda other: other.context)
    return told or suggest_name(f"register_{noun}", {f"register_{noun}"} & release.context.keys())
