"""What an author may have meant by a name that a release does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from hermes_sdk.contract.loader import load, releases
from hermes_sdk.contract.model import Contract

_LACKS = re.compile(r"'PluginContext' object has no attribute '(\w+)'")
_UNEXPECTED = re.compile(r"PluginContext\.(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_NO_PATH = re.compile(r"'(\w+)' object has no attribute 'exists'")


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
        name: The name.
        release: The release that lacks it.
        names_of: What a release has of that kind.

    Returns:
        The end of a message, empty when there is nothing to say.
    """
    having = [other for other in releases() if name in names_of(load(other))]
    if having and having[-1] == releases()[-1]:
        return f"; it exists since {having[0]}"
    if having:
        return f"; it exists from {having[0]} to {having[-1]}"
    return suggest_name(name, names_of(release))


def correct_name(name: str, release: Contract, names_of: Callable[[Contract], Collection[str]]) -> str | None:
    """Return the one name that a misspelt one surely stands for; None when a release has it, or several are close.

    Args:
        name: The name.
        release: The release that lacks it.
        names_of: What a release has of that kind.
    """
    if any(name in names_of(load(other)) for other in releases()):
        return None
    close = find_close(name, names_of(release), likeness=0.9)
    return close[0] if len(close) == 1 else None


def suggest_member(name: str, release: Contract) -> str:
    """Do the same for a member of ``ctx``; other verbs than the host's are understood, such as ``add_tool``."""
    told = suggest(name, release, lambda other: other.context)
    like = f"register_{name.rpartition('_')[2]}"
    return told or suggest_name(like, {like} & release.context.keys())


def explain_failure(error: str, code: str, release: Contract) -> str:
    """Say what is wrong with the call of ``ctx`` that an exception left.

    Args:
        error: The text of the exception, as the host words it.
        code: The source of the call, or a traceback that shows it.
        release: The release that the plugin runs on.

    Returns:
        A sentence, empty when the exception says enough or has nothing to do with ``ctx``.
    """
    if lacks := _LACKS.search(error):
        return f"Hermes {release.release} has no ctx.{lacks[1]}{suggest_member(lacks[1], release)}"
    if (unexpected := _UNEXPECTED.search(error)) and unexpected[1] in release.context:
        call, keyword = unexpected.groups()

        def keywords_of(other: Contract) -> Collection[str]:
            return [one.name for one in other.context[call].parameters] if call in other.context else []

        return f"ctx.{call} of Hermes {release.release} has no {keyword}={suggest(keyword, release, keywords_of)}"
    if (wrong := _NO_PATH.search(error)) and "register_skill(" in code:
        return f"ctx.register_skill takes a pathlib.Path for path, not a {wrong[1]}"
    return ""
