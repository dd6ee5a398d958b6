"""One turn: what the user said, the requests to the model, the tool calls between them, and the reply (D8 to D37)."""

from __future__ import annotations

import json
import time
import uuid
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent import phrases, tool_names
from hermes_sdk.hosts.embedded.agent.context_spill import spilled
from hermes_sdk.hosts.embedded.agent.empty_replies import HELPING, Nothing
from hermes_sdk.hosts.embedded.agent.guardrails import Guardrails
from hermes_sdk.hosts.embedded.agent.hook_directives import context_of, continuation_of
from hermes_sdk.hosts.embedded.agent.request import Ids, Request, RequestFailed, failed
from hermes_sdk.hosts.embedded.agent.response import (
    NormalizedResponse,
    ToolCall,
    history_message,
    name_the_nameless,
    normalised,
    usage_summary,
    without_thinking,
)
from hermes_sdk.hosts.embedded.agent.tool_calls import ToolCalls, refused, without_repeats
from hermes_sdk.hosts.embedded.agent.wire_messages import VERIFYING, mend, rough_tokens, wire_messages

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.session import Session

_MOST_CONTINUATIONS = 4
_MOST_UNKNOWN_TOOLS = 3
_MOST_COMPRESSIONS = 3
_FRAGMENT = 24
_SENTENCE_ENDS = frozenset(".!?。！？`)")


# Marks of messages that only help the model along.
_CHECKING = "_pre_verify_synthetic"


class _StoppedBetween(Exception):
    """The user stopped the turn while it waited for no answer of the model."""


