"""Calls of a turn that repeat with the same result: notes about them, and references in the place of long results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.wording import Wording

_NOTED_AFTER = 3
_LONGEST_CYCLE = 4
_MOST_CALLS = 64
_REFERENCED_FROM = 512
_LONGEST_ARGUMENTS = 120
_POLLING_SUFFIXES = ("_get_result", "_poll")


class Repetition(NamedTuple):
    """What the host makes of a call.

    `note` follows the result and `reference` replaces it, each unless empty. The last calls ran so many `times`.
    """

    note: str = ""
    reference: str = ""
    times: int = 1


class _Call(NamedTuple):
    tool: str
    digest: str
    result: str


class IdenticalCalls:
    """Watches the calls of one turn."""

    def __init__(self, behaviour: Behaviour, wording: Wording) -> None:
        self._finds_cycles = behaviour.repeated_calls_watched
        self._wording = wording
        self._calls: list[_Call] = []
        self._count = 0
        self._first_id = ""

    def observe(self, tool: str, args: Mapping[str, Any], digest: str, result: str, call_id: str) -> Repetition:
        """Add a call; `digest` is that of its arguments, and the result is in a form that can be compared."""
        call = _Call(tool, digest, result)
        if self._calls and self._calls[-1] == call:
            self._count += 1
        else:
            self._count, self._first_id = 1, call_id
        self._calls = [*self._calls, call][-_MOST_CALLS:]
        reference = self._refer(tool, args) if self._count > 1 else ""
        if not _is_poller(tool) and self._count >= _NOTED_AFTER:
            note = self._wording("tool_loop.identical", tool=tool, ordinal=_format_ordinal(self._count))
            return Repetition(note, reference, self._count)
        for period in range(2, _LONGEST_CYCLE + 1) if self._finds_cycles else ():
            laps = self._count_laps(period)
            if laps >= _NOTED_AFTER and not all(_is_poller(one.tool) for one in self._calls[-period:]):
                note = self._wording("tool_loop.cycle", tool=tool, count=laps, period=period)
                return Repetition(note, reference, laps)
        return Repetition("", reference, self._count)

    def interrupt(self) -> None:
        """Begin anew, as after a result that is not a text."""
        self._calls.clear()

    def _count_laps(self, period: int) -> int:
        last, laps = self._calls[-period:], 1
        while self._calls[-period * (laps + 1) : -period * laps] == last:
            laps += 1
        return laps

    def _refer(self, tool: str, args: Mapping[str, Any]) -> str:
        text = json.dumps(args, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
        shown = text if len(text) <= _LONGEST_ARGUMENTS else f"{text[:_LONGEST_ARGUMENTS]}…"
        place = f" (tool_call_id {self._first_id})" if self._first_id else ""
        return self._wording("tool_loop.reference", tool=tool, place=place, args=shown)


def is_referenced(result: str) -> bool:
    """Tell whether a result is long enough for a reference to take its place."""
    return len(result) >= _REFERENCED_FROM


def _is_poller(tool: str) -> bool:
    return tool == "process_manage" or tool.endswith(_POLLING_SUFFIXES)


def _format_ordinal(number: int) -> str:
    teen = 11 <= number % 100 <= 13
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
