"""Warnings about tool calls that repeat without progress (settings: ``tool_loop_guardrails``).

Hermes blocks calls and ends turns after more repetitions, which is not modelled.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.builtins.tool import CallsEnded, to_int
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.results import find_failure, is_file_change
from hermes_sdk.hosts.embedded.wording import Wording

_MIN_REPETITIONS = 3
_MAX_PERIOD = 4
_MAX_CALLS = 64
_MIN_REFERENCED = 512
_MAX_ARGUMENTS = 120
_POLLING_SUFFIXES = ("_get_result", "_poll")
_READS = frozenset(
    {
        "browser_console",
        "browser_get_images",
        "browser_snapshot",
        "mcp_filesystem_directory_tree",
        "mcp_filesystem_get_file_info",
        "mcp_filesystem_list_directory",
        "mcp_filesystem_list_directory_with_sizes",
        "mcp_filesystem_read_file",
        "mcp_filesystem_read_multiple_files",
        "mcp_filesystem_read_text_file",
        "mcp_filesystem_search_files",
        "read_file",
        "search_files",
        "session_search",
        "web_extract",
        "web_search",
    }
)
"""Read-only tools: the same answer to the same call is not progress."""
_SKILL_READS = frozenset({"skill_view", "skills_list"})
_FAILURE_TOLERANT = frozenset(
    {"browser_navigate", "execute_code", "process", "process_manage", "terminal", "web_extract"}
)
"""Tools without a limit for failures with different arguments."""
_PROGRESS = frozenset(
    {
        "browser_click",
        "browser_navigate",
        "browser_press",
        "browser_type",
        "cronjob",
        "cronjob_manage",
        "delegate_task",
        "execute_code",
        "memory",
        "patch",
        "process",
        "process_manage",
        "send_message",
        "skill_manage",
        "terminal",
        "todo",
        "todo_list",
        "write_file",
    }
)
"""Tools that change something."""
_INTERACTIVE = frozenset({"acp", "api_server", "cli", "desktop", "subagent", "tui"})
"""Interactive platforms."""
_WARNS_AFTER = {"exact_failure": 2, "same_tool_failure": 3, "idempotent_no_progress": 2}
_STOPS_AFTER = {"exact_failure": 5, "same_tool_failure": 8, "idempotent_no_progress": 5}
_MAX_PER_TURN = 50
"""Maximum number of web searches, and of subagents, in a turn."""
_CONTROLS = ("list", "steer", "stop")
_WARNINGS = {
    "repeated_exact_failure_warning": (
        "{tool} has failed {count} times with identical arguments. Read the error before you try again."
    ),
    "same_tool_failure_warning": "{advice}",
    "idempotent_no_progress_warning": (
        "{tool} returned the same result {count} times. Use that result, or ask for something else."
    ),
}
"""The host's name for a warning -> its text for the model; `{advice}` depends on the release."""


class Repetition(NamedTuple):
    """Feedback on a repeated call.

    `note` is appended to the result and `reference` replaces it, unless they are empty. `times` counts the repetitions.
    """

    note: str = ""
    reference: str = ""
    times: int = 1


class _Call(NamedTuple):
    tool: str
    digest: str
    result: str


