"""Placeholders for names of a stand-in that are not modelled."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from typing import Any

from hermes_sdk.hosts.embedded.placeholders import create_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager


def make_placeholder(spec: ModuleSpec | None, name: str, base: type = object, members: Iterable[str] = ()) -> Any:
    """Return a placeholder for a name of the stand-in with this ``__spec__``; see `create_placeholder`."""
    return create_placeholder(find_plugin_manager(spec).state, spec.name if spec else "", name, base, members)
