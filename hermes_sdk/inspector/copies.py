"""Tests and commands that reproduce actions, for the author to paste."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from hermes_sdk.hosts.inspection import Action
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.inspector.actions import Attempt, Done
from hermes_sdk.inspector.settings import merge_config
from hermes_sdk.llm import Answer
from hermes_sdk.redaction import REDACTED
from hermes_sdk.traces import plugin_tests
from hermes_sdk.traces.plugin_tests import Check, Expression, Fixture, PluginTest, Step, call, call_with, literal

_COMMANDS = {"call": "call", "chat": "chat", "command": "chat", "fire": "fire"}
"""The commands of ``hermes-sdk`` that perform an action, by its kind."""


class Conditions(NamedTuple):
    """The host and inputs of an action, and the preceding actions.

    Attributes:
        config: The content of ``config.yaml``, except the part needed to load the plugin.
        variables: The environment variables of the host's process.
        secrets: The names of the variables to hide.
        before: The preceding actions that affect this one.
        memory: The plugin's memory provider, which a test has to select; empty if there is none.
    """

    path: str
    host: HostKind
    release: str
    config: Mapping[str, Any] = {}
    variables: Mapping[str, str] = {}
    secrets: Collection[str] = ()
    before: Sequence[Done] = ()
    memory: str = ""


def write_test(done: Done, conditions: Conditions) -> str:
    """Write a test that repeats an action and expects the same result."""
    attempt, everything = done.attempt, (*conditions.before, done)
    fixture: Fixture = "hermes_gateway" if attempt.kind == "receive" else "hermes"
    host = "hermes_gateway.host" if attempt.kind == "receive" else "hermes"
    hidden = [one["error"] for each in everything for one in each.action["swallowed"]]
    remaining: dict[str, list[Answer]] = {"main": [], "aux": []}
    steps: list[Step] = []
    for one in everything:
        main, aux = _take_answers(one, remaining)
        step = _make_step(one.attempt, one.action if one is done else None, host)
        steps.append(replace(step, main=main, aux=aux))
    title = attempt.name or attempt.kind
    return plugin_tests.write_test(PluginTest(title, fixture, steps, _list_options(conditions), hidden))


def _list_options(conditions: Conditions) -> dict[str, Any]:
    """Return the arguments of the marker."""
    selected = {"memory": {"provider": conditions.memory}} if conditions.memory else {}
    config = merge_config(conditions.config, selected)
    options: dict[str, Any] = {"config": config} if config else {}
    if conditions.variables:
        variables = conditions.variables.items()
        options["env"] = {name: REDACTED if name in conditions.secrets else value for name, value in variables}
    return options


def _take_answers(done: Done, remaining: dict[str, list[Answer]]) -> list[list[Answer]]:
    """Return the model's answers that were used, by lane; `remaining` contains unused ones."""
    attempt, used = done.attempt, list[list[Answer]]()
    scripts = ((), ()) if _is_command(attempt) else attempt.answers()
    for (lane, answers), added in zip(remaining.items(), scripts, strict=True):
        answers += added
        asked = sum((one["kind"], one["name"]) == ("llm_request", lane) for one in done.action["events"])
        used.append(answers[:asked] or ([Answer("ok")] if asked and lane == "main" else []))
        del answers[:asked]
    return used


def _is_command(attempt: Attempt) -> bool:
    return attempt.kind == "chat" and attempt.name.startswith("/")


def _make_step(attempt: Attempt, action: Action | None, host: str) -> Step:
    """Create the step that performs an action, and expects its result if one is passed."""
    done, variable, path = _write_call(attempt.kind, attempt.name, attempt.arguments, host)
    if action is None:
        return Step(done)
    value = action["value"]
    if attempt.kind == "receive":
        return Step(done, variable, [Check("[one.text for one in sent]", [one["text"] for one in value])])
    return Step(done, variable, [Check(f"{variable}.{path}" if path else variable, value[path] if path else value)])


def _write_call(kind: str, name: str, arguments: Mapping[str, Any], host: str) -> tuple[Expression, str, str]:
    """Return the call for an action, the name of its result, and the attribute to compare (empty for all)."""
    given = literal(name)
    match kind:
        case "call":
            return call("hermes.call_tool", given, literal(arguments)), "result", "text"
        case "chat" if not name.startswith("/"):
            return call("hermes.chat", given), "turn", "reply"
        case "cli":
            return call("hermes.cli", *map(literal, _split_words(name))), "done", "exit_code"
        case "chat" | "command":
            return call("hermes.command", given), "reply", ""
        case "fire":
            return call_with("hermes.fire", given, keywords=arguments), "values", ""
        case "receive":
            return call("hermes_gateway.dm().receives", given), "sent", ""
        case "setup":
            # The output contains paths of this run's home.
            return call(f"{host}.memory.setup", literal(arguments)), "done", "exit_code"
        case _:
            return call("hermes.skill", given), "skill", ""


def _split_words(line: str) -> list[str]:
    words = shlex.split(line)
    return words[1:] if words[:1] == ["hermes"] else words


def write_command(attempt: Attempt, conditions: Conditions) -> str:
    """Write the command that performs the same actions in a terminal; empty if there is none."""
    said = [one.attempt for one in conditions.before]
    if attempt.kind not in _COMMANDS or any(one.kind != attempt.kind for one in said):
        return ""
    said.append(attempt)
    words = ["hermes-sdk", _COMMANDS[attempt.kind]]
    if attempt.kind in ("call", "fire"):
        words += ["--args", json.dumps(attempt.arguments, ensure_ascii=False)]
    host = ["--host", conditions.host] if conditions.host != "embedded" else []
    words += ["--plugin", conditions.path, *host, "--release", conditions.release]
    for name, value in conditions.variables.items():
        words += ["--env", name if name in conditions.secrets else f"{name}={value}"]
    files = [("--config", json.dumps(conditions.config, ensure_ascii=False))] if conditions.config else []
    scripts = [one.script.strip() for one in said if not _is_command(one)]
    if any(scripts):
        files += [("--script", script or "main: []") for script in scripts]
    # Use process substitution of bash and zsh instead of files.
    substitutions = "".join(f" {option} <(printf %s {shlex.quote(text)})" for option, text in files)
    return f"{shlex.join(words)}{substitutions} -- {shlex.join(one.name for one in said)}"
