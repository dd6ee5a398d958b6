"""HS78x: the host loads all parts of a portable plugin, which has skills and MCP servers but no Python code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example, Problem, Rules, example
from hermes_sdk.manifest import portable

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_SKILL = "---\nname: notes\ndescription: How to write notes.\n---\n\nWrite them.\n"
_SERVER = {"type": "stdio", "command": "notes-server"}


def _portable(skill: str = _SKILL, server: Any = None, **fields: Any) -> Example:
    """Return a portable plugin with one skill and, if given, an MCP server."""
    known = {"$schema": portable.SCHEMA, "name": "example", "version": "1.0.0", "description": "Notes"}
    files = {"plugin.json": json.dumps({**known, **fields}), "skills/notes/SKILL.md": skill}
    if server is None:
        return files
    return {**files, "mcp.json": json.dumps({"$schema": portable.SERVERS_SCHEMA, "mcpServers": {"notes": server}})}


def _place(plugin: Plugin, *keys: str) -> tuple[str, int, int]:
    """Return the place of a key in ``plugin.json``."""
    parsed = plugin.portable
    assert parsed
    return (plugin.relative(parsed.path), *parsed.position(*keys))


@rule("HS781", since="0.20.1", references=("N16",), bad=_portable(name="My Notes"), good=_portable())
def portable_manifest_is_refused(plugin: Plugin) -> Iterator[Problem]:
    """portable plugin is not loaded

    The host logs a warning and skips the plugin.

    Fix: Correct the field according to the Agent Plugins schema 1.0.0.
    """
    if plugin.portable is None:
        return
    try:
        portable.read_manifest(plugin.located.directory)
    except ValueError as error:
        message = str(error)
        word = message.removeprefix("plugin.json ").partition(" ")[0]
        keys = {"declares": "$schema", "extension": "extensions"}.get(word, word)
        yield Problem(message, *_place(plugin, keys))


@rule("HS782", severity="warning", since="0.20.1", references=("N16",), bad=_portable(hooks=["a"]), good=_portable())
def portable_field_is_ignored(plugin: Plugin) -> Iterator[Problem]:
    """field of a portable plugin is ignored

    The host reads only the fields of the Agent Plugins schema 1.0.0.

    Fix: Remove the field. A plugin that needs hooks, tools or settings is a Python plugin with a plugin.yaml.
    """
    if plugin.portable is None:
        return
    try:
        ignored = portable.read_manifest(plugin.located.directory)[1]
    except ValueError:
        return
    for message in ignored:
        field = message.rpartition(": ")[2] if ": " in message else "extensions"
        yield Problem(message, *_place(plugin, field))


@rule("HS783", since="0.20.1", references=("N17",), bad=_portable(_SKILL.replace("notes", "other")), good=_portable())
def portable_skill_is_skipped(plugin: Plugin) -> Iterator[Problem]:
    """skill of a portable plugin is skipped

    The host logs a warning and loads the plugin without the skill.

    Fix: Repair the front matter of SKILL.md.
    """
    if plugin.portable is None:
        return
    for skill in portable.find_skills(plugin.located.directory):
        if skill.problem:
            yield Problem(f"skill '{skill.name}': {skill.problem}", plugin.relative(skill.file))


@rule(
    "HS784",
    since="0.20.1",
    references=("N17",),
    bad=_portable(server={**_SERVER, "command": "/usr/bin/notes --serve"}),
    good=_portable(server=_SERVER),
)
def portable_server_is_skipped(plugin: Plugin) -> Iterator[Problem]:
    """MCP server of a portable plugin is skipped

    The host logs a warning and loads the plugin without the server.

    Fix: Use `stdio` with one executable, or `streamable-http` with an https URL, and only the fields of that type.
    """
    if plugin.portable is None:
        return
    file = plugin.located.directory / portable.SERVERS
    parsed = plugin.parse(file)
    directory = plugin.located.directory
    for name, problem, _ in portable.find_servers(directory, directory / "data"):
        if problem:
            place, subject = (1, 1), ""
            if name is not None:
                place, subject = parsed.position("mcpServers", name), f"MCP server '{name}': "
            yield Problem(f"{subject}{problem}", plugin.relative(file), *place)


@rule(
    "HS785",
    severity="warning",
    since="0.20.1",
    references=("N16",),
    bad={**_portable(), "__init__.py": "def register(ctx):\n    pass\n"},
    good=_portable(),
)
def portable_python_never_runs(plugin: Plugin) -> Iterator[Problem]:
    """Python code of a portable plugin never runs

    The host imports nothing from a plugin with a plugin.json.

    Fix: Add a plugin.yaml, which makes it a Python plugin, or remove __init__.py.
    """
    file = plugin.located.directory / "__init__.py"
    if plugin.portable is not None and file.is_file():
        yield Problem("__init__.py is never imported", plugin.relative(file))


@rule(
    "HS786", since="0.20.1", bad={**_portable(), "plugin.yaml": "name: example\n", "__init__.py": ""}, good=_portable()
)
def portable_manifest_is_hidden(plugin: Plugin) -> Iterator[Problem]:
    """plugin.yaml hides the plugin.json next to it

    The host loads the Python plugin, and neither the skills nor the MCP servers of the portable one.

    Fix: Keep one of the two manifests.
    """
    file = plugin.located.directory / portable.MANIFEST
    if plugin.located.manifest and file.is_file() and portable.SCHEMA in plugin.read(file):
        yield Problem("plugin.yaml hides this manifest", plugin.relative(file))


_OLD = {"pyproject.toml": "[tool.hermes-sdk.check]\ntarget = '==0.19.0'\n"}


@rule(
    "HS787",
    behaviour="not portable_plugins",
    references=("N16",),
    bad={**_portable(), **_OLD},
    good=example(),
)
def portable_plugin_needs_newer_hermes(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """release does not support portable plugins

    The host silently ignores a directory without a plugin.yaml.

    Fix: Require Hermes 0.20.1 or newer: set `target = ">=0.20.1"` under `[tool.hermes-sdk.check]` in pyproject.toml. Or
    write a Python plugin.
    """
    if plugin.portable is not None:
        yield Problem(f"Hermes {contract.release} ignores plugin.json", *_place(plugin))
