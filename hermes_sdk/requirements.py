"""Requirements of plugins, read as PEP 508 and as nothing else before any installer sees them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from packaging.requirements import Requirement

ALLOWED = "HERMES_SDK_ALLOW_ADDRESSES"
"""The variable with which the user names the requirements, separated by spaces, that may be addresses."""


def allowed_addresses() -> dict[str, str]:
    """Return the variable with what the user allows, for the environment of a child process."""
    return {ALLOWED: os.environ[ALLOWED]} if ALLOWED in os.environ else {}


def parse_requirements(listed: Any, where: str) -> tuple[Requirement, ...]:
    """Read a list of requirements.

    Args:
        listed: What the plugin says; options of an installer, such as ``--target=…``, are no requirements.
        where: The file that says it.

    Raises:
        UsageError: It is not a list of requirements, or one of them is an address that the user has not allowed.
    """
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise UsageError(
            f"its requirements are not a list of texts: {listed!r:.80}", where=where, fix='Write ["name>=1.0"].'
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
                f"the requirement {str(one)!r} is an address and no release of the package index",
                where=where,
                fix=f"If you trust the wheel at this address, allow it by name: {ALLOWED}={one.name}.",
            )
    return parsed
