"""Tool calls that repeat without progress: warnings, blocks and halts (settings: ``tool_loop_guardrails``)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.identical_calls import IdenticalCalls, Repetition, is_referenced
from hermes_sdk.hosts.embedded.builtins.tool import to_int
from hermes_sdk.hosts.embedded.tools.results import find_failure, is_file_change
from hermes_sdk.hosts.embedded.wording import Wording

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
_FAILURE_TOLERANT = frozenset(
    {"browser_navigate", "execute_code", "process", "process_manage", "terminal", "web_extract"}
)
"""Tools that may fail with different arguments as often as they like."""
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
_ATTENDED = frozenset({"acp", "api_server", "cli", "desktop", "subagent", "tui"})
"""Platforms where somebody watches."""
_WARNS_AFTER = {"exact_failure": 2, "same_tool_failure": 3, "idempotent_no_progress": 2}
_STOPS_AFTER = {"exact_failure": 5, "same_tool_failure": 8, "idempotent_no_progress": 5}


_DECISIONS = {
    "repeated_exact_failure_block": (
        "block",
        "Blocked {tool}: the same tool call failed {count} times with identical arguments. Stop retrying it unchanged;"
        " change strategy or explain the blocker.",
    ),
    "idempotent_no_progress_block": (
        "block",
        "Blocked {tool}: this read-only call returned the same result {count} times. Stop repeating it unchanged; use"
        " the result already provided or try a different query.",
    ),
    "same_tool_failure_halt": (
        "halt",
        "Stopped {tool}: it failed {count} times this turn. Stop retrying the same failing tool path and choose a"
        " different approach.",
    ),
    "identical_call_streak_halt": (
        "halt",
        "Stopped {tool}: the same call with identical arguments returned the same result {count} times in a row. Stop"
        " repeating it unchanged; use the result already provided or change strategy.",
    ),
    "identical_cycle_halt": (
        "halt",
        "Stopped {tool}: the same repeating cycle of tool calls (period {period}) with identical arguments and"
        " identical results has run {count} times. Repeating the batch unchanged is not progress; use the results"
        " already provided or change strategy.",
    ),
    "repeated_exact_failure_warning": (
        "warn",
        "{tool} has failed {count} times with identical arguments. This looks like a loop; inspect the error and change"
        " strategy instead of retrying it unchanged.",
    ),
    "same_tool_failure_warning": ("warn", "{advice}"),
    "idempotent_no_progress_warning": (
        "warn",
        "{tool} returned the same result {count} times. Use the result already provided or change the query instead of"
        " repeating it unchanged.",
    ),
}
"""The host's name for a decision -> its action, and the text for the model; `{advice}` depends on the release.