class Turn:
    """One turn of a session.

    Args:
        session: The session.
        text: What the user said.
        task_id: The task that it belongs to. Default: one of its own.
        notes: What the model is told beside it.

    Attributes:
        id: Its id.
        reply: What the user gets; None until it is known, and when there is nothing.
        error: Why it failed, or None.
        tool: The tool that runs now, or None.
        edited: The files that tools of the host changed in it.
        guardrails: What watches its tool calls.
        requests: How many requests it made.
        completed: Whether the model ended it by itself; False until it has.
        interrupted: Whether the user stopped it.
    """

    def __init__(self, session: Session, text: str, task_id: str | None = None, notes: str = "") -> None:
        self.session = session
        self.reply: str | None = None
        self.error: str | None = None
        self.tool: str | None = None
        self.task_id = task_id or str(uuid.uuid4())
        self.id = f"{session.id}:{self.task_id}:{uuid.uuid4().hex[:8]}"
        self.edited: set[str] = set()
        self.requests = 0
        self.completed = False
        self.interrupted = False
        self._runtime, self._origin = session.runtime, session.origin
        behaviour = session.runtime.behaviour
        self.guardrails = Guardrails(session.runtime.config.get("tool_loop_guardrails"), behaviour)
        self._text = text
        self._notes = notes
        self._user: dict[str, Any] = {"role": "user", "content": text}
        self._sent_text = text
        self._messages = session.history
        # What a gateway has from its database is not marked until something is stored again.
        self._unstored: list[dict[str, Any]] = [*session.history] if self._origin else []
        self._nothing = Nothing(self._messages, self._user, self._add, behaviour)
        self._parts: list[str] = []
        self._unknown_tools = self._verified = self._compressions = 0

    def run(self) -> str | None:
        """Take the turn.

        Returns:
            The reply; None when it was stopped between two requests.

        Raises:
            RequestFailed: It ended without one; none of the hooks that end a turn was fired (D37).
        """
        first = not self._messages
        self._messages.append(self._user)
        self.session.begin()
        if self._runtime.behaviour.user_message_stored_first:
            self._store(self._user)
        self._add_context(first)
        self._store(self._user)
        reply: str | None
        try:
            reply = self._reply()
        except InterruptedError:
            reply = self._stopped(phrases.INTERRUPTED)
        except _StoppedBetween:
            reply = self._stopped(None)
        except RequestFailed:
            self._store()
            if self._runtime.behaviour.session_end_always:
                self._tell_end()
            raise
        finally:
            self._forget_help()
        return self._ended(reply)

    def _stopped(self, reply: str | None) -> str | None:
        self.interrupted, self.completed = True, reply is not None
        closes = self._runtime.behaviour.interrupted_calls_closed
        if closes and self._messages[-1]["role"] == "tool":
            self._add({"role": "assistant", "content": reply or phrases.STOPPED})
        return reply

    def _forget_help(self) -> None:
        """Drop the messages that only helped the model along."""
        drops = self._runtime.behaviour.verify_nudges_dropped
        passing = (HELPING, _CHECKING) if drops else (HELPING,)
        self._messages[:] = [one for one in self._messages if not any(one.get(mark) for mark in passing)]

    def _add_context(self, first: bool) -> None:
        answers = self._runtime.hooks.fire(
            "pre_llm_call",
            **self._ids,
            user_message=self._text,
            conversation_history=list(self._messages),
            is_first_turn=first,
            **self._place,
            sender_id=self._origin.sender_id if self._origin else "",
        )
        pieces = [piece for answer in answers if (piece := context_of(answer))]
        if self._runtime.behaviour.context_spill:
            runtime = self._runtime
            pieces = [spilled(piece, runtime.config, runtime.state.home.path, self.session.id) for piece in pieces]
        pieces += [self._notes] if self._notes else []
        session = self.session
        if session.memory:
            number = sum(one["role"] == "user" for one in self._messages)
            pieces = [*filter(None, [session.memory.begin_turn(number, self._text)]), *pieces]
        self._sent_text = "\n\n".join([self._text, *pieces])
        if pieces and self._runtime.behaviour.injected_context_replayed:
            self._user["api_content"] = self._sent_text

    def _reply(self) -> str:
        """Ask the model until it has no more calls to make."""
        while self.requests < self._runtime.max_iterations:
            if self.is_stopped:
                raise _StoppedBetween
            self._make_room()
            self.requests += 1
            self.session.requests += 1
            if self._origin:
                self._origin.step(self.requests, self._messages)
            request, answer = self._answer()
            if answer is None:
                continue
            if answer.tool_calls:
                self._act(request, answer, answer.tool_calls)
                if halt := self.guardrails.halt:
                    self._add({"role": "assistant", "content": halt.reply})
                    self.completed = True
                    return halt.reply
                if (engine := self.session.engine) and engine.wants_to_compress():
                    engine.compress(self.session, engine.last_prompt_tokens)
                continue
            reply = self._final(answer)
            if reply is not None:
                self.completed = True
                return reply
        return self._summary()

    @property
    def is_stopped(self) -> bool:
        """Whether the user of a chat has stopped it."""
        return self._origin is not None and self._origin.stop.is_set()

    def _make_room(self) -> None:
        """Let a context engine compress before a request, where the release asks it there (G15)."""
        engine = self.session.engine
        if not engine or not self._runtime.behaviour.engine_asked_before_requests:
            return
        while len(self._messages) > 1 and self._compressions < _MOST_COMPRESSIONS:
            tokens = rough_tokens(self._sent()) + rough_tokens(self.session.tools)
            if not engine.wants_to_compress_first(tokens):
                return
            self._compressions += 1
            engine.compress(self.session, tokens)

    def _answer(self) -> tuple[Request, NormalizedResponse | None]:
        """Ask the model; None for an answer that was cut off and is to be continued."""
        for repeat in range(1 + self._runtime.call_repeats):
            request = self._request(repeat or len(self._parts))
            response = request.response()
            answer = normalised(response)
            usage = usage_summary(response)
            self.session.count(usage)
            if self.session.engine:
                self.session.engine.answered(usage)
            if answer.finish_reason != "length":
                request.tell_answer(response, answer)
                return request, answer
            if not answer.tool_calls:
                self._continue(answer)
                return request, None
        raise failed(self._runtime, phrases.TRUNCATED)

    def _request(self, cut_off: int) -> Request:
        mend(self._messages)
        return Request(
            self._runtime,
            Ids(self.session.id, self.session.platform, self.task_id, self.id),
            self.requests,
            messages=self._sent(),
            tools=self.session.tools,
            user_message=self._text,
            history=self._messages,
            cut_off=cut_off,
            origin=self._origin,
        )

    def _sent(self, *, compact: bool = True) -> list[dict[str, Any]]:
        """The messages of a request."""
        history = self._messages
        # What was added is lost when the message was joined with one before it.
        if self._sent_text != self._text == self._user["content"]:
            own = {**self._user, "api_content": self._sent_text}
            history = [own if one is self._user else one for one in history]
        sent = wire_messages(history, self._runtime.behaviour, compact=compact)
        return [{"role": "system", "content": self.session.system}, *sent]

    def _continue(self, answer: NormalizedResponse) -> None:
        self._parts.append(answer.content or "")
        self._add_unstored(history_message(answer, "length"))
        if len(self._parts) == _MOST_CONTINUATIONS:
            error = f"Response remained truncated after {_MOST_CONTINUATIONS} continuation attempts"
            raise RequestFailed("".join(self._parts).strip(), error)
        self._add_unstored({"role": "user", "content": phrases.CONTINUE})

    def _act(self, request: Request, answer: NormalizedResponse, wanted: list[ToolCall]) -> None:
        valid, behaviour = self.session.tool_names, self._runtime.behaviour
        cuts, explains = behaviour.markup_cut_from_tool_names, behaviour.nameless_calls_explained
        for call in wanted:
            if call.name not in valid:
                call.name = tool_names.repaired(call.name, valid, cuts_markup=cuts) or call.name.strip()
            if not (call.arguments or "").strip():
                call.arguments = "{}"
        known = [call for call in wanted if call.name in valid]
        self._unknown_tools = 0 if known else self._unknown_tools + 1
        if self._unknown_tools == _MOST_UNKNOWN_TOOLS:
            raise failed(self._runtime, f"Model generated invalid tool call: {tool_names.shortened(wanted[0].name)}")
        if known:
            answer.tool_calls = wanted = without_repeats(wanted)
            known = [call for call in wanted if call.name in valid]
            self._nothing.told_to_use_results = False
        if known and self._origin and (said := without_thinking(answer.content or "")):
            self._origin.pass_on(said)
        message = history_message(answer, answer.finish_reason)
        if behaviour.nameless_calls_named:
            name_the_nameless(message)
        # Nothing is stored for an answer that asks only for tools that there are not.
        add = self._add if known else self._add_unstored
        add(message)
        for call in wanted:
            if call.name not in valid:
                add(refused(call, tool_names.refusal(call.name, valid, explains_nameless=explains)))
        calls = ToolCalls(self, request.id)
        answers = calls.run(known)
        for message in answers:
            self._add(message)
        if calls.failure:
            error = f"Error during OpenAI-compatible API call #{self.requests}: {calls.failure}"
            for call in known[len(answers) :]:
                self._add_unstored(refused(call, f"Error executing tool: {error}"))

    def _final(self, answer: NormalizedResponse) -> str | None:
        """The reply that an answer without calls is; None when the model has to go on."""
        text = answer.content or ""
        if not without_thinking(text):
            return self._nothing.after(answer)
        reply = without_thinking("".join([*self._parts, text]))
        message = history_message(answer, answer.finish_reason)
        if nudge := self._nudge(reply):
            message["finish_reason"] = VERIFYING
            if self._runtime.behaviour.verify_nudges_dropped:
                self._add(message)
            else:
                self._messages.append({**message, _CHECKING: True})
            self._messages.append({"role": "user", "content": nudge, _CHECKING: True})
            return None
        while self._messages[-1].get("_thinking_prefill"):
            self._messages.pop()
        self._add(message)
        return reply

    def _nudge(self, reply: str) -> str | None:
        """What ``pre_verify`` answers when the turn changed files and is about to end (D35)."""
        runtime = self._runtime
        if not self.edited or self._verified >= runtime.max_verify_nudges or not runtime.hooks.has("pre_verify"):
            return None
        answers = runtime.hooks.fire(
            "pre_verify",
            session_id=self.session.id,
            platform=self.session.platform,
            model=runtime.model_name,
            coding=False,
            attempt=self._verified,
            final_response=reply,
            changed_paths=sorted(self.edited),
        )
        nudge = next((text for answer in answers if (text := continuation_of(answer))), None)
        self._verified += nudge is not None
        return nudge

    def _summary(self) -> str:
        """Let the model sum up when it may make no more calls."""
        self._add({"role": "user", "content": phrases.SUMMARISE})
        body = {"model": self._runtime.model_name, "messages": self._sent(compact=False)}
        answer, _ = self._runtime.model.answer("aux", json.loads(json.dumps(body)))
        text = without_thinking(answer.text or "")
        self._add({"role": "assistant", "content": text})
        explains = self._runtime.behaviour.turn_end_explained
        if not explains or len(text) > _FRAGMENT or text[-1:] in _SENTENCE_ENDS:
            return text
        return f"{text}\n\n{phrases.NO_ROOM}".strip()

    def _ended(self, reply: str | None) -> str | None:
        if self._origin and self._runtime.behaviour.gateway_turns_stamped:
            self._user["timestamp"] = time.time()
        if reply is not None and not self.interrupted:
            reply = self._delivered(reply)
        self._tell_end()
        return reply

    def _delivered(self, reply: str) -> str:
        session_id = self.session.id
        for answer in self._runtime.hooks.fire(
            "transform_llm_output", response_text=reply, session_id=session_id, **self._place
        ):
            if isinstance(answer, str) and answer:
                reply = answer
                break
        self._runtime.hooks.fire(
            "post_llm_call",
            **self._ids,
            user_message=self._text,
            assistant_response=reply,
            conversation_history=list(self._messages),
            **self._place,
        )
        if self.session.memory:
            self.session.memory.end_turn(self._text, reply, self.session.id, list(self._messages))
        return reply

    def _tell_end(self) -> None:
        self._runtime.hooks.fire(
            "on_session_end", **self._ids, completed=self.completed, interrupted=self.interrupted, **self._place
        )

    # In the order of the host, which Python's message about an argument that a callback lacks tells.

    @property
    def _ids(self) -> dict[str, str]:
        return {"session_id": self.session.id, "task_id": self.task_id, "turn_id": self.id}

    @property
    def _place(self) -> dict[str, str]:
        return {"model": self._runtime.model_name, "platform": self.session.platform}

    def _add(self, message: dict[str, Any]) -> None:
        self._messages.append(message)
        self._store(message)

    def _add_unstored(self, message: dict[str, Any]) -> None:
        """Add a message that the host's database gets together with the next one."""
        self._messages.append(message)
        self._unstored.append(message)

    def _store(self, *messages: dict[str, Any]) -> None:
        """Mark messages as the host does once its database has them, those that waited first."""
        if self._runtime.behaviour.messages_marked_stored:
            for one in (*self._unstored, *messages):
                one["_db_persisted"] = True
        self._unstored.clear()
