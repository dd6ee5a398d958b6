"""Environment variables that a plugin requires at installation (statement J11)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.home import Home
from hermes_sdk.operate.validation import printable


@dataclass(frozen=True)
class Variable:
    """An entry of ``requires_env``; its texts are safe to print.

    Attributes:
        description: Its purpose, or empty.
        url: A page on which to get a value, or empty.
        secret: Whether to hide the value.
    """

    name: str
    description: str = ""
    url: str = ""
    secret: bool = False


def missing_variables(home: Home, manifest: Mapping[str, Any]) -> list[Variable]:
    """List the required variables of a manifest that neither the environment nor `.env` sets."""
    listed = manifest.get("requires_env")
    required = [_parse_variable(entry) for entry in listed] if isinstance(listed, list) else []
    known = {**home.env, **os.environ}
    return [variable for variable in required if variable is not None and not known.get(variable.name)]


def credential(value: str) -> str:
    """Return a typed value as the host stores it: stripped, and ASCII only, since nothing else can be sent."""
    return value.strip().encode("ascii", errors="ignore").decode()


def _parse_variable(entry: Any) -> Variable | None:
    if isinstance(entry, str):
        return Variable(printable(entry))
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return None
    name, description, url = (
        " ".join(printable(entry.get(key) or "").split()) for key in ("name", "description", "url")
    )
    return Variable(name, description, url, bool(entry.get("secret")))
