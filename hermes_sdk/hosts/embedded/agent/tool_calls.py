"""Execution of the tool calls of a turn (C16 to C26).

A call passes through `_prepare` (arguments, request middleware, ``pre_tool_call`` hooks, guardrails), `_answer` (the
tool, within execution middleware and the hooks after it) and `ToolMessages.make`. Releases that check calls within
execution middleware take it through `_run_checked` instead of the first two.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.agent import tool_search
from hermes_sdk.hosts.embedded.agent.file_changes import FileChanges
from hermes_sdk.hosts.embedded.agent.guardrails import Guardrails
from hermes_sdk.hosts.embedded.agent.response import ToolCall as RequestedCall
from hermes_sdk.hosts.embedded.agent.session import Session, TurnIds
from hermes_sdk.hosts.embedded.agent.tool_messages import Message, ToolMessages, skip_call
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.builtins import BUILTINS
from hermes_sdk.hosts.embedded.builtins.tool import CallsEnded
from hermes_sdk.hosts.embedded.dispatch import AGENT_LOOP_TOOLS, ToolCall, count_milliseconds
from hermes_sdk.hosts.embedded.tools.coercion import UnusableSchema
from hermes_sdk.hosts.embedded.tools.results import Outcome

# Read-only tools; the host runs adjacent calls of these in parallel.
_PARALLEL = frozenset(
    {
        "ha_get_state",
        "ha_list_entities",
        "ha_list_services",
        "search_files",
        "session_search",
        "skill_view",
        "skills_list",
        "vision_analyze",
        "web_extract",
        "web_search",
    }
)
_FILE_TOOLS = frozenset({"patch", "read_file", "write_file"})
"""Tools that the host runs in parallel if their files do not overlap."""
_IN_LOOP = AGENT_LOOP_TOOLS | {"clarify"}
_ON_TURN_THREAD = frozenset({"clarify"})
_MALFORMED = json.dumps(
    {
        "error": "Invalid tool arguments",
        "message": "Tool arguments must be a valid JSON object; tool was not executed.",
    }
)
_NO_OBJECT = Outcome("error", "invalid_tool_arguments", "Tool arguments must be a valid JSON object")

Delegate = Callable[[Session, TurnIds, Mapping[str, Any]], str]
"""Runs a ``delegate_task`` call and returns its result."""


class _CheckQueue:
    """Serialises the checks of parallel calls, and makes the calls wait until all are checked."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._checked = [Event() for _ in range(count)]

    def wait_for_turn(self, number: int) -> None:
        if number:
            self._checked[number - 1].wait()

    def mark_checked(self, number: int) -> None:
        self._checked[number].set()

    def wait_for_all(self) -> None:
        self._checked[-1].wait()


