"""Capabilities that a plugin uses: registrations, environment variables, and required grants."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import inspect_on

PROVIDED = {
    "provides_tools": "register_tool",
    "provides_hooks": "register_hook",
    "provides_middleware": "register_middleware",
}
"""The lists in manifest and catalog entry, with the calls that register their items."""

_LLM_ARGUMENTS = ("provider", "model", "agent_id", "profile")
_CATEGORIES = (
    ("register_platform", "platform"),
    ("register_memory_provider", "memory"),
    ("register_web_search_provider", "web"),
    ("register_browser_provider", "web"),
    ("register_tts_provider", "voice"),
    ("register_transcription_provider", "voice"),
    ("register_automation_blueprint", "automation"),
    ("register_tool", "tools"),
)


class Uses(NamedTuple):
    """The capabilities that a plugin uses.

    Attributes:
        provides: The names that the plugin registers or may register, for each list in `PROVIDED`.
        variables: The variables in its manifest's ``requires_env`` that its source mentions.
        grants: The grants that it needs, such as ``tools.override``, with the places that use them.
        unused: Capabilities that the manifest declares or requests, but the plugin does not use.
        undeclared: Grants that it needs but does not request.
        category: Its category in the catalog.
        problem: Why its registrations are unknown; empty if the host loaded it.
    """

    provides: dict[str, list[str]]
    variables: list[str]
    grants: dict[str, str]
    unused: list[str]
    undeclared: list[str]
    category: str
    problem: str


def find_uses(plugin: Plugin, release: str) -> Uses:
    """Determine the capabilities that a plugin uses from its source and by loading it in a sandbox."""
    registered, problem = _find_registered(plugin.located.path, release)
    texts = {
        node.value for source in plugin.sources for node in source.nodes(ast.Constant) if isinstance(node.value, str)
    }
    provides: dict[str, list[str]] = {}
    unused: list[str] = []
    for key, call in PROVIDED.items():
        names = dict.fromkeys(name for method, name in registered if method == call)
        for name in _strings(plugin.fields.get(key)):
            # Keep names that the source contains: only some installations may register them.
            if problem or name in names or name in texts:
                names.setdefault(name)
            else:
                unused.append(f"{key}: {name}")
        provides[key] = [*names]
    variables, unread = _find_variables(plugin, texts)
    grants = dict(_find_grants(plugin))
    requested = _strings(plugin.fields.get("capabilities"))
    unused += [
        *(f"requires_env: {name}" for name in unread),
        *(f"capabilities: {one}" for one in requested if one not in grants),
    ]
    undeclared = [one for one in grants if one not in requested]
    calls = {call for call, _ in registered}
    return Uses(provides, variables, grants, unused, undeclared, _choose_category(plugin, calls), problem)


def _find_registered(path: Path, release: str) -> tuple[list[tuple[str, str]], str]:
    """Return the calls of ``ctx`` with the registered names, and the reason if these are unknown."""
    try:
        inspection = inspect_on("auto", path, release=release).outcome
    except HermesSdkError as error:
        return [], error.message
    report = inspection["report"]
    found = [(one["call"], one["name"]) for one in inspection["registrations"]]
    if report["memory_provider"]:
        found.append(("register_memory_provider", ""))
    elsewhere = report["memory_provider"] or report["model_providers"]
    return found, "" if report["status"] == "loaded" or elsewhere else str(report["error"] or report["status"])


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _find_variables(plugin: Plugin, texts: set[str]) -> tuple[list[str], list[str]]:
    """Return the manifest's variables that the source mentions, and those that it does not."""
    listed = plugin.fields.get("requires_env")
    entries = listed if isinstance(listed, list) else []
    names = [str(one.get("name")) if isinstance(one, dict) else str(one) for one in entries]
    # Search all files, since not only Python code reads variables.
    everything = "\n".join(plugin.read(file) for file in plugin.files if file != plugin.located.manifest)
    used = [name for name in names if name in texts or re.search(rf"\b{re.escape(name)}\b", everything)]
    return used, [name for name in names if name not in used]


def _find_grants(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """Yield the grants that calls in the source need, and the place of each."""
    for source in plugin.sources:
        for call in source.nodes(ast.Call):
            for grant in _find_call_grants(call):
                yield grant, f"{source.path}:{call.lineno}"
        for node in source.nodes(ast.Attribute):
            if node.attr == "platform_actions" and isinstance(node.ctx, ast.Load):
                yield "gateway.platform_actions", f"{source.path}:{node.lineno}"


def _find_call_grants(call: ast.Call) -> Iterator[str]:
    given = {
        one.arg
        for one in call.keywords
        if one.arg and not (isinstance(one.value, ast.Constant) and one.value.value is None)
    }
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name == "register_tool" and any(one.arg == "override" and _is_true(one.value) for one in call.keywords):
        yield "tools.override"
    if name.removeprefix("a") in ("complete", "complete_structured") and "llm" in ast.unparse(call.func):
        yield from (f"llm.{argument}_override" for argument in _LLM_ARGUMENTS if argument in given)


def _is_true(node: ast.expr) -> bool:
    return not (isinstance(node, ast.Constant) and not node.value)


def _choose_category(plugin: Plugin, calls: set[str]) -> str:
    if plugin.kind == "model-provider":
        return "models"
    if (plugin.located.directory / "desktop" / "plugin.js").is_file():
        return "desktop"
    return next((category for call, category in _CATEGORIES if call in calls), "general")
