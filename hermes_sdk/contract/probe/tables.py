"""Registries and tables of the host: tools, commands, kinds, configuration, and the CLI of ``hermes``."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from typing import Any
from unittest import mock

from .signatures import host_module, host_value


def sections() -> dict[str, Any]:
    """Return the sections that are read from tables of the running host."""
    return {
        **plugin_system(),
        **builtins(),
        "default_config": default_config(),
        "optional_variables": sorted(host_module("hermes_cli.config").OPTIONAL_ENV_VARS),
        "shell_hooks": shell_hooks(),
    }


def plugin_system() -> dict[str, Any]:
    """Return the names that the plugin system accepts, and the arguments that it adds to every hook call."""
    plugins = host_module("hermes_cli.plugins")
    return {
        "entry_point_group": plugins.ENTRY_POINTS_GROUP,
        "injected_hook_arguments": injected_hook_arguments(),
        "middleware_kinds": sorted(getattr(plugins, "VALID_MIDDLEWARE", ())),
        "plugin_kinds": sorted(host_value("_VALID_PLUGIN_KINDS", "hermes_cli.plugins", "hermes_cli.plugins_manifest")),
    }


def injected_hook_arguments() -> dict[str, Any]:
    """Return the arguments of a callback if the host passes none."""
    received: dict[str, Any] = {}

    def callback(**arguments: Any) -> None:
        received.update(arguments)

    manager = host_module("hermes_cli.plugins").PluginManager()
    manager._hooks["on_session_start"] = [callback]
    manager.invoke_hook("on_session_start")
    return received


def builtins() -> dict[str, Any]:
    """Return the reserved names: tools, toolsets, slash commands, auxiliary tasks, platforms."""
    # A redistribution may lack the gateway or the commands.
    platforms = sorted(platform.value for platform in getattr(host_module("gateway.config"), "Platform", ()))
    # This import registers the tools, after it loads bundled plugins, which may add platforms.
    host_module("model_tools")
    registry = host_module("tools.registry").registry
    tools = registry.get_tool_to_toolset_map()
    commands = getattr(host_module("hermes_cli.commands"), "COMMAND_REGISTRY", ())
    return {
        "tools": tools,
        "tool_parameters": {
            name: parameters(registry.get_schema(name).get("parameters", {})) for name in sorted(tools)
        },
        "core_tools": sorted(host_module("toolsets")._HERMES_CORE_TOOLS),
        "toolsets": sorted(set(tools.values())),
        "composed_toolsets": composed_toolsets(tools),
        "slash_commands": {command.name: sorted(command.aliases or ()) for command in commands},
        "auxiliary_tasks": sorted(
            task[0] for task in host_value("_AUX_TASKS", "hermes_cli.main", "hermes_cli.main_provider_setup")
        ),
        "platforms": platforms,
    }


def parameters(schema: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the parameters of a tool with their defaults; None if the schema has no default.

    Parameters of nested objects, including objects in lists, have dotted names.
    """
    found: dict[str, Any] = {}
    for name, one in sorted((schema.get("properties") or {}).items()):
        found[prefix + name] = one.get("default")
        found |= parameters(one.get("items") or one, f"{prefix}{name}.")
    return found


def composed_toolsets(tools: dict[str, str]) -> dict[str, Any]:
    """Return the toolsets that contain more than the tools that are registered under their own name.

    Args:
        tools: The toolset under which each tool is registered.
    """
    module = host_module("toolsets")
    core = set(module._HERMES_CORE_TOOLS)
    composed: dict[str, Any] = {}
    for name, toolset in module.TOOLSETS.items():
        contained, includes = set(toolset.get("tools", ())), sorted(toolset.get("includes", ()))
        own = {tool for tool, registered in tools.items() if registered == name}
        has_core = core <= contained
        if includes or not contained <= own:
            composed[name] = {
                "core": has_core,
                "former": False,
                "includes": includes,
                "posture": bool(toolset.get("posture")),
                "tools": sorted(contained - core if has_core else contained - own),
            }
    for name, former in host_module("model_tools")._LEGACY_TOOLSET_MAP.items():
        composed[name] = {
            "core": False,
            "former": True,
            "includes": [],
            "posture": False,
            "tools": sorted(former),
        }
    return composed


def default_config() -> dict[str, Any]:
    """Return the default configuration, which plugins read from an empty ``config.yaml``, and its keys."""
    config = host_module("hermes_cli.config").DEFAULT_CONFIG
    return {"keys": sorted(config), "values": config}


def shell_hooks() -> dict[str, Any]:
    """Return the protocol of shell hooks; empty if the release has none."""
    module = host_module("agent.shell_hooks")
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


def cli_commands() -> dict[str, Any]:
    """Return the commands that precede and follow those of plugins, in the parser's order, and the long options.

    They are empty for a redistribution without the program ``hermes``.
    """
    program = host_module("hermes_cli.main")
    if program is None:
        return {"cli_commands": {"before": [], "after": []}, "cli_options": []}
    before: list[str] = []
    after: list[str] = []
    added = before
    programs: list[argparse.ArgumentParser] = []
    subparsers = type(argparse.ArgumentParser().add_subparsers())
    add_parser, add_subparsers = subparsers.add_parser, argparse.ArgumentParser.add_subparsers

    def make_recording_program(parser: argparse.ArgumentParser, **options: Any) -> Any:
        if options.get("dest") == "command":
            programs.append(parser)
        return add_subparsers(parser, **options)

    def record_command(action: Any, name: str, **options: Any) -> Any:
        if action.dest == "command":  # Skip nested subcommands.
            added.extend([name, *options.get("aliases", ())])
        return add_parser(action, name, **options)

    def begin_second_group() -> bool:
        nonlocal added
        added = after
        return False

    with (
        mock.patch.object(subparsers, "add_parser", record_command),
        mock.patch.object(argparse.ArgumentParser, "add_subparsers", make_recording_program),
        mock.patch.object(program, "_plugin_cli_discovery_needed", begin_second_group),
        mock.patch.object(sys, "argv", ["hermes", "--help"]),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        program.main()
    if not (before and after):
        raise RuntimeError("the program `hermes` no longer builds its parser around the commands of plugins")
    # Keep the program's order, in which it lists ambiguous options.
    options = dict.fromkeys(name for one in programs for name in one._option_string_actions if name.startswith("--"))
    return {"cli_commands": {"before": before, "after": after}, "cli_options": list(options)}
