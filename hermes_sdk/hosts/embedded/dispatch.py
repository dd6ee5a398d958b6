"""Steps of a tool call: middleware, hooks, coercion, the handler, and hooks again.

The steps are separate methods because their order differs in turns, where ``pre_tool_call`` comes before coercion
(statements C16 and C21).
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.approval.gate import ApprovalGate
from hermes_sdk.hosts.embedded.hooks import blocks
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.tools.coercion import UnusableSchema, coerce
from hermes_sdk.hosts.embedded.tools.definitions import BUILTIN
from hermes_sdk.hosts.embedded.tools.results import Outcome, outcome

DEFAULT_TASK = "default"
"""The task of calls without a task ID."""
AGENT_LOOP_TOOLS = frozenset({"delegate_task", "memory", "session_search", "todo", "todo_list"})
RENAMED = {"cronjob": "cronjob_manage", "process": "process_manage", "todo": "todo_list"}
"""Former names of built-in tools, which still work on releases that have the new names."""
OTHER_CALLS = "calls of other tools than those that read"
"""Key of ``HostState.memory`` for the number of calls of tools other than `_READING`, by task."""
_READING = ("read_file", "search_files")
_ID_NAMES = ("task_id", "session_id", "tool_call_id", "turn_id", "api_request_id")

_log = logging.getLogger("model_tools")

Handler = Callable[[Any], Any]


@dataclass(slots=True)
class ToolCall:
    """A call in progress.

    Attributes:
        args: The arguments for the next step; steps replace values or the whole mapping.
        user_task: The user's request, which is passed to handlers.
        enabled_tools: The names of tools that are passed to ``execute_code``.
        original_args: The arguments before ``tool_request`` middleware.
        trace: An entry for each middleware that rewrote the arguments.
        is_refused: Whether the call was not allowed to run.
        is_reported: Whether ``post_tool_call`` has fired for the call.
        is_transformed: Whether ``transform_tool_result`` has fired for the call.
    """

    name: str
    args: dict[str, Any]
    task_id: str | None = None
    session_id: str | None = None
    tool_call_id: str | None = None
    turn_id: str | None = None
    api_request_id: str | None = None
    user_task: str | None = None
    enabled_tools: Sequence[str] = ()
    original_args: dict[str, Any] = field(default_factory=dict)
    trace: list[dict[str, str]] = field(default_factory=list)
    is_refused: bool = False
    is_reported: bool = False
    is_transformed: bool = False

    def ids(self) -> dict[str, str]:
        """Return the IDs for hooks and middleware, with ``""`` for None."""
        return {name: getattr(self, name) or "" for name in _ID_NAMES}


Check = Callable[[ToolCall], str | None]
"""Returns the result of a call that may not run, or None."""


class Dispatcher:
    """Runs the steps of calls as the release does."""

    def __init__(self, state: HostState, registrations: Registrations, approval: ApprovalGate) -> None:
        self._state = state
        self._behaviour = state.behaviour
        self._registry = registrations.tools
        self._hooks = registrations.hooks
        self._middleware = registrations.middleware
        self._approval = approval
        self._built_in = state.contract.tools

    def call_tool(self, call: ToolCall) -> Any:
        """Run all steps of a call outside of a turn, as Hermes' ``handle_function_call`` does.

        The result is text, a multimodal mapping, or the answer of a middleware.

        Raises:
            HermesSdkError: The tool is one of Hermes' own.
        """
        self._registry.register_builtins()
        try:
            self.coerce(call)
        except UnusableSchema as error:
            raise (error.__cause__ or error) from None
        call.name = self.find_current_name(call.name)
        self.request(call)
        try:
            if call.name in AGENT_LOOP_TOOLS:
                return json.dumps({"error": f"{call.name} must be handled by the agent loop"})
            message = self.find_block(call)
            return self.execute(call) if message is None else self.refuse(call, message)
        except HermesSdkError:
            raise
        except Exception as error:
            return self.explain(call, error)

    def find_current_name(self, name: str) -> str:
        """Return the current name for a former name of a built-in tool, even if a plugin registered the former name."""
        renamed = RENAMED.get(name, name)
        return renamed if renamed in self._built_in else name

    def explain(self, call: ToolCall, error: Exception) -> str:
        """Return the error result of a call in which the host failed."""
        message = f"Error executing {call.name}: {error}"
        _log.exception(message)
        self._state.swallow(f"tool {call.name}", error)
        return json.dumps({"error": self._registry.error_text(message)}, ensure_ascii=False)

    def coerce(self, call: ToolCall) -> None:
        """Convert the arguments, in place, to the types that the tool's schema declares."""
        entry = self._registry.get(call.name)
        if entry is not None and entry.schema and call.args:
            coerce(call.name, call.args, entry.schema, follow=self._behaviour.schema_references_followed)

    def request(self, call: ToolCall) -> None:
        """Let ``tool_request`` middleware rewrite the arguments."""
        call.args, call.original_args, call.trace = self._middleware.request(
            "tool_request", "args", _list_middleware_arguments(call)
        )

    def find_block(self, call: ToolCall) -> str | None:
        """Fire ``pre_tool_call``; return the message that replaces the result if the call may not run, or None.

        Changes of the arguments by callbacks are applied to the call.
        """
        decision, changes = self._decide(self._fire("pre_tool_call", call))
        if changes:
            call.args = {**call.args, **changes}
        if decision is None:
            return None
        return str(decision["message"]) if blocks(decision) else self._approval.refusal(call.name, decision, call.ids())

    def _decide(self, directives: Iterable[Any]) -> tuple[Mapping[str, Any] | None, dict[str, Any]]:
        """Return the decisive directive, and the changes of arguments by the directives before it (D30)."""
        approval: Mapping[str, Any] | None = None
        changes: dict[str, Any] = {}
        for directive in directives:
            if not isinstance(directive, dict):
                continue
            action, args = directive.get("action"), directive.get("args")
            if action == "modify" and self._behaviour.modify_directive and isinstance(args, dict):
                changes |= args
            asks = action == "approve"
            if blocks(directive) or (asks and not self._behaviour.block_beats_approve):
                return directive, changes
            if asks:
                approval = approval or directive
        return approval, changes

    def refuse(self, call: ToolCall, message: str, kind: str = "plugin_block", result: str | None = None) -> str:
        """Answer a blocked call; `kind` is Hermes' name for the blocker, `result` replaces the error message."""
        answer = json.dumps({"error": message}, ensure_ascii=False) if result is None else result
        self.report(call, answer, 0, Outcome("blocked", kind, message))
        return answer

    def execute(self, call: ToolCall, in_loop: Handler | None = None) -> Any:
        """Run the handler inside ``tool_execution`` middleware, then fire the hooks that observe and change the result.

        `in_loop` is the handler of an agent-loop tool, whose result no hook changes (D33).
        """
        started = time.monotonic()
        result = self.run_in_middleware(call, in_loop or self._make_handler(call))
        duration_ms = count_milliseconds(started)
        self.report(call, result, duration_ms)
        return result if in_loop else self.transform(call, result, duration_ms)

    def execute_checked(self, call: ToolCall, check: Check, in_loop: Handler | None = None, *, beside: bool) -> Any:
        """Check and run a call inside ``tool_execution`` middleware.

        `check` returns the result of a call that may not run, which is then marked as refused. `in_loop` is the handler
        of an agent-loop tool. `beside` says whether other calls run concurrently: ``post_tool_call`` then fires here,
        as soon as the tool has answered; otherwise, the caller fires it.
        """
        started = time.monotonic()

        def run(args: Any) -> Any:
            call.args = args if isinstance(args, dict) else call.args
            if (refusal := check(call)) is not None:
                call.is_refused = True
                return refusal
            # Hermes converts the arguments only for the tool.
            converted = call if in_loop else replace(call, args=dict(call.args))
            if in_loop is None:
                self.coerce(converted)
            try:
                result = (in_loop or self._make_handler(converted))(converted.args)
            except HermesSdkError:
                raise
            except Exception as error:
                if in_loop:
                    raise
                call.is_transformed = True
                return self.explain(call, error)
            duration_ms = count_milliseconds(started)
            if beside:
                call.is_reported = True
                self.report(converted, result, duration_ms)
            if in_loop and not (beside and self._behaviour.loop_results_transformed):
                return result
            call.is_transformed = True
            return self.transform(converted, result, duration_ms)

        try:
            result = self.run_in_middleware(call, run)
        except HermesSdkError:
            raise
        except UnusableSchema as error:
            result = f"Error executing tool '{call.name}': {error}"
        except Exception as error:
            self._state.swallow(f"tool {call.name}", error)
            result = f"Error executing tool '{call.name}': {error}"
        if beside and not (call.is_refused or call.is_reported):
            call.is_reported = True
            self.report(call, result, count_milliseconds(started))
        return result

    def run_in_middleware(self, call: ToolCall, handle: Handler) -> Any:
        """Run a handler on the arguments of a call inside ``tool_execution`` middleware."""
        return self._middleware.execute("tool_execution", "args", _list_middleware_arguments(call), handle)

    def _make_handler(self, call: ToolCall) -> Handler:
        if call.name not in _READING:
            self._state.memory.setdefault(OTHER_CALLS, Counter())[call.task_id or DEFAULT_TASK] += 1
        entry = self._registry.get(call.name)
        if entry is not None and entry.owner == BUILTIN:
            return lambda args: self._registry.dispatch(call.name, args, **call.ids())
        keywords: dict[str, Any] = {"task_id": call.task_id, "session_id": call.session_id}
        if call.name == "execute_code":
            keywords["enabled_tools"] = list(call.enabled_tools)
        else:
            keywords["user_task"] = call.user_task
        return lambda args: self._registry.dispatch(call.name, args, **keywords)

    def report(self, call: ToolCall, result: Any, duration_ms: int, ended: Outcome | None = None) -> None:
        """Fire ``post_tool_call``; `ended` is the outcome of the call if its result does not show it."""
        if self._hooks.has("post_tool_call"):
            self._fire("post_tool_call", call, result, duration_ms, ended or self._classify_outcome(call, result))

    def transform(self, call: ToolCall, result: Any, duration_ms: int) -> Any:
        """Fire ``transform_tool_result``; return the first text that a callback returns, otherwise the result."""
        if not self._hooks.has("transform_tool_result"):
            return result
        answers = self._fire("transform_tool_result", call, result, duration_ms, self._classify_outcome(call, result))
        return next((answer for answer in answers if isinstance(answer, str)), result)

    def _classify_outcome(self, call: ToolCall, result: Any) -> Outcome:
        return outcome(call.name, result, self._behaviour)

    def _fire(
        self, hook: str, call: ToolCall, result: Any = None, duration_ms: int = 0, ended: Outcome | None = None
    ) -> list[Any]:
        # Keep Hermes' order: Python's error about unexpected arguments names the first argument.
        values = {
            "tool_name": call.name,
            "args": call.args,
            "result": result,
            **call.ids(),
            "duration_ms": duration_ms,
            **(ended._asdict() if ended else {}),
            "middleware_trace": list(call.trace),
        }
        return self._hooks.fire(hook, **values)


def count_milliseconds(started: float) -> int:
    """Return the milliseconds since a time of the monotonic clock."""
    return int((time.monotonic() - started) * 1000)


def _list_middleware_arguments(call: ToolCall) -> dict[str, Any]:
    return {"tool_name": call.name, "args": call.args, "original_args": call.original_args, **call.ids()}
