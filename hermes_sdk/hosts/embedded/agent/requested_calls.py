"""The tool calls in a response: calls of known tools run, and others get an error result."""

from __future__ import annotations

import itertools

from hermes_sdk.hosts.embedded.agent.empty_replies import EmptyReplies
from hermes_sdk.hosts.embedded.agent.failed_turns import RequestFailed
from hermes_sdk.hosts.embedded.agent.request import Request
from hermes_sdk.hosts.embedded.agent.response import (
    NormalizedResponse,
    ToolCall,
    fill_in_names,
)
from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.tool_call_repair import refuse_name, repair_name, shorten_name
from hermes_sdk.hosts.embedded.agent.tool_calls import ToolCalls, drop_repeats
from hermes_sdk.hosts.embedded.agent.tool_messages import refuse_call
from hermes_sdk.hosts.embedded.agent.turn_history import TurnHistory

_MAX_UNKNOWN_TOOLS = 3
_GENERATED_PREFIX = "chatcmpl-tool-"
"""Prefix of call ids that other providers do not accept."""


class RequestedCalls:
    """Runs the tool calls in the responses of one turn, and rejects calls of unknown tools."""

    def __init__(self, session: Session, history: TurnHistory, calls: ToolCalls, empty_replies: EmptyReplies) -> None:
        self._session = session
        self._behaviour = session.behaviour
        self._wording = session.runtime.state.wording
        self._history = history
        self._calls = calls
        self._empty_replies = empty_replies
        self._reported: set[str] = set()
        self._unknown_tools = 0

    def run(self, request: Request, answer: NormalizedResponse, calls: list[ToolCall]) -> bool:
        """Run the calls of known tools and refuse the others; return whether any ran, and all ran without failure.

        Raises:
            RequestFailed: The model asked for unknown tools too often.
        """
        valid, behaviour, history = self._session.tool_names, self._behaviour, self._history
        self._make_ids_unique(calls)
        self._repair(calls)
        known = [call for call in calls if call.name in valid]
        self._unknown_tools = 0 if known else self._unknown_tools + 1
        if self._unknown_tools == _MAX_UNKNOWN_TOOLS:
            self._session.status.release()
            unknown = next(call for call in calls if call.name not in valid)
            error = f"Model generated invalid tool call: {shorten_name(unknown.name)}"
            if behaviour.unusable_calls_closed:
                history.close_calls(error)
            raise RequestFailed(error, error)
        if known:
            answer.tool_calls = calls = drop_repeats(calls)
            known = [call for call in calls if call.name in valid]
        message = history.make_answer(answer, answer.finish_reason)
        if known:
            self._report_interim(request, message["content"], known)
        if not behaviour.nameless_calls_sent_named:
            fill_in_names(message)
        # The host stores a response with only unknown calls together with the next message.
        add = history.add if known else history.add_unstored
        add(message)
        for call in calls:
            if call.name not in valid:
                add(refuse_call(call, refuse_name(call.name, valid, self._wording)))
        results, failure = self._calls.run(known, request.id, history.add)
        self._session.streams_new_paragraph |= bool(known)
        if failure:
            error = self._wording("tool_call.failed", number=request.number, error=failure)
            for call in known[len(results) :]:
                history.add_unstored(refuse_call(call, f"Error executing tool: {error}"))
        return bool(known) and not failure

    def _make_ids_unique(self, calls: list[ToolCall]) -> None:
        """Rename repeated call ids, on releases that do so.

        Raises:
            NotSupported: The host would repair an id in another way, or lose results of calls that share one.
        """
        state, behaviour = self._session.runtime.state, self._behaviour
        ids = [call.id or "" for call in calls]
        generated = (
            behaviour.used_call_ids_renamed and len(ids) > 1 and all(one.startswith(_GENERATED_PREFIX) for one in ids)
        )
        if generated or any(not one or one != one.strip() or "|" in one for one in ids):
            raise state.unsupported("repair the id of a tool call")
        if len({*ids}) < len(ids) and not behaviour.repeated_call_ids_renamed:
            raise state.unsupported("run tool calls that share an id")
        messages = self._history.messages if behaviour.used_call_ids_renamed else []
        used = {call["id"] for message in messages for call in message.get("tool_calls", ())}
        for call, own in zip(calls, ids, strict=True):
            names = itertools.chain([own], (f"{own}_d{number}" for number in itertools.count(2)))
            call.id = next(name for name in names if name not in used) if behaviour.repeated_call_ids_renamed else own
            used.add(call.id)

    def _repair(self, calls: list[ToolCall]) -> None:
        """Repair the names of calls, and replace missing arguments with an empty object."""
        valid = self._session.tool_names
        for call in calls:
            if call.name not in valid:
                call.name = repair_name(call.name, valid) or call.name
            if not (call.arguments or "").strip():
                call.arguments = "{}"

    def _report_interim(self, request: Request, text: str, known: list[ToolCall]) -> None:
        """Report the text of a response with calls to hooks and to the chat."""
        origin = self._session.origin
        self._empty_replies.note_calls(text, known)
        key = " ".join(text.split())
        if not key or key == "(empty)" or key in self._reported:
            return
        request.report_interim(text)
        if origin and origin.passes_on:
            self._reported.add(key)
            origin.pass_on(text)
