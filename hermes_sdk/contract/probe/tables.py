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
    """Return the sections that come from tables of the running host."""
    return {
        **plugin_system(),
        **builtins(),
        "default_config": default_config(),
        "optional_variables": sorted(host_module("hermes_cli.config").OPTIONAL_ENV_VARS),
        "shell_hooks": shell_hooks(),
    }


def plugin_system() -> dict[str, Any]:
    """Names that the plugin system accepts, and what it adds to every call of a hook."""
    plugins = host_module("hermes_cli.plugins")
    return {
        "entry_point_group": plugins.ENTRY_POINTS_GROUP,
        "injected_hook_arguments": injected_hook_arguments(),
        "middleware_kinds": sorted(getattr(plugins, "VALID_MIDDLEWARE", ())),
        "plugin_kinds": sorted(host_value("_VALID_PLUGIN_KINDS", "hermes_cli.plugins", "hermes_cli.plugins_manifest")),
    }


def injected_hook_arguments() -> dict[str, Any]:
    """The arguments that a callback receives when the host passes none."""
    received: dict[str, Any] = {}

    def callback(**arguments: Any) -> None:
        received.update(arguments)

    manager = host_module("hermes_cli.plugins").PluginManager()
    manager._hooks["on_session_start"] = [callback]
    manager.invoke_hook("on_session_start")
    return received


def builtins() -> dict[str, Any]:
    """Names that are taken: tools, toolsets, slash commands, auxiliary tasks, platforms."""
    # A redistribution may come without the gateway or the commands.
    platforms = sorted(platform.value for platform in getattr(host_module("gateway.config"), "Platform", ()))
    host_module("model_tools")  # registers the tools, and before that loads bundled plugins, which may add platforms
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


def parameters(schema: dict[str, Any], inside: str = "") -> dict[str, Any]:
    """The parameters of a tool with their defaults, None where the schema has none.

    Those of objects have dotted names; the objects of a list are described like one of them.
    """
    found: dict[str, Any] = {}
    for name, one in sorted((schema.get("properties") or {}).items()):
        found[inside + name] = one.get("default")
        found |= parameters(one.get("items") or one, f"{inside}{name}.")
    return found


def composed_toolsets(tools: dict[str, str]) -> dict[str, Any]:
    """The toolsets that hold other tools than those registered under their name.

    Args:
        tools: The toolset under which each tool is registered.
    """
    module = host_module("toolsets")
    core = set(module._HERMES_CORE_TOOLS)
    composed: dict[str, Any] = {}
    for name, toolset in module.TOOLSETS.items():
        held, includes = set(toolset.get("tools", ())), sorted(toolset.get("includes", ()))
        own = {tool for tool, registered in tools.items() if registered == name}
        has_core = core <= held
        if includes or not held <= own:
            composed[name] = {
                "core": has_core,
                "former": False,
                "includes": includes,
                "posture": bool(toolset.get("posture")),
                "tools": sorted(held - core if has_core else held - own),
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
    """The default configuration, which is what a plugin reads from an empty ``config.yaml``, and its keys."""
    config = host_module("hermes_cli.config").DEFAULT_CONFIG
    return {"keys": sorted(config), "values": config}


def shell_hooks() -> dict[str, Any]:
    """The protocol of shell hooks; empty when this release has none."""
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
    """Return the commands before and after those of plugins, with aliases and in the parser's order, and long options.

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

    def recorded(action: Any, name: str, **options: Any) -> Any:
        if action.dest == "command":  # those of commands go elsewhere
            added.extend([name, *options.get("aliases", ())])
        return add_parser(action, name, **options)

    def turn_of_plugins() -> bool:
        nonlocal added
        added = after
        return False

    with (
        mock.patch.object(subparsers, "add_parser", recorded),
        mock.patch.object(argparse.ArgumentParser, "add_subparsers", make_recording_program),
        mock.patch.object(program, "_plugin_cli_discovery_needed", turn_of_plugins),
        mock.patch.object(sys, "argv", ["hermes", "--help"]),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        program.main()
    if not (before and after):
        raise RuntimeError("the program `hermes` no longer builds its parser around the commands of plugins")
    # The program names options in this order when an argument may be several of them.
    options = dict.fromkeys(name for one in programs for name in one._option_string_actions if name.startswith("--"))
    return {"cli_commands": {"before": before, "after": after}, "cli_options": list(options)}
