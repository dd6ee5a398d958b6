"""MCP servers of portable plugins, and ``ctx.call_mcp`` (statements N18 and N39)."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.services.capabilities import read_entry
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")


class McpServers(Store):
    """MCP servers of portable plugins: the plugin's key by the name of the server. They are never started."""

    entries: dict[str, Any]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state

    def register(self, plugin: PluginManifest, *, name: str) -> Entry | None:
        """Add a server, unless its name is in use."""
        from hermes_sdk.manifest import portable

        plain = self._state.behaviour.portable_servers_declared
        own = portable.slug(name) if plain else f"{plugin.skill_namespace}__{name}"
        if own in self.entries:
            message = "Agent Plugin '%s' MCP server '%s' skipped: name already taken by plugin '%s'; rename one server"
            logger.warning(message, plugin.lookup_key, own, self.entries[own])
            return None
        return Entry(own, self.put(own, plugin.lookup_key))

    def names(self, plugin: Plugin) -> list[str]:
        """List the names of a plugin's servers."""
        return [name for name, key in self.entries.items() if key == plugin.manifest.lookup_key]

    def require_none(self) -> None:
        """Reject an operation for which Hermes starts the servers.

        Raises:
            NotSupported: A plugin has servers.
        """
        if self.entries:
            raise self._state.unsupported(f"start the MCP servers of portable plugins: {', '.join(self.entries)}")

    def call(self, plugin: PluginManifest, server: Any) -> dict[str, Any]:
        """Answer a tool call on a server that is not configured; other calls are not modelled.

        Raises:
            PermissionError: The operator does not allow this plugin to use the server.
            NotSupported: The server is configured, or belongs to a plugin.
        """
        config = self._state.config.read()
        allowed = read_entry(config, plugin.lookup_key).get("mcp_allowlist")
        if not isinstance(allowed, list) or server not in map(str, allowed):
            raise PermissionError(
                f"Plugin {plugin.name!r} is not allowed to call MCP server {server!r}. Add it to"
                f" plugins.entries.{plugin.lookup_key}.mcp_allowlist to allow it (nothing is allowed"
                " by default)."
            )
        configured = config.get("mcp_servers")
        if server in self.entries or (isinstance(configured, dict) and server in configured):
            raise self._state.unsupported(f"call the MCP server {server}")
        return {"ok": False, "error": f"MCP server '{server}' is not connected"}
