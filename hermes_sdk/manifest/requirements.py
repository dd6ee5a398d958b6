"""Environment variables that a plugin requires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.forms import Located
from hermes_sdk.manifest.reader import parse


def required_variables(located: Located) -> dict[str, bool]:
    """Return the variables that a manifest requires, see `read_required`; empty if it cannot be read."""
    try:
        value = parse(located.manifest).value if located.manifest else None
    except (OSError, ValueError, UsageError):
        return {}
    return read_required(value) if isinstance(value, dict) else {}


def read_required(value: Mapping[str, Any]) -> dict[str, bool]:
    """Return the variables in ``requires_env``, and for each whether it may be a secret.

    An entry is a name, or a mapping with a ``name``; ``secret: false`` allows showing the value.
    """
    entries = value.get("requires_env")
    listed = [one if isinstance(one, dict) else {"name": one} for one in (entries if isinstance(entries, list) else ())]
    return {one["name"]: one.get("secret") is not False for one in listed if isinstance(one.get("name"), str)}