class IdenticalCalls:
    """Detects identical calls, and cycles of calls, in one turn."""

    def __init__(self, behaviour: Behaviour, wording: Wording) -> None:
        self._finds_cycles = behaviour.repeated_calls_watched
        self._wording = wording
        self._calls: list[_Call] = []
        self._count = 0
        self._first_id = ""

    def observe(self, tool: str, args: Mapping[str, Any], digest: str, result: str, call_id: str) -> Repetition:
        """Record a call; `digest` identifies its arguments and `result` its result."""
        call = _Call(tool, digest, result)
        if self._calls and self._calls[-1] == call:
            self._count += 1
        else:
            self._count, self._first_id = 1, call_id
        self._calls = [*self._calls, call][-_MAX_CALLS:]
        reference = self._make_reference(tool, args) if self._count > 1 else ""
        if not _is_poller(tool) and self._count >= _MIN_REPETITIONS:
            note = self._wording("tool_loop.identical", tool=tool, ordinal=_format_ordinal(self._count))
            return Repetition(note, reference, self._count)
        for period in range(2, _MAX_PERIOD + 1) if self._finds_cycles else ():
            laps = self._count_laps(period)
            if laps >= _MIN_REPETITIONS and not all(_is_poller(one.tool) for one in self._calls[-period:]):
                note = self._wording("tool_loop.cycle", tool=tool, count=laps, period=period)
                return Repetition(note, reference, laps)
        return Repetition("", reference, self._count)

    def reset(self) -> None:
        """Forget the recorded calls, as Hermes does after a result that is not text."""
        self._calls.clear()

    def _count_laps(self, period: int) -> int:
        last, laps = self._calls[-period:], 1
        while self._calls[-period * (laps + 1) : -period * laps] == last:
            laps += 1
        return laps

    def _make_reference(self, tool: str, args: Mapping[str, Any]) -> str:
        text = json.dumps(args, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
        shown = text if len(text) <= _MAX_ARGUMENTS else f"{text[:_MAX_ARGUMENTS]}…"
        place = f" (tool_call_id {self._first_id})" if self._first_id else ""
        return self._wording("tool_loop.reference", tool=tool, place=place, args=shown)


def is_replaceable(result: str) -> bool:
    """Return whether a result is long enough to be replaced by a reference."""
    return len(result) >= _MIN_REFERENCED


def _is_poller(tool: str) -> bool:
    return tool == "process_manage" or tool.endswith(_POLLING_SUFFIXES)


def _format_ordinal(number: int) -> str:
    teen = 11 <= number % 100 <= 13
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


class Guardrails:
    """Counts the tool calls of one turn, and warns about repetitions.

    Args:
        section: ``tool_loop_guardrails`` of the configuration.
        notes_repetition: Whether to note identical calls with identical results, if the release does.
    """

    def __init__(
        self,
        section: Mapping[str, Any],
        state: HostState,
        platform: str,
        *,
        notes_repetition: bool = True,
    ) -> None:
        behaviour = state.behaviour
        self._warns = _read_switch(section.get("warnings_enabled"), default=True)
        self._stops = _read_switch(section.get("hard_stop_enabled"), default=False)
        if behaviour.repeated_calls_watched and platform.strip().lower() not in _INTERACTIVE:
            self._stops |= _read_switch(section.get("non_interactive_hard_stop_enabled"), default=True)
        self._warns_after = _read_thresholds(section.get("warn_after"), _WARNS_AFTER)
        self._stops_after = _read_thresholds(section.get("hard_stop_after"), _STOPS_AFTER)
        self._calls_in_turn: Counter[str] = Counter()
        self._state = state
        self._behaviour = behaviour
        self._failures: Counter[tuple[str, str]] = Counter()
        self._failures_of_tool: Counter[str] = Counter()
        self._answers: dict[tuple[str, str], tuple[Any, int]] = {}
        self._forgiven: set[tuple[str, str]] = set()
        notes = behaviour.identical_calls_noted and notes_repetition
        self._identical = IdenticalCalls(behaviour, state.wording) if notes else None

    def check_call(self, tool: str, args: Mapping[str, Any]) -> None:
        """Refuse a call that Hermes would block.

        Raises:
            NotSupported: The same call failed or returned the same result too often, or the turn had too many
                searches or subagents.
        """
        self._count_capped(tool, args)
        call = (tool, _hash_args(args))
        _, same = self._answers.get(call, (None, 0))
        self._check_limit("exact_failure", 0 if call in self._forgiven else self._failures[call])
        self._check_limit("idempotent_no_progress", same)

    def _count_capped(self, tool: str, args: Mapping[str, Any]) -> None:
        tasks, times = args.get("tasks"), 1
        if tool == "delegate_task":
            is_control = str(args.get("action") or "").strip().lower() in _CONTROLS
            times = 0 if is_control else len(tasks) if isinstance(tasks, list) and tasks else 1
        elif tool != "web_search":
            return
        if times and self._calls_in_turn[tool] >= _MAX_PER_TURN:
            raise self._state.unsupported(f"block {tool} after {_MAX_PER_TURN} times in a turn")
        self._calls_in_turn[tool] += times

    def _check_limit(self, kind: str, count: int) -> None:
        if self._stops and count >= self._stops_after[kind]:
            raise self._state.unsupported("stop a turn whose tool calls repeat without progress")

    def review_result(self, tool: str, args: Mapping[str, Any], result: Any, call_id: str = "") -> Any:
        """Return the result of a call, followed by the warnings that are due.

        Raises:
            NotSupported: Hermes would end the turn.
        """
        call = (tool, _hash_args(args))
        is_failed = find_failure(tool, result, self._behaviour) is not None
        warning = self._count_failure(call) if is_failed else self._count_success(call, result)
        if not isinstance(result, str):
            if self._identical:
                self._identical.reset()
            return result
        note = ""
        if self._identical:
            repetition = self._identical.observe(tool, args, call[1], _hash_result(result), call_id)
            note = repetition.note
            if repetition.reference and not is_failed and is_replaceable(result):
                result = repetition.reference
            if note and self._behaviour.repeated_calls_watched:
                self._check_limit("idempotent_no_progress", repetition.times)
        result += warning
        return f"{result}\n\n{note}" if note else result

    def _count_failure(self, call: tuple[str, str]) -> str:
        tool, _ = call
        if call in self._forgiven:
            self._forgiven.discard(call)
            self._failures.pop(call, None)
        self._answers.pop(call, None)
        self._failures[call] += 1
        self._failures_of_tool[tool] += 1
        exact, same = self._failures[call], self._failures_of_tool[tool]
        may_fail = self._behaviour.repeated_calls_watched and tool in _FAILURE_TOLERANT
        if not may_fail:
            self._check_limit("same_tool_failure", same)
        if self._warns and exact >= self._warns_after["exact_failure"]:
            return self._warn("repeated_exact_failure_warning", tool, exact)
        if self._warns and same >= self._warns_after["same_tool_failure"]:
            return self._warn("same_tool_failure_warning", tool, same)
        return ""

    def _count_success(self, call: tuple[str, str], result: Any) -> str:
        tool, _ = call
        self._failures.pop(call, None)
        self._failures_of_tool.pop(tool, None)
        if self._behaviour.repeated_calls_watched and (tool in _PROGRESS or is_file_change(tool, result)):
            self._forgiven.update(self._failures)
            self._failures_of_tool.clear()
        if tool not in _READS and not (self._behaviour.skill_reads_watched and tool in _SKILL_READS):
            return ""
        answer = _hash_result(result)
        before, count = self._answers.get(call, (None, 0))
        count = count + 1 if before == answer else 1
        self._answers[call] = (answer, count)
        if not self._warns or count < self._warns_after["idempotent_no_progress"]:
            return ""
        return self._warn("idempotent_no_progress_warning", tool, count)

    def _warn(self, code: str, tool: str, count: int) -> str:
        which = "failures_of_terminal" if tool == "terminal" else "failures"
        advice = self._state.wording(f"tool_loop.{which}", tool=tool, count=count)
        text = _WARNINGS[code].format(tool=tool, count=count, advice=advice)
        return f"\n\n[Tool loop warning: {code}; count={count}; {text}]"


def _hash_result(result: Any) -> str:
    """Return a digest that is the same for equal results.

    Raises:
        CallsEnded: The result is not text; Hermes fails on it (``tool_guardrails._result_hash``).
    """
    try:
        text = json.dumps(json.loads(result or ""), sort_keys=True)
    except (TypeError, ValueError):
        text = result or ""
    if not isinstance(text, str):
        raise CallsEnded(f"{type(text).__name__!r} object has no attribute 'encode'")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _hash_args(args: Mapping[str, Any]) -> str:
    text = json.dumps(args, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_switch(value: Any, *, default: bool) -> bool:
    if isinstance(value, str):
        word = value.strip().lower()
        return word in {"1", "true", "yes", "on", "enabled"} or (
            default and word not in {"0", "false", "no", "off", "disabled"}
        )
    return bool(value) if isinstance(value, bool | int | float) else default


def _read_thresholds(section: Any, defaults: Mapping[str, int]) -> dict[str, int]:
    values = section if isinstance(section, Mapping) else {}
    numbers = {name: to_int(values.get(name), default) for name, default in defaults.items()}
    return {name: number if number >= 1 else defaults[name] for name, number in numbers.items()}
