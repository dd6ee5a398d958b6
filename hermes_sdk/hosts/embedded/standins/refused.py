"""Names that a plugin may import although the embedded host does not model what they do."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager


def refused(spec: ModuleSpec | None, name: str) -> Any:
    """Make a name of a stand-in that can be imported and not called: the call is refused, and recorded as refused."""
    state, module = find_plugin_manager(spec).state, spec.name if spec else ""

    class Refused:
        def __init__(self, *_: Any, **__: Any) -> None:
            raise state.unsupported(f"call {module}.{name}")

    Refused.__name__ = Refused.__qualname__ = name
    Refused.__module__ = module
    return Refused
