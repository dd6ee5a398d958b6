"""Any value as something that JSON can carry."""

from __future__ import annotations

import datetime
import json
from typing import Any


def as_json(value: Any, within: tuple[int, ...] = ()) -> Any:
    """Return the value itself where JSON has it; tuples as lists, dates as text.

    Everything else becomes ``{"__repr__": "<its repr>"}``, so that the reader can tell it from a real mapping; so does
    a container that contains itself. `within` holds the ids of the containers around the value.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    inside = (*within, id(value))
    if isinstance(value, dict) and id(value) not in within:
        return {_key(key): as_json(item, inside) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and id(value) not in within:
        return [as_json(item, inside) for item in value]
    if isinstance(value, datetime.date):
        return value.isoformat()
    try:
        return {"__repr__": repr(value)}
    except Exception:
        return {"__repr__": object.__repr__(value)}


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as one line of JSON."""
    return json.dumps(message).encode("ascii") + b"\n"


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(key) if isinstance(key, (bool, int, float)) else str(key)
