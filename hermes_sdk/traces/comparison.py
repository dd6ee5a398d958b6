"""Differences between two traces, thread by thread.

Some values and texts differ between the two kinds of hosts. `differences.toml` lists them, and comparisons of the
embedded host with the real one ignore them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from hermes_sdk.documents import parse_toml
from hermes_sdk.traces.own_texts import DIFFERENCES, name_own_texts
from hermes_sdk.traces.trace import Event, Trace, is_typing

# The comparison uses the positions of events instead of these fields.
_NOT_COMPARED = frozenset({"order", "t", "end"})

_NOTHING: Any = object()


@dataclass(frozen=True)
class ExpectedDifference:
    """Value that may differ between an embedded and a real host.

    Attributes:
        key: The key of the value, in any mapping of an event.
        seen_in: A scenario of the conformance suite whose traces differ in the value.
        beside: Other items that the mapping must have, such as ``{"role": "system"}``; a list matches any of its
            values.
        since: The first release on which the hosts differ.
        event: The event with the value, such as ``context engine should_compress``; any event if empty.
    """

    key: str
    seen_in: str
    why: str
    beside: Mapping[str, Any] = field(default_factory=dict[str, Any])
    since: str = ""
    event: str = ""

    def covers(self, key: str, mapping: Mapping[str, Any]) -> bool:
        """Return whether the value of a key in a mapping of a matching event may differ."""
        return key == self.key and all(
            mapping.get(name, _NOTHING) in (value if isinstance(value, list) else [value])
            for name, value in self.beside.items()
        )


@dataclass(frozen=True)
class Difference:
    """A difference between two traces.

    Attributes:
        event: The event, such as ``hook pre_llm_call``.
        orders: The numbers of the event in the left and the right trace; None if it is missing.
        path: The path in the event, such as ``arguments.request.messages[0].content``; empty for a missing event.
        left: The left value; None for a missing event.
        right: The right value.
    """

    thread: str
    event: str
    orders: tuple[int | None, int | None]
    path: str = ""
    left: Any = None
    right: Any = None

    def as_json(self) -> dict[str, Any]:
        """Return the difference in the format ``hermes-sdk.trace-comparison/1``, without the key of a missing value."""
        sides = {"left": self.left, "right": self.right} if self.path else {}
        there = {side: value for side, value in sides.items() if value is not _NOTHING}
        about = {"thread": self.thread, "event": self.event, "orders": list(self.orders), "path": self.path}
        return {**about, **there}


@cache
def expected_differences() -> tuple[ExpectedDifference, ...]:
    """Return the values that may differ between the embedded host and the real one."""
    return tuple(ExpectedDifference(**one) for one in parse_toml(DIFFERENCES.read_text(encoding="utf-8"))["may_differ"])


def compare(left: Trace, right: Trace, expected: Sequence[ExpectedDifference] | None = None) -> list[Difference]:
    """Compare two normalised traces; between the two kinds of hosts, differences in wording are ignored.

    Args:
        right: Another trace.
        expected: Differences to ignore. Default: `expected_differences` for different kinds of hosts, otherwise none.

    Returns:
        The differences, thread by thread, in the order of events.
    """
    if expected is None:
        expected = expected_differences() if left.host != right.host else ()
    lanes = _lanes(left), _lanes(right)
    if left.host != right.host:
        lanes = name_own_texts(lanes[0]), name_own_texts(lanes[1])
    threads = dict.fromkeys([*lanes[0], *lanes[1]])
    return [
        difference
        for thread in threads
        for difference in _compare(thread, lanes[0].get(thread, []), lanes[1].get(thread, []), expected)
    ]


def compared_events(trace: Trace) -> dict[str, list[dict[str, Any]]]:
    """Group the events by thread, reduced to the parts that are compared with another kind of host."""
    return {
        thread: [_without(_rules_about(_name(event), expected_differences()), _drop_ignored(event)) for event in events]
        for thread, events in name_own_texts(_lanes(trace)).items()
    }


def _rules_about(name: str, expected: Sequence[ExpectedDifference]) -> list[ExpectedDifference]:
    return [rule for rule in expected if rule.event in ("", name)]


def _without(rules: Sequence[ExpectedDifference], value: Any) -> Any:
    """Return a value without the parts that rules cover."""
    if isinstance(value, list):
        return [_without(rules, item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: item for key, item in value.items() if not any(rule.covers(key, value) for rule in rules)}
    return {key: _without(rules, item) for key, item in kept.items()}


def _drop_ignored(event: Event) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in _NOT_COMPARED}


def _lanes(trace: Trace) -> dict[str, list[Event]]:
    """Group the events by thread; parallel calls in a thread pool are grouped by tool call."""
    lanes: dict[str, list[Event]] = {}
    for event in trace.events:
        if is_typing(event):
            continue
        arguments = event.get("arguments")
        call = arguments.get("tool_call_id") if isinstance(arguments, dict) else None
        lane = f"{event['thread']} {call}" if event["thread"] not in ("MainThread", "") and call else event["thread"]
        lanes.setdefault(lane, []).append(event)
    return lanes


def _compare(
    thread: str, left: Sequence[Event], right: Sequence[Event], expected: Sequence[ExpectedDifference]
) -> Iterator[Difference]:
    names = [_name(event) for event in left], [_name(event) for event in right]
    for _, start, end, other_start, other_end in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        ours, theirs = left[start:end], right[other_start:other_end]
        if names[0][start:end] == names[1][other_start:other_end]:
            for one, other in zip(ours, theirs, strict=True):
                yield from _compare_events(thread, one, other, expected)
            continue
        yield from (Difference(thread, _name(one), (one["order"], None)) for one in ours)
        yield from (Difference(thread, _name(one), (None, one["order"])) for one in theirs)


def _name(event: Event) -> str:
    return f"{event['kind'].replace('_', ' ')} {event['name']}"


def _compare_events(
    thread: str, left: Event, right: Event, expected: Sequence[ExpectedDifference]
) -> Iterator[Difference]:
    name = _name(left)
    about = _rules_about(name, expected)
    for path, one, other in _differing("", _drop_ignored(left), _drop_ignored(right), about):
        yield Difference(thread, name, (left["order"], right["order"]), path, one, other)


def _differing(
    path: str, left: Any, right: Any, expected: Sequence[ExpectedDifference]
) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in dict.fromkeys([*left, *right]):
            one, other = left.get(key, _NOTHING), right.get(key, _NOTHING)
            missing = one is _NOTHING or other is _NOTHING
            if missing or not any(rule.covers(key, left) and rule.covers(key, right) for rule in expected):
                yield from _differing(f"{path}.{key}".lstrip("."), one, other, expected)
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _differing(f"{path}[{number}]", one, other, expected)
    elif type(left) is not type(right) or not (left == right or _are_nan(left, right)):
        yield path, left, right


def _are_nan(*values: Any) -> bool:
    return all(isinstance(value, float) and math.isnan(value) for value in values)


def format_value(value: Any, limit: int = 200) -> str:
    """Format a value of a difference as one line of text."""
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
