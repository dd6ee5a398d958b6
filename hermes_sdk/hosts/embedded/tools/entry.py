"""The registry's entry for one tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

BUILTIN = "<hermes>"
"""The owner of the tools that the host brings."""


class ToolEntry(NamedTuple):
    """One tool as it was registered.

    Attributes:
        owner: The key of its plugin, or `BUILTIN`.
        complete: Completes the entry of a built-in tool, given what such tools may use; imports the module of the tool.
    """

    name: str
    toolset: str
    schema: Any
    handler: Callable[..., Any]
    check_fn: Callable[[], Any] | None
    requires_env: list[Any]
    is_async: bool
    description: str
    emoji: str
    owner: str
    complete: Callable[[ToolEntry, Any], ToolEntry] | None = None