class ToolCalls:
    """Runs the tool calls of one turn.

    Attributes:
        current: The tool that started last; None if no tools are running.
        are_running: Whether tools are running.
        changes: The file changes of the turn.
    """

    def __init__(self, session: Session, ids: TurnIds, delegate: Delegate) -> None:
        self._session = session
        self._ids = ids
        self._delegate = delegate
        self._behaviour = session.behaviour
        self._dispatcher = session.runtime.dispatcher
        self._messages = ToolMessages(session.runtime.state, session.settings)
        notes = session.settings.section("agent").get("stall_guards", True)
        self.guardrails = Guardrails(
            session.settings.section("tool_loop_guardrails"),
            session.runtime.state,
            session.platform,
            notes_repetition=bool(notes),
        )
        self.current: str | None = None
        self.are_running = False
        self.changes = FileChanges(session.runtime.tools.for_call(ids._asdict()))

    def run(
        self, requested: Iterable[RequestedCall], request_id: str, add: Callable[[Message], None]
    ) -> tuple[list[Message], str]:
        """Run the calls of one response, and `add` a message for each; adjacent read-only calls run in parallel.

        Returns:
            The messages with the results, in the order of the calls, and the error that ended the calls (empty if all
            ran).
        """
        calls = [self._update_name(self._unwrap(one)) for one in requested]
        messages: list[Message] = []
        self.are_running = True
        try:
            for group in self._group(calls):
                if self._session.is_stopped:
                    started = bool(messages)
                    done = [skip_call(one, started=started) for one in calls[len(messages) :]]
                else:
                    done = self._run_group(group, request_id)
                for message in done:
                    add(message)
                messages += done
                if len(messages) == len(calls):
                    break
                if self._session.background:
                    raise self._session.runtime.state.unsupported("run further calls while a delegated task runs")
        except CallsEnded as error:
            return messages, str(error)
        finally:
            self.are_running, self.current = False, None
        self._messages.require_room(messages)
        return messages, ""

    def _unwrap(self, requested: RequestedCall) -> RequestedCall:
        """Replace a call of ``tool_call`` with the call that it contains (C15)."""
        if requested.name != tool_search.CALL:
            return requested
        try:
            name, args = self._session.search.resolve(json.loads(requested.arguments))
        except (tool_search.UnresolvedCall, AttributeError, ValueError):
            return requested
        return replace(requested, name=name, arguments=json.dumps(args))

    def _update_name(self, requested: RequestedCall) -> RequestedCall:
        """Replace a former name of a built-in tool with the current name."""
        return replace(requested, name=self._dispatcher.find_current_name(requested.name))

    def _group(self, calls: Sequence[RequestedCall]) -> list[list[RequestedCall]]:
        """Split calls into groups that run in parallel."""
        groups: list[list[RequestedCall]] = []
        used: list[Path] | None = None
        for one in calls:
            files = self._list_files(one)
            if files is None or used is None or any(_overlap(file, other) for file in files for other in used):
                groups.append([one])
                used = files
            else:
                groups[-1].append(one)
                used += files
        return groups

    def _list_files(self, call: RequestedCall) -> list[Path] | None:
        """Return the files of a call that parallel calls must not use, or None if it runs alone."""
        args = _parse_arguments(call.arguments)
        if args is None or call.name not in _PARALLEL | _FILE_TOOLS:
            return None
        if call.name not in _FILE_TOOLS:
            return []
        path = args.get("path")
        return [self.changes.find_file(path)] if isinstance(path, str) and path.strip() else None

    def _run_group(self, group: Sequence[RequestedCall], request_id: str) -> list[Message]:
        """Prepare calls in order, run them in parallel, and build their messages in order."""
        if self._behaviour.tools_checked_within_middleware:
            return self._run_checked_group(group, request_id)
        if len(group) == 1:
            self.current = group[0].name
            call = self._prepare(group[0], request_id)
            return [self._messages.make(group[0], self._finish(call, self._answer(call)))]
        prepared = [self._prepare(one, request_id) for one in group]
        with Workers(len(group)) as workers:
            answers = [workers.submit(partial(self._answer, on_worker=True), call) for call in prepared]
            results = [answer.result() for answer in answers]
        self._require_lengths(results)
        return [
            self._messages.make(one, self._finish(call, result))
            for one, call, result in zip(group, prepared, results, strict=True)
        ]

    def _run_checked_group(self, group: Sequence[RequestedCall], request_id: str) -> list[Message]:
        """Check calls in order and run them in parallel, on threads."""
        self.current = group[0].name
        started = time.monotonic()
        if group[0].name in _ON_TURN_THREAD:
            outcome = self._run_checked(group[0], request_id, _CheckQueue(1), 0)
            return [self._messages.make(group[0], self._review(outcome, started))]
        queue = _CheckQueue(len(group))
        with Workers(len(group)) as workers:
            answers = [
                workers.submit(self._run_checked, one, request_id, queue, number) for number, one in enumerate(group)
            ]
            outcomes = [answer.result() for answer in answers]
        self._require_lengths([result for _, result in outcomes])
        return [
            self._messages.make(one, self._review(each, started)) for one, each in zip(group, outcomes, strict=True)
        ]

    def _require_lengths(self, results: Sequence[Any]) -> None:
        """Refuse results without a length from parallel calls: until 0.21.4, Hermes loses them."""
        if len(results) > 1 and not all(hasattr(result, "__len__") for result in results):
            raise self._session.runtime.state.unsupported("run a tool in parallel whose result has no length")

    def _run_checked(
        self, requested: RequestedCall, request_id: str, queue: _CheckQueue, number: int
    ) -> tuple[ToolCall, Any]:
        """Run a call in middleware, which surrounds its checks and the tool; `number` is its position in `queue`."""

        def check(call: ToolCall) -> str | None:
            refusal = self._refuse(call)
            queue.mark_checked(number)
            if refusal is None:
                queue.wait_for_all()
            return refusal

        args = _parse_arguments(requested.arguments)
        call = self._make_call(requested, args or {}, request_id)
        queue.wait_for_turn(number)
        try:
            if args is None:
                return call, _MALFORMED
            self._dispatcher.request(call)
            handler = self._find_loop_handler(call)
            # The turn itself transforms only the results of the agent loop's tools.
            call.is_transformed = handler is None
            if call.name in tool_search.BRIDGES:
                handler, call.is_transformed = partial(self._session.search.answer, call.name), True
            return call, self._dispatcher.execute_checked(call, check, handler, beside=queue.count > 1)
        finally:
            queue.mark_checked(number)

    def _review(self, outcome: tuple[ToolCall, Any], started: float) -> Any:
        """Report a call that has run, and return its result, with a warning if one is due."""
        call, result = outcome
        if result is _MALFORMED:
            self._dispatcher.report(call, result, 0, _NO_OBJECT)
            return result
        if call.is_refused:
            return result
        if not call.is_reported:
            duration_ms = count_milliseconds(started)
            self._dispatcher.report(call, result, duration_ms)
            if self._behaviour.loop_results_transformed and not call.is_transformed:
                result = self._dispatcher.transform(call, result, duration_ms)
        return self._finish(call, result)

    def _finish(self, call: ToolCall | str, result: Any) -> Any:
        """Return a result as the model receives it, with a warning if one is due."""
        if isinstance(call, str):
            return call
        answer = self.guardrails.review_result(call.name, call.args, result, call.tool_call_id or "")
        self.changes.record(call.name, call.args, result, answer)
        return answer

    def _prepare(self, requested: RequestedCall, request_id: str) -> ToolCall | str:
        """Prepare a call for its execution; return an error result if it may not run."""
        args = _parse_arguments(requested.arguments)
        if args is None:
            return _MALFORMED
        call = self._make_call(requested, args, request_id)
        self._dispatcher.request(call)
        if (refusal := self._refuse(call)) is not None:
            return refusal
        # Within a turn, execution middleware receives the final arguments as the original arguments.
        call.original_args = call.args
        return call

    def _make_call(self, requested: RequestedCall, args: dict[str, Any], request_id: str) -> ToolCall:
        return ToolCall(
            requested.name,
            args,
            task_id=self._ids.task_id,
            session_id=self._ids.session_id,
            tool_call_id=requested.id,
            turn_id=self._ids.turn_id,
            api_request_id=request_id,
            enabled_tools=sorted(self._session.tool_names),
        )

    def _refuse(self, call: ToolCall) -> str | None:
        """Return the error result of a call that may not run, or None."""
        if (message := self._dispatcher.find_block(call)) is not None:
            return self._dispatcher.refuse(call, message)
        self.guardrails.check_call(call.name, call.args)
        return None

    def _answer(self, call: ToolCall | str, *, on_worker: bool = False) -> Any:
        """Run a call of a bridge tool, a tool of the agent loop, or a tool of the registry."""
        if isinstance(call, str):
            return call
        if call.name in tool_search.BRIDGES:
            result: Any = self._session.search.answer(call.name, call.args)
        elif handler := self._find_loop_handler(call):
            result = self._dispatcher.execute(call, handler)
        elif on_worker:
            # For calls on threads, the host runs execution middleware twice: around the thread and around the tool.
            result = self._dispatcher.run_in_middleware(call, lambda _: self._execute(call))
        else:
            result = self._execute(call)
        return result

    def _find_loop_handler(self, call: ToolCall) -> Callable[[Any], Any] | None:
        """Return the handler of a tool that the agent loop runs itself, or None."""
        session = self._session
        if session.memory and call.name in session.memory.tool_names:
            return partial(session.memory.call_tool, call.name)
        if session.engine and call.name in session.engine.tool_names:
            return partial(session.engine.call_tool, call.name, messages=session.history)
        if call.name == "delegate_task":
            return partial(self._delegate, session, self._ids)
        return partial(self._run_loop_tool, call) if call.name in _IN_LOOP else None

    def _run_loop_tool(self, call: ToolCall, args: dict[str, Any]) -> Any:
        """Run a built-in tool in the session, and report memory writes to the memory provider."""
        session = self._session
        context = replace(
            session.runtime.tools,
            **self._ids._asdict(),
            tool_call_id=call.tool_call_id or "",
            session_state=session.tool_state,
        )
        tool = BUILTINS[call.name]

        def run(args: dict[str, Any], **_: Any) -> Any:
            tool.require_modelled(args, context.state)
            return tool.run(args, context)

        builtins = context.state.builtin_calls
        result = (builtins.wrap(call.name, run) if builtins else run)(args)
        if call.name == "memory" and session.memory:
            about = {
                "write_origin": "assistant_tool",
                "execution_context": "foreground",
                "session_id": session.id,
                "platform": session.platform,
                "tool_name": "memory",
                "task_id": call.task_id,
                "tool_call_id": call.tool_call_id,
            }
            session.memory.report_write(args, result, about)
        return result

    def _execute(self, call: ToolCall) -> Any:
        """Run a tool of the registry; an unusable schema becomes an error result."""
        try:
            self._dispatcher.coerce(call)
        except UnusableSchema as error:
            return f"Error executing tool '{call.name}': {error}"
        call.original_args = dict(call.args)
        try:
            return self._dispatcher.execute(call)
        except HermesSdkError:
            raise
        except Exception as error:
            return self._dispatcher.explain(call, error)


def _overlap(one: Path, other: Path) -> bool:
    return one == other or one in other.parents or other in one.parents


def _parse_arguments(text: str) -> dict[str, Any] | None:
    try:
        args = json.loads(text)
    except ValueError:
        return None
    return args if isinstance(args, dict) else None


def drop_repeats(calls: Iterable[RequestedCall]) -> list[RequestedCall]:
    """Drop calls that repeat an earlier call."""
    first: dict[tuple[str, str], RequestedCall] = {}
    for one in calls:
        first.setdefault((one.name, one.arguments), one)
    return list(first.values())
