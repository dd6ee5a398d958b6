"""Tools (G8, G15) and recorded methods of memory providers and context engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hermes_sdk.hosts.in_worker.recording import public_methods


def read_schema(schema: Any) -> dict[str, Any] | None:
    """Return a copy of a provider's tool schema, or None if it has no name, in which case the host ignores it."""
    if isinstance(schema, dict) and schema.get("type") == "function" and isinstance(schema.get("function"), dict):
        schema = schema["function"]
    name = schema.get("name") if isinstance(schema, dict) else None
    return dict(schema) if name and isinstance(name, str) else None


def list_definitions(schemas: Iterable[dict[str, Any]], offered: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the definitions of a provider's tools whose names are not offered yet."""
    used = {tool["function"].get("name") for tool in offered}
    for schema in schemas:
        name = schema.get("name")
        if not name or name not in used:
            used.add(name)
            yield {"type": "function", "function": schema}


def list_methods(provider: Any, base_module: str) -> list[str]:
    """List the methods that the host may call: the public methods of the host's base class."""
    base = next((one for one in type(provider).__mro__ if one.__module__ == base_module), type(provider))
    return public_methods(base)
