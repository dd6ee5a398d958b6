"""The plugin manager that plugins see: ``ctx._manager`` and ``hermes_cli.plugins.get_plugin_manager()``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.hosts.embedded.host_classes import derive_class, of_module
from hermes_sdk.hosts.embedded.plugin import Plugin
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState

_COUNTED = ("tools", "hooks", "middleware", "commands")


class Embedded(NamedTuple):
    """The parts of the host behind the plugin manager."""

    state: HostState
    registrations: Registrations
    plugins: Mapping[Any, Plugin]
    rescan: Callable[[], None]


@of_module("hermes_cli.plugins")
class PluginManager:
    """Plugins as listed by Hermes' plugin manager; its other members are not supported."""

    _embedded: Embedded

    def __getattr__(self, name: str) -> Any:
        state = self._embedded.state
        if name == "_context_engine":
            return self._embedded.registrations.context_engine.registered
        if name in state.contract.context:
            raise state.unsupported("use a PluginContext that a plugin makes")
        members = state.contract.section("classes")["PluginManager"]["members"]
        if name in members or (name.startswith("_") and not name.startswith("__")):
            raise state.unsupported(f"read {name} of the plugin manager")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._embedded.state.replaced.add(f"{name} of the plugin manager")
        super().__setattr__(name, value)

    def discover_and_load(self, force: bool = False) -> None:
        """Discover the plugins again if forced; the first discovery is complete."""
        if force:
            self._embedded.rescan()

    def invoke_hook(self, hook_name: str, **kwargs: Any) -> list[Any]:
        """Fire a hook, and return the results of its callbacks."""
        return self._embedded.registrations.hooks.invoke(hook_name, **kwargs)

    def has_hook(self, hook_name: str) -> bool:
        """Return whether a hook has a callback."""
        return self._embedded.registrations.hooks.has(hook_name)

    def has_middleware(self, kind: str) -> bool:
        """Return whether there is middleware of a kind."""
        return bool(self._embedded.registrations.middleware.entries.get(kind))

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
                **{what: len(plugin.credited.get(what, ())) for what in _COUNTED},
                "error": plugin.error,
            }
            for key, plugin in sorted(self._embedded.plugins.items())
        ]

    def find_plugin_skill(self, qualified_name: str) -> Path | None:
        """Return the file of a skill, or None."""
        skill = self._embedded.registrations.skills.entries.get(qualified_name)
        return skill.path if skill else None

    def list_plugin_skills(self, plugin_name: str) -> list[str]:
        """Return the names of a plugin's skills, sorted."""
        return self._embedded.registrations.skills.list_names(plugin_name)


def make_plugin_manager(embedded: Embedded) -> PluginManager:
    """Create the plugin manager of a host, with a separate class for the host, since plugins may change it."""
    return derive_class(PluginManager, _embedded=embedded)()
