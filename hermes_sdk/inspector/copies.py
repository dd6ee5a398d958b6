"""What an author can paste: an action as a test, and as a command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.inspection import Action
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.llm import Answer, ToolCall
from hermes_sdk.traces import parse_script


def write_test(kind: str, name: str, arguments: Mapping[str, Any], action: Action, *, script: str = "") -> str:
    """Write a test that does the same and expects the same.

    Args:
        kind: ``call``, ``fire``, ``command`` or ``chat``.
        name: The tool, the hook, the line or the message.
        arguments: Those of the tool or the hook.
        action: What came of it.
        script: What the model answered in a chat, as YAML.
    """
    value = action["value"]
    word = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or kind
    lines = [f"def test_{word}(hermes):"]
    lines += [f"    hermes.expect_swallowed(match={re.escape(one['error'])!r})" for one in action["swallowed"]]
    if kind == "call":
        lines.append(f"    assert hermes.call_tool({name!r}, {arguments!r}).text == {value['text']!r}")
    elif kind == "fire":
        lines.append(f"    assert hermes.fire({name!r}, **{arguments!r}) == {value!r}")
    elif kind == "command":
        lines.append(f"    assert hermes.command({name!r}) == {value!r}")
    else:
        main, aux = parse_script(script) if script.strip() else ((Answer("ok"),), ())
        lines += [f"    hermes.llm.script({_write_answers(main)})"]
        lines += [f"    hermes.llm.aux.script({_write_answers(aux)})"] if aux else []
        lines.append(f"    assert hermes.chat({name!r}).reply == {value['reply']!r}")
        lines[:0] = ["from hermes_sdk.testing import call, fail, interrupt, say", "", ""]
    return "\n".join(lines) + "\n"


def _write_answers(answers: Sequence[Answer]) -> str:
    return ", ".join(map(_write_answer, answers))


def _write_answer(answer: Answer) -> str:
    if answer.interrupts:
        return "interrupt()"
    if answer.status is not None:
        return f"fail({answer.status!r}, {answer.error!r})"
    further = {name: getattr(answer, name) for name in ("reasoning", "usage", "finish_reason")}
    parts = [repr(answer.text or ""), *map(_write_call, answer.tool_calls)]
    parts += [f"{name}={value!r}" for name, value in further.items() if value is not None]
    return f"say({', '.join(parts)})"


def _write_call(one: ToolCall) -> str:
    try:
        arguments = parse_json(one.arguments)
    except ValueError:
        arguments = one.arguments
    return f"call({one.name!r}, {arguments if isinstance(arguments, dict) else one.arguments!r})"


def write_command(
    kind: str,
    name: str,
    arguments: Mapping[str, Any],
    *,
    path: str,
    host: HostKind,
    release: str,
    script: str = "",
) -> str:
    """Write the command of a terminal that does the same; the other arguments are those of `write_test`."""
    verb = "chat" if kind == "command" else kind
    given = ["--args", json.dumps(arguments, ensure_ascii=False)] if kind in ("call", "fire") else []
    options = ["--plugin", path, *(["--host", host] if host != "embedded" else []), "--release", release]
    # A file without a name, as bash and zsh have it.
    answers = f" --script <(printf %s {shlex.quote(script)})" if script.strip() else ""
    return f"{shlex.join(['hermes-sdk', verb, *given, *options])}{answers} -- {shlex.quote(name)}"
