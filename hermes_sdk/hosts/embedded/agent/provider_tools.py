"""The tools that memory providers and context engines bring, on their way to the model (statements G8 and G15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hermes_sdk.contract import Contract


def named(schema: Any, contract: Contract) -> dict[str, Any] | None:
    """A tool as the release offers it; None for what it passes over because it has no name.

    Args:
        schema: What the provider gave for a tool.
        contract: The release.

    Raises:
        AttributeError: It is no mapping, which earlier releases do not expect.
    """
    if not contract.behaviour.provider_tools_unwrapped:
        return dict(schema) if schema.get("name", "") else None
    if isinstance(schema, dict) and schema.get("type") == "function" and isinstance(schema.get("function"), dict):
        schema = schema["function"]
    name = schema.get("name") if isinstance(schema, dict) else None
    return dict(schema) if name and isinstance(name, str) else None


def definitions(schemas: Iterable[dict[str, Any]], offered: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The tools of a provider that can be added to those that are offered already: one for each name.

    Args:
        schemas: What the provider brings.
        offered: The definitions of the other tools.
    """
    taken = {tool["function"].get("name") for tool in offered}
    for schema in schemas:
        name = schema.get("name")
        if not name or name not in taken:
            taken.add(name)
            yield {"type": "function", "function": schema}
