"""What the host has filled its registries and tables with: tools, commands, kinds, configuration, injected arguments."""

from __future__ import annotations

import json
from typing import Any

from .signatures import load

# The parts of the default configuration that decide how plugins are loaded and used.
CONFIG_KEYS = ("_config_version", "context", "hooks", "hooks_auto_accept", "memory", "plugins")


def sections() -> dict[str, Any]:
    """Return the sections that come from tables of the running host."""
    return {
        **plugin_system(),
        **builtins(),
        "default_config": default_config(),
        "shell_hooks": shell_hooks(),
    }


def plugin_system() -> dict[str, Any]:
    """Names that the plugin system accepts, and what it adds to every call of a hook."""
    from hermes_cli import plugins

    return {
        "entry_point_group": plugins.ENTRY_POINTS_GROUP,
        "injected_hook_arguments": injected_hook_arguments(),
        "middleware_kinds": sorted(getattr(plugins, "VALID_MIDDLEWARE", ())),
        "plugin_kinds": sorted(plugins._VALID_PLUGIN_KINDS),
    }


def injected_hook_arguments() -> dict[str, Any]:
    """The arguments that a callback receives when the host passes none."""
    from hermes_cli import plugins

    received: dict[str, Any] = {}
    manager = plugins.PluginManager()
    manager._hooks["on_session_start"] = [lambda **arguments: received.update(arguments)]
    manager.invoke_hook("on_session_start")
    return received


def builtins() -> dict[str, Any]:
    """Names that are taken: tools, toolsets, slash commands, auxiliary tasks, platforms."""
    import model_tools  # noqa: F401  its import registers the tools
    from gateway.config import Platform
    from hermes_cli.commands import COMMAND_REGISTRY
    from hermes_cli.main import _AUX_TASKS
    from tools.registry import registry

    tools = registry.get_tool_to_toolset_map()
    return {
        "tools": tools,
        "toolsets": sorted(set(tools.values())),
        "slash_commands": {command.name: sorted(command.aliases or ()) for command in COMMAND_REGISTRY},
        "auxiliary_tasks": sorted(task[0] for task in _AUX_TASKS),
        "platforms": sorted(platform.value for platform in Platform.__members__.values()),
    }


def default_config() -> dict[str, Any]:
    """The keys of the default configuration, and the values of those that concern plugins."""
    from hermes_cli.config import DEFAULT_CONFIG

    values = {key: DEFAULT_CONFIG[key] for key in CONFIG_KEYS if key in DEFAULT_CONFIG}
    return {"keys": sorted(DEFAULT_CONFIG), "values": values}


def shell_hooks() -> dict[str, Any]:
    """The protocol of shell hooks; empty when this release has none."""
    module = load("agent.shell_hooks")
    if module is None:
        return {}
    payload = json.loads(module._serialize_payload("pre_tool_call", {}))
    return {
        "allowlist_filename": module.ALLOWLIST_FILENAME,
        "default_block_message": getattr(module, "_DEFAULT_BLOCK_MESSAGE", None),
        "default_timeout": module.DEFAULT_TIMEOUT_SECONDS,
        "lifted_arguments": sorted(module._TOP_LEVEL_PAYLOAD_KEYS),
        "longest_timeout": module.MAX_TIMEOUT_SECONDS,
        "payload_keys": sorted(payload),
    }
