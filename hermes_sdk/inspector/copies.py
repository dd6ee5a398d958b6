"""What an author can paste: an action as a test, and as a command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.inspection import Action
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.inspector.actions import Attempt, Done
from hermes_sdk.llm import Answer, ToolCall

_COMMANDS = {"call": "call", "chat": "chat", "command": "chat", "fire": "fire"}
"""The commands of a terminal that do what is done on the page, by its kind."""

_IMPORTS = ("call", "fail", "interrupt", "say")


class Conditions(NamedTuple):
    """The host of an action, what it was given, and what was done before.

    Attributes:
        path: The plugin.
        config: What ``config.yaml`` has besides what a host needs to load the plugin.
        variables: The variables of the host's process.
        secrets: Those whose values must not be seen; what is copied has their names.
        before: What was done before, and matters.
    """

    path: str
    host: HostKind
    release: str
    config: Mapping[str, Any] = {}
    variables: Mapping[str, str] = {}
    secrets: Collection[str] = ()
    before: Sequence[Done] = ()


def write_test(done: Done, conditions: Conditions) -> str:
    """Write a test that does the same and expects the same."""
    attempt, before = done.attempt, conditions.before
    word = re.sub(r"[^a-z0-9]+", "_", attempt.name.lower()).strip("_") or attempt.kind
    fixture = "hermes_gateway" if attempt.kind == "receive" else "hermes"
    host = "hermes_gateway.host" if attempt.kind == "receive" else "hermes"
    hidden = [one["error"] for each in (*before, done) for one in each.action["swallowed"]]
    lines = [f"def test_{word}({fixture}):"]
    lines += [f"    {host}.expect_swallowed(match={re.escape(error)!r})" for error in hidden]
    waiting: dict[str, list[Answer]] = {"main": [], "aux": []}
    for one in (*before, done):
        lines += _write_script(one, waiting, host)
        lines += _write_step(one.attempt, one.action if one is done else None, host)
    text = "\n".join(lines) + "\n"
    used = [name for name in _IMPORTS if re.search(rf"script\(.*\b{name}\(", text)]
    imports = [f"from hermes_sdk.testing import {', '.join(used)}"] if used else []
    if marker := _write_marker(conditions):
        imports, text = ["import pytest", "", *imports] if imports else ["import pytest"], marker + text
    return "\n".join([*imports, "", "", text]) if imports else text


def _write_marker(conditions: Conditions) -> str:
    given = [f"config={dict(conditions.config)!r}"] if conditions.config else []
    if conditions.variables:
        env = {name: name if name in conditions.secrets else value for name, value in conditions.variables.items()}
        given.append(f"env={env!r}")
    return f"@pytest.mark.hermes({', '.join(given)})\n" if given else ""


def _write_script(done: Done, waiting: dict[str, list[Answer]], host: str) -> list[str]:
    """Write which answers of the model were used; `waiting` has those of each lane that are left over."""
    attempt, lines = done.attempt, list[str]()
    scripts = ((), ()) if _is_command(attempt) else attempt.answers()
    for (lane, answers), added in zip(waiting.items(), scripts, strict=True):
        answers += added
        asked = sum((one["kind"], one["name"]) == ("llm_request", lane) for one in done.action["events"])
        used = answers[:asked] or ([Answer("ok")] if asked and lane == "main" else [])
        del answers[:asked]
        if used:
            lines.append(f"    {host}.llm{'' if lane == 'main' else '.aux'}.script({_write_answers(used)})")
    return lines


def _is_command(attempt: Attempt) -> bool:
    return attempt.kind == "chat" and attempt.name.startswith("/")


def _write_step(attempt: Attempt, action: Action | None, host: str) -> list[str]:
    """Write the lines that do something, and expect what came of it if that is given."""
    done, path = _write_call(attempt.kind, attempt.name, attempt.arguments, host)
    if action is None:
        return [f"    {done}"]
    value = action["value"]
    expected = [one["text"] for one in value] if attempt.kind == "receive" else value[path] if path else value
    return [f"    assert {done} == {expected!r}"]


def _write_call(kind: str, name: str, arguments: Mapping[str, Any], host: str) -> tuple[str, str]:
    """Write the call that does something, and the part of its value that is compared; empty for all of it."""
    match kind:
        case "call":
            return f"hermes.call_tool({name!r}, {dict(arguments)!r}).text", "text"
        case "chat" if not name.startswith("/"):
            return f"hermes.chat({name!r}).reply", "reply"
        case "cli":
            return f"hermes.cli({_write_words(name)}).exit_code", "exit_code"
        case "chat" | "command":
            return f"hermes.command({name!r})", ""
        case "fire":
            return f"hermes.fire({name!r}, **{dict(arguments)!r})", ""
        case "receive":
            return f"[one.text for one in hermes_gateway.dm().receives({name!r})]", ""
        case "setup":
            # The output has paths of the home of this run.
            return f"{host}.memory.setup({dict(arguments)!r}).exit_code", "exit_code"
        case _:
            return f"hermes.skill({name!r})", ""


def _write_words(line: str) -> str:
    words = shlex.split(line)
    return ", ".join(map(repr, words[1:] if words[:1] == ["hermes"] else words))


def _write_answers(answers: Sequence[Answer]) -> str:
    return ", ".join(map(_write_answer, answers))


def _write_answer(answer: Answer) -> str:
    if answer.interrupts:
        return "interrupt()"
    if answer.status is not None:
        return f"fail({answer.status!r}, {answer.error!r})"
    further = {name: getattr(answer, name) for name in ("reasoning", "usage", "finish_reason")}
    parts = [repr(answer.text or ""), *map(_write_tool_call, answer.tool_calls)]
    parts += [f"{name}={value!r}" for name, value in further.items() if value is not None]
    return f"say({', '.join(parts)})"


def _write_tool_call(one: ToolCall) -> str:
    try:
        arguments = parse_json(one.arguments)
    except ValueError:
        arguments = one.arguments
    return f"call({one.name!r}, {arguments if isinstance(arguments, dict) else one.arguments!r})"


def write_command(attempt: Attempt, conditions: Conditions) -> str:
    """Write the command of a terminal that does the same; empty when there is none."""
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
    # A file without a name, as bash and zsh have it.
    written = "".join(f" {option} <(printf %s {shlex.quote(text)})" for option, text in files)
    return f"{shlex.join(words)}{written} -- {shlex.join(one.name for one in said)}"
