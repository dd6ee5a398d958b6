"""The tool calls of one answer: which run, in which order, and the messages that the model gets back (C16 to C29)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent import tool_search
from hermes_sdk.hosts.embedded.agent.guardrails import landed
from hermes_sdk.hosts.embedded.agent.response import ToolCall as Wanted
from hermes_sdk.hosts.embedded.agent.result_budget import Budget, fit, sized
from hermes_sdk.hosts.embedded.agent.result_content import content_of, is_untrusted
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.builtins import BUILTINS
from hermes_sdk.hosts.embedded.builtins.terminal import STATE as TERMINAL
from hermes_sdk.hosts.embedded.dispatch import AGENT_LOOP_TOOLS, ToolCall

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.memory import Memory
    from hermes_sdk.hosts.embedded.agent.turn import Turn

# Tools that only read; the host runs neighbours of these side by side.
_PARALLEL = frozenset(
    {
        "ha_get_state",
        "ha_list_entities",
        "ha_list_services",
        "read_file",
        "search_files",
        "session_search",
        "skill_view",
        "skills_list",
        "vision_analyze",
        "web_extract",
        "web_search",
    }
)
_IN_LOOP = AGENT_LOOP_TOOLS | {"clarify"}
_MALFORMED = json.dumps(
    {
        "error": "Invalid tool arguments",
        "message": "Tool arguments must be a valid JSON object; tool was not executed.",
    }
)

Run = Callable[[], Any]


class NoLengthError(Exception):
    """A result has no length, over which releases that let any type pass come to grief (C23)."""


class ToolCalls:
    """Runs tool calls for a turn.

    Args:
        turn: The turn.
        request_id: The request whose answer asked for them.

    Attributes:
        failure: Why the calls after those that were answered did not run; None when all did.
    """

    def __init__(self, turn: Turn, request_id: str) -> None:
        self._turn = turn
        self._runtime = turn.session.runtime
        self._request_id = request_id
        self.failure: NoLengthError | None = None

    def run(self, wanted: Sequence[Wanted]) -> list[dict[str, Any]]:
        """Run the calls and return the messages with their results, in the order of the calls.

        Neighbours that only read run side by side on threads; all others wait for the call before them.
        """
        meant = [self._meant(one) for one in wanted]
        messages: list[dict[str, Any]] = []
        try:
            for group in self._groups(meant):
                if self._turn.is_stopped:
                    ran = bool(messages)
                    messages += [_skipped(one, started=ran) for one in meant[len(messages) :]]
                    break
                messages += self._of_group(group)
        except NoLengthError as error:
            self.failure = error
            return messages
        fit(messages, self._budget, self._put_aside)
        return messages

    def _meant(self, wanted: Wanted) -> Wanted:
        """What a call through ``tool_call`` calls: hooks and the model's message have that name (C15)."""
        if wanted.name != tool_search.CALL or not self._runtime.behaviour.tool_search:
            return wanted
        try:
            name, args = self._turn.session.search.resolve(json.loads(wanted.arguments))
        except (tool_search.NotResolved, AttributeError, ValueError):
            return wanted
        return replace(wanted, name=name, arguments=json.dumps(args))

    def _of_group(self, group: Sequence[Wanted]) -> list[dict[str, Any]]:
        if len(group) == 1:
            self._turn.tool = group[0].name
            return [self._message(group[0], self._prepared(group[0])())]
        runs = [self._prepared(one, concurrent=True) for one in group]
        with Workers(len(group)) as workers:
            waiting = [workers.submit(run) for run in runs]
            return [self._message(one, done.result()) for one, done in zip(group, waiting, strict=True)]

    def _prepared(self, wanted: Wanted, *, concurrent: bool = False) -> Run:
        """Ask middleware and hooks about a call; what is returned answers it."""
        try:
            args = json.loads(wanted.arguments)
        except ValueError:
            args = None
        if not isinstance(args, dict):
            if self._runtime.behaviour.arguments_must_be_object:
                return lambda: _MALFORMED
            args = {}
        dispatcher = self._runtime.dispatcher
        call = ToolCall(
            wanted.name,
            args,
            task_id=self._turn.task_id,
            session_id=self._turn.session.id,
            tool_call_id=wanted.id,
            turn_id=self._turn.id,
            api_request_id=self._request_id,
            enabled_tools=sorted(self._turn.session.tool_names),
        )
        dispatcher.request(call)
        # Before hooks were told whose call it is, they got the same arguments with less about them.
        told = call if self._runtime.behaviour.turn_call_ids else replace(call, session_id="", tool_call_id="")
        message = dispatcher.blocked(told)
        if message is not None:
            refused = dispatcher.refuse(call, message)
            return lambda: refused
        guardrails = self._turn.guardrails
        if circling := guardrails.before(call.name, call.args):
            blocked = dispatcher.refuse(call, circling.message, "guardrail_block", circling.result)
            return lambda: blocked
        run = self._run_of(call, concurrent=concurrent)
        return lambda: guardrails.after(call.name, call.args, run())

    def _run_of(self, call: ToolCall, *, concurrent: bool) -> Run:
        dispatcher = self._runtime.dispatcher
        # Within a turn, what wraps the execution is told of the arguments that were decided on.
        call.original_args = call.args
        if call.name in tool_search.BRIDGES and self._runtime.behaviour.tool_search:
            return lambda: self._turn.session.search.answer(call.name, call.args)
        if in_loop := self._in_loop(call):
            return lambda: dispatcher.execute(call, in_loop)
        if concurrent:
            # The host wraps a call that it runs on a thread once for the thread and once for the tool.
            return lambda: dispatcher.wrapped(call, lambda _: self._executed(call))
        return lambda: self._executed(call)

    def _executed(self, call: ToolCall) -> Any:
        self._runtime.dispatcher.coerce(call)
        call.original_args = dict(call.args)
        result = self._runtime.dispatcher.execute(call)
        if landed(call.name, result):
            self._turn.edited.update(json.loads(result).get("files_modified", ()))
        return result

    def _in_loop(self, call: ToolCall) -> Callable[[Any], Any] | None:
        """What runs a tool that the agent loop keeps to itself; None for a tool of the registry."""
        session = self._turn.session
        memory, engine = session.memory, session.engine
        if memory is not None and call.name in memory.tool_names:
            return lambda args: memory.call_tool(call.name, args)
        if engine is not None and call.name in engine.tool_names:
            return lambda args: engine.call_tool(call.name, args, session.history)
        if call.name not in _IN_LOOP:
            return None
        if call.name == "delegate_task":
            from hermes_sdk.hosts.embedded.agent.delegation import delegate

            return lambda args: delegate(self._turn, args)
        side = self._turn.session.turnside(self._turn, call)
        if call.name == "memory" and memory is not None:
            return lambda args: self._remembered(memory, call, args, BUILTINS["memory"].run(args, side))
        return lambda args: BUILTINS[call.name].run(args, side)

    def _remembered(self, memory: Memory, call: ToolCall, args: dict[str, Any], result: Any) -> Any:
        """The result of the host's own tool, of which a memory provider is told."""
        about = {
            "write_origin": "assistant_tool",
            "execution_context": "foreground",
            "session_id": self._turn.session.id,
            "platform": self._turn.session.platform,
            "tool_name": "memory",
            "task_id": call.task_id,
            "tool_call_id": call.tool_call_id,
        }
        memory.wrote(args, result, about)
        return result

    def _groups(self, wanted: Sequence[Wanted]) -> list[list[Wanted]]:
        """Split calls so that those of one group may run side by side."""
        if not self._runtime.behaviour.parallel_segments and any(one.name not in _PARALLEL for one in wanted):
            return [[one] for one in wanted]
        groups: list[list[Wanted]] = []
        for one in wanted:
            if one.name in _PARALLEL and groups and groups[-1][-1].name in _PARALLEL:
                groups[-1].append(one)
            else:
                groups.append([one])
        return groups

    def _message(self, wanted: Wanted, result: Any) -> dict[str, Any]:
        behaviour = self._runtime.behaviour
        if not hasattr(result, "__len__"):
            raise NoLengthError(f"object of type {type(result).__name__!r} has no len()")
        if isinstance(result, str):
            result = sized(result, wanted.name, wanted.id or "", self._budget, self._put_aside)
        content = content_of(wanted.name, result, behaviour, sees_images=self._runtime.sees_images)
        message = {"role": "tool", "name": wanted.name, "tool_name": wanted.name, "content": content}
        message["tool_call_id"] = wanted.id
        if not behaviour.tool_messages_named:
            del message["tool_name"]
        if behaviour.tool_output_risk and is_untrusted(wanted.name):
            # The host looks for instructions in the text; what it finds there is not modelled.
            message["_tool_output_risk"] = {"risk": "low", "findings": [], "redacted": False}
        return message

    @property
    def _budget(self) -> Budget:
        by_context = self._runtime.behaviour.result_sizes_scaled
        return Budget.of(self._runtime.context_length) if by_context else Budget()

    @property
    def _put_aside(self) -> Path | None:
        """Where long results go: to the terminal's temporary files, once a tool has used it."""
        return Path(tempfile.gettempdir()) if TERMINAL in self._runtime.state.memory else None


def _skipped(call: Wanted, *, started: bool) -> dict[str, Any]:
    """The message for a call that the user's stop came before."""
    why = "was not started. User sent a new message" if started else "was skipped due to user interrupt"
    text = f"[Tool execution {'skipped' if started else 'cancelled'} — {call.name} {why}]"
    return {"role": "tool", "name": call.name, "tool_name": call.name, "content": text, "tool_call_id": call.id}


def without_repeats(calls: list[Wanted]) -> list[Wanted]:
    """Leave out calls that are the same as one before."""
    first: dict[tuple[str, str], Wanted] = {}
    for one in calls:
        first.setdefault((one.name, one.arguments), one)
    return list(first.values())


def refused(call: Wanted, content: str) -> dict[str, Any]:
    """The message for a call of a tool that there is not."""
    return {"role": "tool", "name": call.name, "tool_call_id": call.id, "content": content}
