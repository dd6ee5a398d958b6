"""Timeline of a trace as text of bounded length, for `hermes-sdk view --text`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hermes_sdk import contract
from hermes_sdk.errors import UsageError
from hermes_sdk.terminal import format_count
from hermes_sdk.traces import Event, Trace
from hermes_sdk.traces.timeline import Row, Timeline, make_timeline
from hermes_sdk.traces.timeline.page import format_value, summarize

_LINES, _WIDEST = 60, 300
"""Maximum number of lines of a list, and of characters per line."""

_LONGEST = 3_000
"""Maximum number of characters of a value."""

_BLOCKING = ("blocked", "asked")
_CHANGING = ("answered", "blocked", "decided", "injected", "rewrote")


def read_timeline(trace: Trace) -> Timeline:
    """Return the timeline of a trace, as on the page of `hermes-sdk view`."""
    return make_timeline(trace.events, contract.load_closest(trace.release))


def format_timeline(trace: Trace) -> Iterator[str]:
    """Yield the lines about the effects of plugins in a run, and about its events."""
    timeline = read_timeline(trace)
    yield f"{trace.scenario} on the {trace.host} host, Hermes {contract.format_release(trace.release, trace.host)}"
    yield from _truncate([f"Problem: {summarize(problem)}" for problem in trace.problems])
    if timeline.stack:
        yield "\nWho did what"
        yield from _truncate([_format_step(timeline, step) for step in timeline.stack])
    registrations = [row for row in timeline.rows if row.event["kind"] == "register"]
    events = [_format_row(row) for row in timeline.rows if row.event["kind"] != "register"]
    yield f"\n{format_count(len(events), 'event')} after {format_count(len(registrations), 'registration')}"
    yield from _truncate(events)


def explain_block(timeline: Timeline, tool: str) -> Iterator[str]:
    """Yield lines about the callbacks that blocked calls of a tool.

    Raises:
        UsageError: The trace has no call of the tool.
    """
    steps = [step for step in timeline.stack if step[2] == tool]
    blocked = [step for step in steps if any(_has_effect(row, _BLOCKING) for row in _list_callbacks(step))]
    ran = [row for row in timeline.rows if row.event["kind"] in ("tool", "builtin_tool") and row.event["name"] == tool]
    if not steps and not ran:
        called = {row.event["name"] for row in timeline.rows if row.event["kind"] in ("tool", "builtin_tool")}
        known = ", ".join(sorted(called | {step[2] for step in timeline.stack} - {""})) or "none"
        raise UsageError(f"The trace has no call of the tool {tool!r}.", fix=f"The called tools are: {known}.")
    if not blocked:
        yield f"No plugin blocked {tool}. {format_count(len(ran), 'call')} ran:"
        yield from _truncate([_format_row(row) for row in ran])
        return
    yield f"Plugins stopped {format_count(len(blocked), 'call')} of {tool}:"
    yield from _truncate([line for step in blocked for line in _explain(timeline, step)])


def explain_changes(timeline: Timeline, message: str) -> Iterator[str]:
    """Yield lines about the callbacks that changed a value that contains a text.

    Raises:
        UsageError: No event contains the text.
    """
    containing = [row for row in timeline.rows if _contains(row, message)]
    if not containing:
        raise UsageError(f"No event of the trace contains {message!r}.", fix="Pass an exact part of the message.")
    changes = [row for row in containing if _has_effect(row, _CHANGING)]
    if changes:
        yield f"Plugins changed text that contains {message!r}:"
        yield from _truncate([line for row in changes for line in _explain_row(row)])
    else:
        yield f"No plugin changed text that contains {message!r}. These events contain it:"
        yield from _truncate([_format_row(row) for row in containing])


def format_event(timeline: Timeline, order: int) -> Iterator[str]:
    """Yield lines with all values of an event, shortened.

    Args:
        order: The number of the event in the trace.

    Raises:
        UsageError: The trace has no such event.
    """
    row = next((row for row in timeline.rows if row.event.get("order") == order), None)
    if row is None:
        raise UsageError(f"The trace has no event {order}.", fix=f"Pass a number from 1 to {len(timeline.rows)}.")
    yield _format_row(row).strip()
    if row.effect:
        yield f"{row.effect.verb}: {summarize(row.effect.text)}"
    took = "" if row.milliseconds is None else f", {row.milliseconds:.3g} ms"
    yield f"{row.event.get('callback', '')} in the thread {row.event['thread']}{took}".strip()
    yield from (f"{label}: event {timeline.rows[at].event['order']}" for label, at in row.links)
    for key in ("arguments", "message", "returned", "raised"):
        if key in row.event:
            text = format_value(row.event[key])
            cut = f"{text[:_LONGEST]}… ({len(text)} characters)" if len(text) > _LONGEST else text
            yield f"\n{key}\n  " + cut.replace("\n", "\n  ")


def _format_row(row: Row) -> str:
    event = row.event
    said = _read_argument(event, "text") if event["kind"] in ("turn", "message") else event.get("message")
    result = f"raised {summarize(event['raised'])}" if "raised" in event else ""
    if not result and event.get("returned") is not None:
        result = f"→ {summarize(event['returned'])}"
    parts = (event["kind"], event["name"], row.plugin, row.effect and row.effect.verb, said and summarize(said), result)
    return f"{event['order']:>5}  {'  ' * row.indent}{' '.join(filter(None, parts))}"


def _format_step(timeline: Timeline, step: tuple[int, str, str, Mapping[str, Sequence[Row]]]) -> str:
    at, name, subject, _ = step
    verbs = ", ".join(f"{row.plugin} {row.effect.verb}" for row in _list_callbacks(step) if row.effect)
    return f"{timeline.rows[at].event['order']:>5}  {f'{name} {subject}'.strip()}: {verbs}"


def _explain(timeline: Timeline, step: tuple[int, str, str, Mapping[str, Sequence[Row]]]) -> Iterator[str]:
    first = timeline.rows[step[0]].event
    yield f"{step[1]} of {step[2]} with {summarize(_read_argument(first, 'args'))}"
    for row in _list_callbacks(step):
        yield from _explain_row(row)


def _explain_row(row: Row) -> Iterator[str]:
    did = f"{row.effect.verb}: {summarize(row.effect.text)}" if row.effect else "did nothing"
    yield f"{row.event['order']:>5}  {row.event['name']} {row.plugin} {did}"
    yield f"       {row.event.get('callback', '')}"


def _list_callbacks(step: tuple[int, str, str, Mapping[str, Sequence[Row]]]) -> Iterator[Row]:
    return (row for rows in step[3].values() for row in rows)


def _has_effect(row: Row, verbs: Iterable[str]) -> bool:
    return row.effect is not None and row.effect.verb in verbs


def _contains(row: Row, text: str) -> bool:
    values: list[Any] = [row.event.get("arguments"), row.event.get("returned"), row.event.get("message")]
    return json.dumps(text, ensure_ascii=False)[1:-1] in json.dumps(values, ensure_ascii=False)


def _read_argument(event: Event, name: str) -> Any:
    arguments = event.get("arguments")
    return arguments.get(name) if isinstance(arguments, dict) else None


def _truncate(lines: Sequence[str]) -> Iterator[str]:
    yield from (line if len(line) <= _WIDEST else f"{line[:_WIDEST]}…" for line in lines[:_LINES])
    if len(lines) > _LINES:
        yield f"… and {len(lines) - _LINES} more lines; `--event N` shows an event"