``warn`` adds the text to the result, ``halt`` also ends the turn; ``block`` replaces the result and ends the turn.
"""


@dataclass(frozen=True)
class Decision:
    """A warning about a call, or its refusal.

    `digest` is the SHA-256 of the arguments, `reply` the reply of a turn that the decision ends.
    """

    action: str
    code: str
    message: str
    tool: str
    count: int
    digest: str
    reply: str

    @property
    def result(self) -> str:
        """The result of a blocked call."""
        guardrail = {
            "action": self.action,
            "code": self.code,
            "message": self.message,
            "tool_name": self.tool,
            "count": self.count,
            "signature": {"tool_name": self.tool, "args_hash": self.digest},
        }
        return json.dumps({"error": self.message, "guardrail": guardrail}, ensure_ascii=False)

    def add_to(self, result: str) -> str:
        """Return the result of a call with the decision at its end."""
        label = "hard stop" if self.action == "halt" else "warning"
        return f"{result}\n\n[Tool loop {label}: {self.code}; count={self.count}; {self.message}]"


class Guardrails:
    """Counts the tool calls of one turn; `halt` is the first decision that ends the turn.

    Args:
        section: ``tool_loop_guardrails`` of the configuration.
        behaviour: What the release does.
        wording: The sentences of the host.
        platform: The platform of the session.
        notes_repetition: Whether equal calls with equal results are noted, where the release does that.
    """

    def __init__(
        self,
        section: Mapping[str, Any],
        behaviour: Behaviour,
        wording: Wording,
        platform: str,
        *,
        notes_repetition: bool,
    ) -> None:
        self._warns = _read_switch(section.get("warnings_enabled"), default=True)
        self._stops = _read_switch(section.get("hard_stop_enabled"), default=False)
        if behaviour.unattended_turns_stopped and platform.strip().lower() not in _ATTENDED:
            self._stops |= _read_switch(section.get("non_interactive_hard_stop_enabled"), default=True)
        self._warns_after = _read_thresholds(section.get("warn_after"), _WARNS_AFTER)
        self._stops_after = _read_thresholds(section.get("hard_stop_after"), _STOPS_AFTER)
        self._behaviour = behaviour
        self._wording = wording
        self._failures: Counter[tuple[str, str]] = Counter()
        self._failures_of_tool: Counter[str] = Counter()
        self._answers: dict[tuple[str, str], tuple[Any, int]] = {}
        self._forgiven: set[tuple[str, str]] = set()
        notes = behaviour.identical_calls_noted and notes_repetition
        self._identical = IdenticalCalls(behaviour, wording) if notes else None
        self.halt: Decision | None = None

    def check_call(self, tool: str, args: Mapping[str, Any]) -> Decision | None:
        """Return why a call may not run, or None when it may."""
        call = (tool, _hash_args(args))
        if not self._stops:
            return None
        failed, (_, same) = 0 if call in self._forgiven else self._failures[call], self._answers.get(call, (None, 0))
        if failed >= self._stops_after["exact_failure"]:
            return self._decide("repeated_exact_failure_block", call, failed)
        if same >= self._stops_after["idempotent_no_progress"]:
            return self._decide("idempotent_no_progress_block", call, same)
        return None

    def review_result(self, tool: str, args: Mapping[str, Any], result: Any, call_id: str = "") -> Any:
        """Return the result of a call, with warnings at its end where they are due."""
        call = (tool, _hash_args(args))
        is_failed = find_failure(tool, result, self._behaviour) is not None
        decision = self._count_failure(call) if is_failed else self._count_success(call, result)
        if not isinstance(result, str):
            if self._identical:
                self._identical.interrupt()
            return result
        note = ""
        if self._identical:
            repetition = self._identical.observe(tool, args, call[1], _normalise(result), call_id)
            note = repetition.note
            if repetition.reference and not is_failed and is_referenced(result):
                result = repetition.reference
            self._stop_repetition(repetition, call)
        if decision:
            result = decision.add_to(result)
        if self.halt and self.halt is not decision and self.halt.code.startswith("identical_"):
            result = self.halt.add_to(result)
        return f"{result}\n\n{note}" if note else result

    def _stop_repetition(self, repetition: Repetition, call: tuple[str, str]) -> None:
        """End the turn if calls repeat too often."""
        is_enabled = self._stops and self._behaviour.identical_cycles_noted and self.halt is None
        if is_enabled and repetition.note and repetition.times >= self._stops_after["idempotent_no_progress"]:
            code = "identical_call_streak_halt" if repetition.period == 1 else "identical_cycle_halt"
            self._decide(code, call, repetition.times, repetition.period)

    def _count_failure(self, call: tuple[str, str]) -> Decision | None:
        tool, _ = call
        if call in self._forgiven:
            self._forgiven.discard(call)
            self._failures.pop(call, None)
        self._answers.pop(call, None)
        self._failures[call] += 1
        self._failures_of_tool[tool] += 1
        exact, same = self._failures[call], self._failures_of_tool[tool]
        may_fail = self._behaviour.progress_forgives_failures and tool in _FAILURE_TOLERANT
        if self._stops and not may_fail and same >= self._stops_after["same_tool_failure"]:
            return self._decide("same_tool_failure_halt", call, same)
        if self._warns and exact >= self._warns_after["exact_failure"]:
            return self._decide("repeated_exact_failure_warning", call, exact)
        if self._warns and same >= self._warns_after["same_tool_failure"]:
            return self._decide("same_tool_failure_warning", call, same)
        return None

    def _count_success(self, call: tuple[str, str], result: Any) -> Decision | None:
        tool, _ = call
        self._failures.pop(call, None)
        self._failures_of_tool.pop(tool, None)
        if self._behaviour.progress_forgives_failures and (tool in _PROGRESS or is_file_change(tool, result)):
            self._forgiven.update(self._failures)
            self._failures_of_tool.clear()
        if tool not in _READS:
            return None
        answer = _normalise(result)
        before, count = self._answers.get(call, (None, 0))
        count = count + 1 if before == answer else 1
        self._answers[call] = (answer, count)
        if not self._warns or count < self._warns_after["idempotent_no_progress"]:
            return None
        return self._decide("idempotent_no_progress_warning", call, count)

    def _decide(self, code: str, call: tuple[str, str], count: int, period: int = 1) -> Decision:
        tool, digest = call
        action, message = _DECISIONS[code]
        which = "failures_of_terminal" if tool == "terminal" else "failures"
        advice = self._wording(f"tool_loop.{which}", tool=tool, count=count)
        text = message.format(tool=tool, count=count, advice=advice, period=period)
        reply = self._wording("tool_loop.halted", tool=tool, code=code, count=count)
        decision = Decision(action, code, text, tool, count, digest, reply)
        if action != "warn":
            self.halt = self.halt or decision
        return decision


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _normalise(result: Any) -> Any:
    parsed = _parse(result) if isinstance(result, str) else None
    return result if parsed is None else json.dumps(parsed, sort_keys=True)


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
    given = section if isinstance(section, Mapping) else {}
    numbers = {name: to_int(given.get(name), default) for name, default in defaults.items()}
    return {name: number if number >= 1 else defaults[name] for name, number in numbers.items()}
