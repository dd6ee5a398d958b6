"""Any value as something that JSON can carry."""

from __future__ import annotations

import datetime
import json
from typing import Any


def plain(value: Any) -> Any:
    """The value itself where JSON has it; tuples and sets as lists, dates as text.

    Everything else is shown as ``{"__repr__": "<its repr>"}``, so that the reader can tell it from a real mapping.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    try:
        return {"__repr__": repr(value)}
    except Exception:
        return {"__repr__": object.__repr__(value)}


def encode(value: Any) -> bytes:
    """One line of JSON."""
    try:
        text = json.dumps(plain(value))
    except RecursionError:
        text = json.dumps({"__repr__": f"a {type(value).__name__} that contains itself"})
    return text.encode("ascii") + b"\n"


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(key) if isinstance(key, (bool, int, float)) else str(key)
