"""What a turn says, and does, about tool calls that go round in circles; settings: ``tool_loop_guardrails``."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Behaviour

READS = frozenset(
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
"""Tools of which the same answer to the same call is no progress."""
_WARNS_AFTER = {"exact_failure": 2, "same_tool_failure": 3, "idempotent_no_progress": 2}
_STOPS_AFTER = {"exact_failure": 5, "same_tool_failure": 8, "idempotent_no_progress": 5}


@dataclass(frozen=True)
class Decision:
    """What the guardrails have to say about a call.

    Attributes:
        action: ``warn`` adds to the result; ``halt`` does too, and ends the turn; ``block`` answers instead of the
            tool, and ends the turn.
        code: The host's name for it.
        message: What the model is told.
        tool: The tool.
        count: How often it happened.
        digest: The SHA-256 of the arguments.
    """

    action: str
    code: str
    message: str
    tool: str
    count: int
    digest: str

    @property
    def result(self) -> str:
        """The result of a call that is blocked."""
        told = {
            "action": self.action,
            "code": self.code,
            "message": self.message,
            "tool_name": self.tool,
            "count": self.count,
            "signature": {"tool_name": self.tool, "args_hash": self.digest},
        }
        return json.dumps({"error": self.message, "guardrail": told}, ensure_ascii=False)

    @property
    def reply(self) -> str:
        """What a turn that it ends replies to the user."""
        return (
            f"I stopped retrying {self.tool} because it hit the tool-call guardrail ({self.code}) after {self.count}"
            " repeated non-progressing attempts. The last tool result explains the blocker; the next step is to change"
            " strategy instead of repeating the same call."
        )


class Guardrails:
    """Counts the tool calls of one turn.

    Args:
        settings: The section ``tool_loop_guardrails`` of the configuration, whatever it holds.
        behaviour: What the release does.

    Attributes:
        halt: The first decision that ends the turn, once there is one.
    """

    def __init__(self, settings: Any, behaviour: Behaviour) -> None:
        section = settings if isinstance(settings, Mapping) else {}
        self._warns = _switch(section.get("warnings_enabled"), default=True)
        self._stops = _switch(section.get("hard_stop_enabled"), default=False)
        self._warns_after = _thresholds(section.get("warn_after"), _WARNS_AFTER)
        self._stops_after = _thresholds(section.get("hard_stop_after"), _STOPS_AFTER)
        self._behaviour = behaviour
        self._failures: Counter[tuple[str, str]] = Counter()
        self._failures_of_tool: Counter[str] = Counter()
        self._answers: dict[tuple[str, str], tuple[Any, int]] = {}
        self.halt: Decision | None = None

    def before(self, tool: str, args: Mapping[str, Any]) -> Decision | None:
        """Return why a call may not run, or None when it may."""
        call = (tool, _digest(args))
        if not self._stops:
            return None
        failed, (_, same) = self._failures[call], self._answers.get(call, (None, 0))
        if failed >= self._stops_after["exact_failure"]:
            message = (
                f"Blocked {tool}: the same tool call failed {failed} times with identical arguments. Stop retrying it"
                " unchanged; change strategy or explain the blocker."
            )
            return self._ending(Decision("block", "repeated_exact_failure_block", message, tool, failed, call[1]))
        if same >= self._stops_after["idempotent_no_progress"]:
            message = (
                f"Blocked {tool}: this read-only call returned the same result {same} times. Stop repeating it"
                " unchanged; use the result already provided or try a different query."
            )
            return self._ending(Decision("block", "idempotent_no_progress_block", message, tool, same, call[1]))
        return None

    def after(self, tool: str, args: Mapping[str, Any], result: Any) -> Any:
        """Return the result of a call, with what there is to say about it at its end."""
        call = (tool, _digest(args))
        decision = self._failed(call) if failed(tool, result, self._behaviour) else self._succeeded(call, result)
        if decision is None or not isinstance(result, str):
            return result
        label = "hard stop" if decision.action == "halt" else "warning"
        return f"{result}\n\n[Tool loop {label}: {decision.code}; count={decision.count}; {decision.message}]"

    def _failed(self, call: tuple[str, str]) -> Decision | None:
        tool, digest = call
        self._answers.pop(call, None)
        self._failures[call] += 1
        self._failures_of_tool[tool] += 1
        exact, same = self._failures[call], self._failures_of_tool[tool]
        if self._stops and same >= self._stops_after["same_tool_failure"]:
            message = (
                f"Stopped {tool}: it failed {same} times this turn. Stop retrying the same failing tool path and choose"
                " a different approach."
            )
            return self._ending(Decision("halt", "same_tool_failure_halt", message, tool, same, digest))
        if self._warns and exact >= self._warns_after["exact_failure"]:
            message = (
                f"{tool} has failed {exact} times with identical arguments. This looks like a loop; inspect the error"
                " and change strategy instead of retrying it unchanged."
            )
            return Decision("warn", "repeated_exact_failure_warning", message, tool, exact, digest)
        if self._warns and same >= self._warns_after["same_tool_failure"]:
            return Decision("warn", "same_tool_failure_warning", self._advice(tool, same), tool, same, digest)
        return None

    def _succeeded(self, call: tuple[str, str], result: Any) -> Decision | None:
        tool, digest = call
        self._failures.pop(call, None)
        self._failures_of_tool.pop(tool, None)
        if tool not in READS:
            return None
        answer = _canonical(result)
        before, count = self._answers.get(call, (None, 0))
        count = count + 1 if before == answer else 1
        self._answers[call] = (answer, count)
        if not self._warns or count < self._warns_after["idempotent_no_progress"]:
            return None
        message = (
            f"{tool} returned the same result {count} times. Use the result already provided or change the query"
            " instead of repeating it unchanged."
        )
        return Decision("warn", "idempotent_no_progress_warning", message, tool, count, digest)

    def _ending(self, decision: Decision) -> Decision:
        self.halt = self.halt or decision
        return decision

    def _advice(self, tool: str, count: int) -> str:
        begin = f"{tool} has failed {count} times this turn. This looks like a loop"
        if not self._behaviour.tool_loop_advice:
            return f"{begin}; change approach before retrying."
        common = (
            f"{begin}. Do not switch to text-only replies; keep using tools, but diagnose before retrying. First"
            " inspect the latest error/output and verify your assumptions. "
        )
        if tool == "terminal":
            return common + (
                "For terminal failures, run a small diagnostic such as `pwd && ls -la` in the same tool, then try an"
                " absolute path, a simpler command, a different working directory, or a different tool such as"
                " read_file/write_file/patch."
            )
        return common + (
            "Try different arguments, a narrower query/path, an absolute path when relevant, or a different tool that"
            " can make progress. If the blocker is external, report the blocker after one diagnostic attempt instead of"
            " repeating the same failing path."
        )


def failed(tool: str, result: Any, behaviour: Behaviour) -> bool:
    """Tell whether a result is a failure to the agent loop, which looks closer than the hooks are told."""
    if not isinstance(result, str):
        return False
    told = _parsed(result)
    fields = told if isinstance(told, dict) else {}
    error = fields.get("error")
    if landed(tool, result):
        return False
    if tool == "terminal":
        return fields.get("exit_code") not in (None, 0)
    if behaviour.tool_loop_advice:
        reason = error or fields.get("message")
        if reason and (fields.get("success") is False or "error" in fields):
            return True
    start = result[:500].lower()
    return '"error"' in start or '"failed"' in start or result.startswith("Error")


def landed(tool: str, result: Any) -> bool:
    """Tell whether a result says that a file was changed."""
    told = _parsed(result) if isinstance(result, str) else None
    if not isinstance(told, dict) or told.get("error"):
        return False
    return (tool == "write_file" and "bytes_written" in told) or (tool == "patch" and told.get("success") is True)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _canonical(result: Any) -> Any:
    told = _parsed(result) if isinstance(result, str) else None
    return result if told is None else json.dumps(told, sort_keys=True)


def _digest(args: Mapping[str, Any]) -> str:
    text = json.dumps(args, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _switch(value: Any, *, default: bool) -> bool:
    if isinstance(value, str):
        word = value.strip().lower()
        return word in {"1", "true", "yes", "on", "enabled"} or (
            default and word not in {"0", "false", "no", "off", "disabled"}
        )
    return bool(value) if isinstance(value, bool | int | float) else default


def _thresholds(section: Any, defaults: Mapping[str, int]) -> dict[str, int]:
    given = section if isinstance(section, Mapping) else {}
    return {name: _positive(given.get(name), default) for name, default in defaults.items()}


def _positive(value: Any, default: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        return default
    return number if number >= 1 else default
