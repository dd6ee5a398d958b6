"""``ctx.call_mcp``: tools of MCP servers (statement N39)."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.services.capabilities import read_entry
from hermes_sdk.hosts.embedded.state import HostState


def call(state: HostState, plugin: PluginManifest, server: Any) -> dict[str, Any]:
    """Answer a call of a tool on a server that is not configured; no others are modelled.

    Raises:
        PermissionError: The operator does not allow this plugin to use the server.
        NotSupported: The server is configured.
    """
    config = state.config.read()
    allowed = read_entry(config, plugin.lookup_key).get("mcp_allowlist")
    if not isinstance(allowed, list) or server not in map(str, allowed):
        raise PermissionError(
            f"Plugin {plugin.name!r} is not allowed to call MCP server {server!r}. Add it to"
            f" plugins.entries.{plugin.lookup_key}.mcp_allowlist in config.yaml to grant access (default is no MCP"
            " access)."
        )
    servers = config.get("mcp_servers")
    if isinstance(servers, dict) and server in servers:
        raise state.unsupported(f"call the MCP server {server}")
    return {"ok": False, "error": f"MCP server '{server}' is not connected"}
