"""What an author can paste: an action as a test, and as a command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.inspection import Action
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.inspector.actions import Attempt
from hermes_sdk.inspector.settings import Settings
from hermes_sdk.llm import Answer, ToolCall

COMMANDS = {"call": "call", "chat": "chat", "command": "chat", "fire": "fire"}
"""The commands of a terminal that do what is done on the page, by its kind."""

_IMPORTS = ("call", "fail", "interrupt", "say")


class Done(NamedTuple):
    """What was done, and what came of it."""

    attempt: Attempt
    action: Action


def write_test(
    attempt: Attempt, action: Action, *, before: Sequence[Done] = (), settings: Settings | None = None, plugin: str = ""
) -> str:
    """Write a test that does the same and expects the same.

    Args:
        attempt: What was done.
        action: What came of it.
        before: What was done before it, and matters to it.
        settings: The settings of the plugin; in place of a secret stands its name.
        plugin: The key of the plugin that has them.
    """
    word = re.sub(r"[^a-z0-9]+", "_", attempt.name.lower()).strip("_") or attempt.kind
    fixture = "hermes_gateway" if attempt.kind == "receive" else "hermes"
    host = "hermes_gateway.host" if attempt.kind == "receive" else "hermes"
    hidden = [one["error"] for each in (*before, Done(attempt, action)) for one in each.action["swallowed"]]
    lines = [f"def test_{word}({fixture}):"]
    lines += [f"    {host}.expect_swallowed(match={re.escape(error)!r})" for error in hidden]
    left = 0
    for one in (*before, Done(attempt, action)):
        script = _parse(one.attempt, left)
        lines += _write_script(script, host)
        lines += _write_step(one.attempt, action if one.action is action else None)
        asked = [each for each in one.action["events"] if (each["kind"], each["name"]) == ("llm_request", "main")]
        left += len(script[0]) - len(asked)
    text = "\n".join(lines) + "\n"
    used = [name for name in _IMPORTS if re.search(rf"script\(.*\b{name}\(", text)]
    imports = [f"from hermes_sdk.testing import {', '.join(used)}"] if used else []
    if marker := _write_marker(settings, plugin):
        imports, text = ["import pytest", "", *imports] if imports else ["import pytest"], marker + text
    return "\n".join([*imports, "", "", text]) if imports else text


def _write_marker(settings: Settings | None, plugin: str) -> str:
    if settings is None or not (settings.values or settings.variables):
        return ""
    given: list[str] = []
    if settings.values:
        config = {"plugins": {"entries": {plugin: {"settings": dict(settings.values)}}}}
        given.append(f"config={config!r}")
    if settings.variables:
        env = {name: name if name in settings.secrets else value for name, value in settings.variables.items()}
        given.append(f"env={env!r}")
    return f"@pytest.mark.hermes({', '.join(given)})\n"


_Script = tuple[Sequence[Answer], Sequence[Answer]]


def _parse(attempt: Attempt, left: int) -> _Script:
    """Return what is added to the model's script, of which some answers may be left from the turn before."""
    if attempt.kind not in ("chat", "receive") or attempt.name.startswith("/"):
        return (), ()
    main, aux = attempt.answers()
    return main if main or left > 0 else (Answer("ok"),), aux


def _write_script(script: _Script, host: str) -> list[str]:
    lanes = ((f"{host}.llm", script[0]), (f"{host}.llm.aux", script[1]))
    return [f"    {lane}.script({_write_answers(answers)})" for lane, answers in lanes if answers]


def _write_step(attempt: Attempt, action: Action | None) -> list[str]:
    """Write the lines that do something, and expect what came of it if that is given."""
    done, path = _write_call(attempt.kind, attempt.name, attempt.arguments)
    if action is None:
        return [f"    {done}"]
    value = action["value"]
    expected = [one["text"] for one in value] if attempt.kind == "receive" else value[path] if path else value
    return [f"    assert {done} == {expected!r}"]


def _write_call(kind: str, name: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
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
            return f"hermes.memory.setup({dict(arguments)!r}).exit_code", "exit_code"
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


def write_command(attempt: Attempt, *, path: str, host: HostKind, release: str) -> str:
    """Write the command of a terminal that does the same; its kind has to be one of `COMMANDS`."""
    kind, name, arguments, script = attempt
    verb = COMMANDS[kind]
    given = ["--args", json.dumps(arguments, ensure_ascii=False)] if kind in ("call", "fire") else []
    options = ["--plugin", path, *(["--host", host] if host != "embedded" else []), "--release", release]
    # A file without a name, as bash and zsh have it.
    answers = f" --script <(printf %s {shlex.quote(script)})" if script.strip() else ""
    return f"{shlex.join(['hermes-sdk', verb, *given, *options])}{answers} -- {shlex.quote(name)}"
