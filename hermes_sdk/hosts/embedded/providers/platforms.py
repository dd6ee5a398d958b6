"""Registrations of gateway platforms, of platform handlers and of handlers for Slack actions."""

from __future__ import annotations

import re
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store


class Platforms(Store):
    """Registered platforms: the plugin's key and the arguments of the call; a name may occur twice (H3)."""

    entries: list[tuple[Any, dict[str, Any]]]

    def __init__(self, state: HostState) -> None:
        self.entries = []
        self._contract = state.contract

    def names(self, plugin: Plugin) -> set[object]:
        """List the names of a plugin's platforms."""
        return {one["name"] for owner, one in self.entries if owner == plugin.manifest.lookup_key}

    def register(self, plugin: PluginManifest, **arguments: Any) -> Entry:
        """Register a platform (H1).

        Raises:
            TypeError: A keyword is not a field of the release's ``PlatformEntry``, or is set by the host.
            ValueError: The platform ships with Hermes, and the plugin would waive its allowlists (N91).
        """
        known = {entry["name"] for entry in self._contract.section("dataclasses")["PlatformEntry"]["fields"]}
        if "source" in arguments:
            entry = "gateway.platform_registry.PlatformEntry()"
            raise TypeError(f"{entry} got multiple values for keyword argument 'source'")
        for keyword in arguments:
            if keyword not in known:
                raise TypeError(f"PlatformEntry.__init__() got an unexpected keyword argument '{keyword}'")
        name = str(arguments["name"] or "")
        if arguments.get("trusted_inbound") and self.is_shipped(name):
            raise ValueError(
                f"Plugin '{plugin.name}' tried to register core platform '{name}' with trusted_inbound (it would waive"
                " allowlists and pairing)."
            )
        arguments.setdefault("plugin_name", plugin.name)
        return Entry(arguments["name"], self.append((plugin.lookup_key, arguments)))

    def is_shipped(self, name: str) -> bool:
        """Return whether the host ships an adapter for a platform."""
        prefix = "platforms/"
        plugins = (
            key.removeprefix(prefix) for key in self._contract.section("bundled_plugins") if key.startswith(prefix)
        )
        return name.strip().lower() in {*self._contract.section("platforms"), *plugins}


class PlatformHandlers(Store):
    """Factories of handlers for native clients, each with its platform and the name of its plugin (N92)."""

    entries: list[tuple[str, Any, Any]]

    def __init__(self, state: HostState) -> None:  # noqa: ARG002
        self.entries = []

    def names(self, plugin: Plugin) -> list[object]:  # noqa: ARG002
        """Return an empty list, since reports do not show factories."""
        return []

    def register(self, plugin: PluginManifest, *, factory: Any, platform: Any = "telegram") -> None:
        """Register a factory, which cannot be unregistered.

        Raises:
            ValueError: The factory is not callable, or the platform has no name.
        """
        opening = f"Plugin '{plugin.name}' tried to register a platform handler factory with "
        if not callable(factory):
            raise ValueError(f"{opening}a non-callable factory.")
        name = (platform or "").strip().lower()
        if not name:
            raise ValueError(f"{opening}an empty platform name.")
        self.entries.append((name, factory, plugin.name))


class SlackActionHandlers(Store):
    """Slack actions, each with its callback and the name of its plugin."""

    entries: list[tuple[Any, Any, Any]]

    def __init__(self, state: HostState) -> None:  # noqa: ARG002
        self.entries = []

    def names(self, plugin: Plugin) -> list[object]:
        """List the actions that a plugin handles."""
        return [
            action.pattern if isinstance(action, re.Pattern) else action
            for action, _, owner in self.entries
            if owner == plugin.manifest.name
        ]

    def register(self, plugin: PluginManifest, *, action_id: Any, callback: Any) -> Entry:
        """Register a handler for a Slack action.

        Raises:
            ValueError: The callback is not callable, or the action is empty.
        """
        opening = f"Plugin '{plugin.name}' tried to register a Slack action handler with "
        if not callable(callback):
            raise ValueError(f"{opening}a non-callable callback.")
        if action_id is None or (isinstance(action_id, str) and not action_id.strip()):
            raise ValueError(f"{opening}an empty action_id.")
        return Entry(repr(action_id), self.append((action_id, callback, plugin.name)))
