"""Requirements of plugins, parsed strictly as PEP 508 before they are passed to an installer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from packaging.requirements import Requirement

ALLOWED = "HERMES_SDK_ALLOW_ADDRESSES"
"""The variable with the names of requirements, separated by spaces, that the user allows to be URLs."""


def allowed_addresses() -> dict[str, str]:
    """Return the variable with the allowed requirements, for the environment of a child process."""
    return {ALLOWED: os.environ[ALLOWED]} if ALLOWED in os.environ else {}


def parse_requirements(listed: Any, where: str) -> tuple[Requirement, ...]:
    """Parse a list of requirements.

    Args:
        listed: The plugin's list; options of an installer, such as ``--target=…``, are rejected.
        where: The file with the list.

    Raises:
        UsageError: It is not a list of requirements, or one of them is a URL that the user has not allowed.
    """
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise UsageError(
            f"the requirements are not a list of strings: {listed!r:.80}", where=where, fix='Write ["name>=1.0"].'
        )
    if not listed:
        return ()
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    try:
        parsed = tuple(map(Requirement, listed))
    except InvalidRequirement as error:
        raise UsageError(f"a requirement cannot be read: {error}", where=where) from None
    allowed = {canonicalize_name(name) for name in os.environ.get(ALLOWED, "").split()}
    for one in parsed:
        if one.url and canonicalize_name(one.name) not in allowed:
            raise UsageError(
                f"the requirement {str(one)!r} is a URL, not a release on the package index",
                where=where,
                fix=f"If you trust the wheel at this address, allow it by name: {ALLOWED}={one.name}.",
            )
    return parsed
