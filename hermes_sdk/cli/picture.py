"""Traces and comparisons of traces, formatted for a terminal. Only commands that print one import this module."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from hermes_sdk import terminal
from hermes_sdk.contract import format_release
from hermes_sdk.traces import Difference, Event, Replay, Trace, format_value
from hermes_sdk.traces.timeline import find_indents

_STYLES = {
    "hook": "cyan",
    "middleware": "magenta",
    "tool": "green",
    "llm_request": "yellow",
    "ctx_llm": "yellow",
    "http_request": "yellow",
    "command": "green",
    "cli_command": "green",
    "memory": "blue",
    "context_engine": "blue",
    "shell_hook": "cyan",
    "log": "dim",
}
_NAMES = {"llm_request": "model", "ctx_llm": "ctx.llm", "http_request": "http"}

# Arguments to omit: those of nearly every event, and those too long for one line. IDs are omitted too.
_LEFT_OUT = frozenset(
    {
        "api_call_count",
        "api_duration",
        "api_mode",
        "approx_input_tokens",
        "assistant_message",
        "base_url",
        "conversation_history",
        "ended_at",
        "max_tokens",
        "message_count",
        "middleware_schema_version",
        "middleware_trace",
        "model",
        "next_call",
        "original_args",
        "original_request",
        "platform",
        "provider",
        "request",
        "request_char_count",
        "request_messages",
        "response",
        "response_model",
        "started_at",
        "telemetry_schema_version",
        "usage",
        "user_message",
        "user_task",
    }
)
_MAIN = "MainThread"
_DIFFERENCES = 50


def print_trace(trace: Trace) -> None:
    """Print the ordered events, one per line, with the messages of user and agent."""
    console = terminal.console()
    console.print(Text.assemble((trace.scenario, "bold"), (f"  on {_name_host(trace)}", "dim")))
    print_events(trace.events)
    for problem in trace.problems:
        console.print(Text.assemble("\n", ("✗ ", "bold red"), problem))


def _name_host(trace: Trace) -> str:
    """Format the host of a trace, and the form of each plugin that has several."""
    forms = "".join(f" with {name} as a {form}" for name, form in trace.forms.items())
    return f"{trace.host} {format_release(trace.release, trace.host)}{forms}"


def print_events(events: Sequence[Event]) -> None:
    """Print the ordered events of a trace, one per line."""
    console = terminal.console()
    for line in _format_events(events, console.width):
        console.print(line, overflow="ellipsis", no_wrap=True)


def _format_events(events: Sequence[Event], width: int) -> Iterator[Text]:
    yield from _format_registrations(events)
    called = [event for event in events if event["kind"] != "register"]
    indents = list(find_indents(called))
    numbers = len(str(len(events)))
    kinds = max((len(_name_kind(event)) for event in called), default=0)
    names = max((2 * indent + len(event["name"]) for event, indent in zip(called, indents, strict=True)), default=0)
    turn: Event | None = None
    thread = _MAIN
    for event, indent in zip(called, indents, strict=True):
        if turn is not None and event["thread"] == _MAIN and event["depth"] == 0:
            yield from _format_reply(turn)
            turn = None
        if event["kind"] == "turn":
            turn = event
            yield Text.assemble("\n", ("❯ ", "bold green"), (event["arguments"]["text"], "bold"))
            continue
        if event["thread"] not in (thread, "", _MAIN):
            yield Text(f"{'':{numbers + 2}}{event['thread']}", style="dim italic")
        thread = event["thread"] or thread
        head = _format_head(event, indent, numbers, kinds, names)
        yield head + _format_values(event, width - len(head))
    if turn is not None:
        yield from _format_reply(turn)


def _format_registrations(events: Sequence[Event]) -> Iterator[Text]:
    counted = Counter(event["name"].removeprefix("register_") for event in events if event["kind"] == "register")
    told = [f"{name.replace('_', ' ')} {count}" for name, count in counted.items()]
    if told:
        yield Text.assemble(("registered  ", "dim"), ", ".join(told))


def _format_reply(turn: Event) -> Iterator[Text]:
    if raised := turn.get("raised"):
        yield Text.assemble(("❮ ", "bold red"), (_format_on_line(raised), "red"))
    elif (reply := turn.get("returned")) is not None:
        yield Text.assemble(("❮ ", "bold green"), _format_on_line(reply))


def _format_head(event: Event, indent: int, numbers: int, kinds: int, names: int) -> Text:
    return Text.assemble(
        (f"{event['order']:>{numbers}}  ", "dim"),
        (f"{_name_kind(event):<{kinds}}  ", _STYLES.get(event["kind"], "")),
        f"{'  ' * indent}{event['name']:<{names - 2 * indent}}  ",
    )


def _format_values(event: Event, room: int) -> Text:
    """Format input and result of an event; a long input is truncated, but keeps at least half of the room."""
    told = Text(_describe_event(event), style="yellow" if event["kind"] == "log" else "dim")
    ending = Text.assemble(*_format_result(event))
    told.truncate(max(room - len(ending), room // 2), overflow="ellipsis")
    return told + ending


def _name_kind(event: Event) -> str:
    kind: str = event["kind"]
    return _NAMES.get(kind, kind.replace("_", " "))


def _describe_event(event: Event) -> str:
    """Describe the input of an event, to distinguish it from other events with the same name."""
    arguments = event.get("arguments", {})
    if event["kind"] == "llm_request":
        return " ".join(str(message.get("role")) for message in arguments.get("messages", ()))
    if event["kind"] == "log":
        return _format_on_line(event["message"])
    if event["kind"] == "http_request":
        return _format_on_line(" ".join([arguments["url"].partition("?")[2], _format_body(arguments["body"])]))
    told = {
        name: value
        for name, value in arguments.items()
        if name not in _LEFT_OUT and not name.endswith("_id") and value not in (None, "", [])
    }
    # Print the tool and its arguments without their names.
    plain = [_format_on_line(told.pop(name)) for name in ("tool_name", "args") if name in told]
    return " ".join([*plain, *(f"{name}={_format_on_line(value)}" for name, value in told.items())])


def _format_result(event: Event) -> Iterator[tuple[str, str]]:
    if raised := event.get("raised"):
        yield f"  ✗ {_format_on_line(raised)}", "red"
    elif event["kind"] == "llm_request":
        yield f"  → {_describe_answer(event['returned'])}", "bold"
    elif (returned := event.get("returned")) is not None and not _is_object(returned):
        if event["kind"] == "http_request":
            returned = f"{returned['status']} {_format_body(returned['body'])}"
        yield f"  → {_format_on_line(returned)}", "bold"


def _format_body(body: Any) -> str:
    return body if isinstance(body, str) else "(bytes)"


def _describe_answer(answer: Any) -> str:
    if answer["status"] is not None:
        return f"status {answer['status']}: {answer['error']}"
    calls = [f"{call['name']}({call['arguments']})" for call in answer["tool_calls"]]
    return " ".join(filter(None, [_format_on_line(answer["text"] or ""), *calls]))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and "__type__" in value


def _format_on_line(value: Any) -> str:
    """Format a value on one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())


