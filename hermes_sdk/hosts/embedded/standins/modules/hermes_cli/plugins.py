"""Stands in for ``hermes_cli.plugins``: the plugin manager and the types of ``ctx``."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.coroutines import resolve as resolve_plugin_command_result
from hermes_sdk.hosts.embedded.loading.context import PluginToolOverrideError, make_context_class
from hermes_sdk.hosts.embedded.loading.facade import PluginManager
from hermes_sdk.hosts.embedded.plugin import manifest_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "ENTRY_POINTS_GROUP",
    "OBSERVER_SCHEMA_VERSION",
    "VALID_HOOKS",
    "VALID_MIDDLEWARE",
    "PluginContext",
    "PluginManager",
    "PluginManifest",
    "PluginToolOverrideError",
    "discover_plugins",
    "get_plugin_command_handler",
    "get_plugin_commands",
    "get_plugin_manager",
    "has_hook",
    "has_middleware",
    "invoke_hook",
    "resolve_plugin_command_result",
]

_host = find_plugin_manager(__spec__)
_contract = _host.state.contract
_manager = _host.facade

VALID_HOOKS = set(_contract.hooks)
VALID_MIDDLEWARE = set(_contract.middleware_kinds)
ENTRY_POINTS_GROUP = _contract.section("entry_point_group")
OBSERVER_SCHEMA_VERSION = _contract.section("constants")["hermes_cli.plugins"].get("OBSERVER_SCHEMA_VERSION")
PluginContext = make_context_class(_contract)
PluginManifest = manifest_class(_contract)
globals()["PluginManager"] = type(_manager)
get_plugin_command_handler = _host.registrations.commands.get_handler
get_plugin_commands = _host.registrations.commands.describe


# As in Hermes, these functions look up the manager's attributes at each call, because plugins may replace them.
def get_plugin_manager() -> PluginManager:
    """Return the plugin manager."""
    return _manager


def discover_plugins(force: bool = False) -> None:
    """See `PluginManager.discover_and_load`."""
    _manager.discover_and_load(force)


def invoke_hook(hook_name: str, **kwargs: Any) -> list[Any]:
    """See `PluginManager.invoke_hook`."""
    return _manager.invoke_hook(hook_name, **kwargs)


def has_hook(hook_name: str) -> bool:
    """See `PluginManager.has_hook`."""
    return _manager.has_hook(hook_name)


def has_middleware(kind: str) -> bool:
    """See `PluginManager.has_middleware`."""
    return _manager.has_middleware(kind)
