"""Traces: the events of one run, as JSON Lines with the schema ``hermes-sdk.trace/1``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NotRequired, TypedDict

from hermes_sdk.contract import grade
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.manifest import Form
from hermes_sdk.traces.normalisation import Normaliser

SCHEMA = "hermes-sdk.trace/1"

Event = Mapping[str, Any]

_NO_CALLBACKS = frozenset({"builtin_tool", "ctx_llm", "shell_hook", "turn"})
_POINTS = frozenset({"http_request", "register", "llm_request", "log", "message"})
_TYPING = frozenset({"send_typing", "stop_typing"})
_NEVER = 1 << 63


def is_typing(event: Event) -> bool:
    """Return whether an event is a typing indicator, which adapters send concurrently during a turn."""
    return event["kind"] == "adapter" and event["name"] in _TYPING


class Header(TypedDict):
    """The first line of a trace; all other lines are events."""

    schema: str
    host: HostKind
    release: str
    grade: str | None
    scenario: str
    normalised: bool
    problems: list[str]
    rerun: NotRequired[bool]
    reason: NotRequired[str | None]
    forms: NotRequired[Mapping[str, Form]]
    observed: NotRequired[bool]
    recording: NotRequired[Mapping[str, Any]]


@dataclass(frozen=True)
class Trace:
    """The events of a run.

    Attributes:
        scenario: The name of the scenario file.
        events: The events, ordered by their start, each with ``order``, ``kind``, ``name``, ``thread``,
            ``depth`` (the number of open calls of its thread), ``arguments``, and ``returned`` or ``raised``.
        problems: The reasons why the run ended early, and the unused answers of the script.
        normalised: Whether values that differ between runs have been replaced.
        observed: Whether the run was a command of the user instead of a scenario.
        recording: The scenario that replays the run, in the form of ``scenario.schema.json``; None for a trace that
            cannot be replayed.
        reason: The features that the run needed but the embedded host does not model; None for a recording.
        rerun: Whether it is a second run, on the real host.
        forms: The names of plugins with several forms -> the form in which they were loaded.
    """

    host: HostKind
    release: str
    scenario: str
    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()
    normalised: bool = False
    observed: bool = False
    recording: Mapping[str, Any] | None = None
    reason: str | None = None
    rerun: bool = False
    forms: Mapping[str, Form] = field(default_factory=dict)

    @classmethod
    def of(cls, recorded: Sequence[Event], **about: Any) -> Trace:
        """Create a trace from the events of a host.

        Args:
            recorded: The value of `Host.events`.
            **about: The other attributes.
        """
        return cls(events=tuple(_order_events(recorded)), **about)

    def normalise(self, places: Mapping[str, str]) -> Trace:
        """Replace values that differ between runs: ids, times, ports, addresses and paths.

        Args:
            places: Path -> the name that replaces it, such as ``{"/tmp/x": "<home>"}``.
        """
        normal = Normaliser(places)
        events = tuple(normal.event(event) for event in self.events)
        problems = tuple(normal.text(problem) for problem in self.problems)
        reason = normal.text(self.reason) if self.reason else None
        return replace(self, events=events, problems=problems, reason=reason, normalised=True)

    def lines(self) -> Iterator[str]:
        """Yield the trace as JSON Lines, without line endings."""
        header: Header = {
            "schema": SCHEMA,
            "host": self.host,
            "release": self.release,
            "grade": grade(self.release),
            "scenario": self.scenario,
            "normalised": self.normalised,
            "problems": list(self.problems),
        }
        if self.forms:
            header["forms"] = self.forms
        if self.observed:
            header["observed"] = True
        if self.recording is not None:
            header["recording"] = self.recording
        else:
            header["rerun"], header["reason"] = self.rerun, self.reason
        yield json.dumps(header, ensure_ascii=False)
        yield from (json.dumps(event, ensure_ascii=False) for event in self.events)


def _order_events(recorded: Sequence[Event]) -> Iterator[dict[str, Any]]:
    """Yield the events with their number and their depth, the number of open calls of their thread."""
    open_calls: dict[str, list[int]] = {}
    for order, event in enumerate(recorded, 1):
        ends = open_calls.setdefault(event["thread"], [])
        while ends and ends[-1] < event["t"]:
            ends.pop()
        # Events of the host itself and of the scenario have no callback of a plugin.
        about = {key: value for key, value in event.items() if key != "callback" or event["kind"] not in _NO_CALLBACKS}
        yield {"order": order, "depth": len(ends), **about}
        if event["kind"] not in _POINTS and not is_typing(event):
            # A call that has not ended contains all later events.
            ends.append(event.get("end", _NEVER))
