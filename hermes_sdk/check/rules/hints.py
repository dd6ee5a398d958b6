"""What an author may have meant by a name that a release does not have."""

from __future__ import annotations

from collections.abc import Callable, Collection

from hermes_sdk import contract
from hermes_sdk.contract import Contract


def suggest(name: str, release: Contract, names_of: Callable[[Contract], Collection[str]]) -> str:
    """Say in which releases a name is, or else which one of the release is like it.

    Args:
        name: The name.
        release: The release that lacks it.
        names_of: What a release has of that kind.

    Returns:
        The end of a message, empty when there is nothing to say.
    """
    having = [other for other in contract.releases() if name in names_of(contract.load(other))]
    if having and having[-1] == contract.releases()[-1]:
        return f"; it exists since {having[0]}"
    if having:
        return f"; it exists from {having[0]} to {having[-1]}"
    from difflib import get_close_matches

    close = get_close_matches(name, names_of(release), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
