"""HS704 and HS710: the manifest declares the environment variables of a plugin, and no tool returns secrets."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.repair import set_in_manifest
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import find_definition
from hermes_sdk.check.rules.shown_values import CREDENTIAL, find_shown, read_environment
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule

_SYSTEM_VARIABLES = r"HERMES_.*|XDG_.*|LC_.*|PATH|HOME|USER|SHELL|LANG|TERM|TMPDIR|APPDATA|LOCALAPPDATA|PWD|CI"

_SOURCE = "import os\n\n\ndef register(ctx):\n    ctx.register_command('forecast', lambda line: ask(line))\n\n\n" + (
    "def ask(line):\n    return f\"asked for {line}\" if os.environ['WEATHER_KEY'] else ''\n"
)


@rule(
    "HS704",
    severity="warning",
    references=("B16", "J11"),
    bad=example(_SOURCE),
    good=example(_SOURCE, manifest=f"{MANIFEST}requires_env: [WEATHER_KEY]\n"),
)
def undeclared_variable(plugin: Plugin) -> Iterator[Problem]:
    """environment variable that the manifest does not declare

    The installer asks users only for the variables in requires_env.

    Fix: Add it to requires_env, or to optional_env if the plugin works without it.
    """
    # Report one finding, at the first read, since one edit of the manifest adds all variables.
    if plugin.manifest is None:
        return
    required = plugin.fields.get("requires_env")
    listed = required if isinstance(required, list) else []
    declared = _list_names(listed) | _list_names(plugin.fields.get("optional_env"))
    reads = {
        name: source.place(node)
        for source in reversed(plugin.sources)
        for name, node in sorted(_find_reads(source), key=lambda read: -read[1].lineno)
        if name not in declared and not re.fullmatch(_SYSTEM_VARIABLES, name)
    }
    if reads:
        names = sorted(reads)
        message = f"the manifest does not declare {', '.join(names)}"
        whole = required is None or isinstance(required, list)
        repair = set_in_manifest(plugin, ["requires_env"], [*listed, *names]) if whole else None
        yield Problem(message, *min(reads.values()), repair=repair)


def _list_names(listed: object) -> set[object]:
    entries = listed if isinstance(listed, list) else []
    return {one.get("name") if isinstance(one, dict) else one for one in entries if isinstance(one, str | dict)}


def _find_reads(source: Source) -> Iterator[tuple[str, ast.expr]]:
    """Find the variables that are read without a default, and those whose names mark them as credentials."""
    if "environ" not in source.text and "getenv" not in source.text:
        return
    for node in source.nodes(ast.Subscript) if "environ[" in source.text else ():
        if isinstance(node.ctx, ast.Load) and source.dotted_name(node.value) == "os.environ":
            yield from ((name, node) for name in _find_texts(node.slice))
    for call in source.calls("os.getenv", "os.environ.get"):
        yield from ((name, call) for name in _find_texts(*call.args[:1]) if re.fullmatch(CREDENTIAL, name))


def _find_texts(*nodes: ast.expr) -> Iterator[str]:
    yield from (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _tool(result: str) -> Example:
    """Return a plugin with a tool that returns the given result."""
    source = f"""\
import json
import os

SCHEMA = {{"description": "Show the settings.", "parameters": {{"type": "object", "properties": {{}}}}}}


def handle(args, **kwargs):
    return json.dumps({result})


def register(ctx):
    ctx.register_tool(name="settings", toolset="example", schema=SCHEMA, handler=handle)
"""
    return example(source, manifest=f"{MANIFEST}provides_tools: [settings]\n")


@rule("HS710", call="register_tool", bad=_tool("dict(os.environ)"), good=_tool('{"home": os.environ.get("HOME")}'))
def secret_returned(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool returns a secret

    The result goes to the model's provider and the transcript; the model may repeat it in any chat.

    Fix: Return only values that the model needs, and whether a key is set instead of the key.
    """
    found = find_definition(load, registration)
    for value, _ in found.results() if found else ():
        assert found is not None
        for node, part in find_shown(found.source, value) if value is not None else ():
            if read := read_environment(found.source, node):
                what = "the whole environment" if read == "os.environ" else f"the value of {read}"
                yield Problem(f"tool '{registration['name']}' returns {what}", *found.source.place(part))
