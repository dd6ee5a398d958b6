"""Stands in for ``hermes_cli.plugins``: what plugins ask of the host that loads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.coroutines import resolve as resolve_plugin_command_result
from hermes_sdk.hosts.embedded.loading.context import PluginToolOverrideError, context_class
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
_constants = _host.state.contract.section("constants")["hermes_cli.plugins"]

VALID_HOOKS = set(_host.state.contract.hooks)
ENTRY_POINTS_GROUP = _host.state.contract.section("entry_point_group")
PluginContext = context_class(_host.state.contract)
PluginManifest = manifest_class(_host.state.contract)
OBSERVER_SCHEMA_VERSION = _constants.get("OBSERVER_SCHEMA_VERSION")
_tells_keys = "PluginRegistration" in _host.state.contract.section("dataclasses")
VALID_MIDDLEWARE = set(_host.state.contract.middleware_kinds)


class PluginManager:
    """What the host knows of its plugins; its other members are refused."""

    def __getattr__(self, name: str) -> Any:
        if name in _host.state.contract.context:
            raise _host.state.unsupported("use a PluginContext that a plugin makes")
        if name in _members or (name.startswith("_") and not name.startswith("__")):
            raise _host.state.unsupported(f"read {name} of the plugin manager")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        _host.state.replaced.add(f"{name} of the plugin manager")
        super().__setattr__(name, value)

    def discover_and_load(self, force: bool = False) -> None:
        """Discover the plugins again, when forced; they have been discovered already."""
        if force:
            _host.rescan()

    def invoke_hook(self, hook_name: str, **kwargs: Any) -> list[Any]:
        """Fire a hook and return what the callbacks returned."""
        return _host.registrations.hooks.invoke(hook_name, **kwargs)

    def has_hook(self, hook_name: str) -> bool:
        """Tell whether a callback listens."""
        return _host.registrations.hooks.has(hook_name)

    def has_middleware(self, kind: str) -> bool:
        """Tell whether there is middleware of a kind."""
        return bool(_host.registrations.middleware.entries.get(kind))

    def list_plugins(self) -> list[dict[str, Any]]:
        """Describe the plugins, sorted by key."""
        return [
            {
                "name": plugin.manifest.name,
                "key": key,
                "kind": plugin.manifest.kind,
                "version": plugin.manifest.version,
                "description": plugin.manifest.description,
                "source": plugin.manifest.source,
                "enabled": plugin.status == "loaded",
                **{what: len(plugin.credited.get(what, ())) for what in ("tools", "hooks", "middleware", "commands")},
                "error": plugin.error,
            }
            for key, plugin in sorted(_host.plugins.items())
        ]

    def find_plugin_skill(self, qualified_name: str) -> Path | None:
        """Return the file of a skill, or None."""
        skill = _host.registrations.skills.entries.get(qualified_name)
        return skill.path if skill else None

    def list_plugin_skills(self, plugin_name: str) -> list[str]:
        """Return the names of a plugin's skills, sorted."""
        return _host.registrations.skills.of(plugin_name)


_members = _host.state.contract.section("classes")["PluginManager"]["members"]
for _name in [name for name in vars(PluginManager) if not name.startswith("_") and name not in _members]:
    delattr(PluginManager, _name)
_manager = PluginManager()
_command = _host.state.contract.context["register_command"]
_has_argument_mode = any(one.name == "argument_mode" for one in _command.parameters)


def get_plugin_manager() -> PluginManager:
    """Return the manager."""
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


def get_plugin_command_handler(name: str) -> Callable[[str], Any] | None:
    """Return the handler of a slash command, or None."""
    command = _host.registrations.commands.entries.get(name)
    return command.handler if command else None


def get_plugin_commands() -> dict[str, dict[str, Any]]:
    """Return the slash commands by name."""
    return {
        name: {
            "handler": command.handler,
            "description": command.description,
            "plugin": command.plugin,
            "args_hint": command.args_hint,
            **({"plugin_key": command.plugin_key} if _tells_keys else {}),
            **({"argument_mode": command.argument_mode} if _has_argument_mode else {}),
        }
        for name, command in _host.registrations.commands.entries.items()
    }