def print_comparison(left: Trace, right: Trace, differences: Sequence[Difference]) -> None:
    """Print the differences of two traces, event by event."""
    console = terminal.console()
    names = [_name_host(one) for one in (left, right)]
    for trace, name in zip((left, right), names, strict=True):
        for problem in trace.problems:
            console.print(Text.assemble(("✗ ", "bold red"), (f"{name}: ", "bold"), problem))
    if not differences:
        console.print(f"{left.scenario}: {names[0]} and {names[1]} show the same {len(left.events)} events")
        return
    console.print(
        Text.assemble((left.scenario, "bold"), "  ", (f"- {names[0]}", "red"), "  ", (f"+ {names[1]}", "green"))
    )
    event = None
    for one in differences[:_DIFFERENCES]:
        if (one.thread, one.orders) != event:
            event = one.thread, one.orders
            console.print(_heading(one))
        if one.path:
            console.print(Text(f"  {one.path}"))
            console.print(Text(f"  - {format_value(one.left)}", style="red"))
            console.print(Text(f"  + {format_value(one.right)}", style="green"))
    if len(differences) > _DIFFERENCES:
        console.print(f"\n… and {len(differences) - _DIFFERENCES} more differences")


def print_replay(name: str, replayed: Replay) -> None:
    """Print whether a replay is equal to its recording, or its first divergence."""
    console = terminal.console()
    played = replayed.played
    host = _name_host(played)
    if replayed.is_equal:
        console.print(f"{name}: {host} shows the same {len(played.events)} events")
        return
    diverges = replayed.differences and not replayed.unsupported
    verb = "diverges " if diverges else ""
    console.print(Text.assemble((name, "bold"), f"  {host}  ", (f"{verb}{replayed.reason}", "bold red")))
    if diverges:
        first = replayed.differences[0]
        if first.path:
            console.print(Text(f"  {first.path}"))
            console.print(Text(f"  - {format_value(first.left)}", style="red"))
            console.print(Text(f"  + {format_value(first.right)}", style="green"))
        if others := len(replayed.differences) - 1:
            console.print(f"  … and {others} more {'difference' if others == 1 else 'differences'}; --json prints all")
        for problem in replayed.problems:
            console.print(Text.assemble(("✗ ", "bold red"), problem))


def print_replays(name: str, replays: Sequence[Replay], first: Replay | None) -> None:
    """Print a line for each release, and the first one that diverges."""
    console = terminal.console()
    hosts = [_name_host(one.played).removeprefix(f"{one.played.host} ") for one in replays]
    width = max(map(len, hosts))
    for one, host in zip(replays, hosts, strict=True):
        mark, style = ("✓", "green") if one.is_equal else ("✗", "red")
        reason = _format_on_line(one.reason) or "the same"
        line = Text.assemble((f"{mark} ", style), f"{host:<{width}}", "  ", (reason, "" if one.is_equal else "red"))
        console.print(line, overflow="ellipsis", no_wrap=True)
    if first is not None:
        forms = "".join(f" with {plugin} as a {form}" for plugin, form in first.played.forms.items())
        where = f"{name} first diverges on {first.played.release}{forms}"
        console.print(Text.assemble("\n", (where, "bold"), ", " if first.differences else ": ", first.reason))


def _heading(one: Difference) -> Text:
    left, right = one.orders
    thread = f"  [{one.thread}]" if one.thread not in ("", _MAIN) else ""
    if left is None or right is None:
        sign, style = ("+", "green") if left is None else ("-", "red")
        return Text(f"\n{sign} {one.event}  {left or right}{thread}", style=style)
    return Text.assemble(
        "\n", (one.event, "bold"), (f"  {left}" + (f"/{right}" if right != left else "") + thread, "dim")
    )
