"""Public modules of the host, and alternatives to internal modules."""

from __future__ import annotations

_PUBLIC = (
    "agent.browser_provider",
    "agent.context_engine",
    "agent.image_gen_provider",
    "agent.memory_provider",
    "agent.secret_sources.base",
    "agent.transcription_provider",
    "agent.tts_provider",
    "agent.video_gen_provider",
    "agent.web_search_provider",
    "gateway.config",
    "gateway.platforms.base",
    "hermes_constants",
    "providers",
    "utils",
)
"""Modules whose names plugins may use, except names that begin with an underscore."""

_LISTED = frozenset(
    {
        "agent.account_usage",
        "agent.browser_provider",
        "agent.context_engine",
        "agent.context_references",
        "agent.credential_pool",
        "agent.image_gen_provider",
        "agent.memory_manager",
        "agent.memory_provider",
        "agent.plugin_llm",
        "agent.runtime_cwd.resolve_agent_cwd",
        "agent.secret_scope",
        "agent.secret_sources.base",
        "agent.subagent_lifecycle",
        "agent.terminal_env_provider",
        "agent.transcription_provider",
        "agent.transports",
        "agent.transports.chat_completions",
        "agent.tts_provider",
        "agent.usage_pricing.CostResult",
        "agent.video_gen_provider",
        "agent.web_search_provider",
        "cli",
        "cron.execution_identity",
        "gateway.config",
        "gateway.platform_registry",
        "gateway.platforms._shared",
        "gateway.platforms.base",
        "gateway.platforms.event",
        "gateway.platforms.helpers",
        "gateway.status",
        "hermes_cli.auth_constants.AuthError",
        "hermes_cli.auth_oauth_pkce_plugin",
        "hermes_cli.config",
        "hermes_cli.dashboard_auth",
        "hermes_cli.platform_actions",
        "hermes_cli.plugin_events",
        "hermes_cli.plugin_provider_requests",
        "hermes_cli.plugins.PluginContext",
        "hermes_cli.plugins_ledger.PluginRegistration",
        "hermes_cli.plugins_state.PluginState",
        "hermes_constants",
        "hermes_platform",
        "hermes_state",
        "plugins.plugin_storage",
        "plugins.plugin_utils",
        "pm",
        "providers",
        "providers.base",
        "tools.browser_supervisor",
        "tools.browser_supervisor_capture",
        "tools.computer_use.backend",
        "tools.environments.BaseEnvironment",
        "tools.environments.base.BaseEnvironment",
        "tools.registry",
        "utils.atomic_json_write",
        "utils.read_json_or_empty",
    }
)
"""Public modules according to Hermes 0.22.2, and single names of other modules. `hermes plugins validate` reads it."""

_INSTEAD = {
    "agent.auxiliary_client": "ctx.llm",
    "cli": "ctx.inject_message and the hooks of a session",
    "gateway.run": "the hook pre_gateway_dispatch, or the gateway's own event hooks",
    "hermes_state": "the hooks of a session, or your own files in get_hermes_home()",
    "model_tools": "ctx.dispatch_tool",
    "run_agent": "ctx.llm and the hooks of a turn",
    "tools": "ctx.dispatch_tool",
    "tools.approval": "a directive of the hook pre_tool_call",
}
"""Alternatives for plugins to a module and its submodules."""


def is_public(name: str) -> bool:
    """Return whether a module, or a name in a module, is public, so that plugins may use it."""
    module, _, last = name.rpartition(".")
    if name in _LISTED:
        return True
    if last.startswith("_"):
        return False
    return module in _LISTED or not set(_list_enclosing_modules(name)).isdisjoint(_PUBLIC)


def find_replacement(name: str) -> str | None:
    """Return the alternative to an internal module, or to a name in it, or None."""
    return next((_INSTEAD[parent] for parent in _list_enclosing_modules(name) if parent in _INSTEAD), None)


def is_replaced(name: str) -> bool:
    """Return whether plugins have an alternative to exactly this module."""
    return name in _INSTEAD


def _list_enclosing_modules(name: str) -> list[str]:
    """Return a dotted name and its parents, innermost first."""
    return [".".join(name.split(".")[:length]) for length in range(name.count(".") + 1, 0, -1)]
