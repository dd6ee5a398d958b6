"""One turn, from the user's message through requests and tool calls to the reply (D8 to D37)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.agent.empty_replies import (
    EMPTY_EXIT,
    LIMIT_EXIT,
    PREFILL,
    SAVED_TEXT_EXIT,
    EmptyReplies,
    complete_reply,
    explain_missing_reply,
    request_summary,
)
from hermes_sdk.hosts.embedded.agent.failed_turns import RequestFailed, close_failed_turn, find_notice
from hermes_sdk.hosts.embedded.agent.request import Request
from hermes_sdk.hosts.embedded.agent.requested_calls import RequestedCalls
from hermes_sdk.hosts.embedded.agent.response import (
    NormalizedResponse,
    has_other_tags,
    is_repetitive,
    normalise,
    strip_thinking,
)
from hermes_sdk.hosts.embedded.agent.session import Session, TurnIds
from hermes_sdk.hosts.embedded.agent.surrogates import replace_surrogates
from hermes_sdk.hosts.embedded.agent.tool_calls import Delegate, ToolCalls
from hermes_sdk.hosts.embedded.agent.turn_compression import TurnCompression
from hermes_sdk.hosts.embedded.agent.turn_history import (
    ASKS_TO_CONTINUE,
    ASKS_TO_VERIFY,
    FRAGMENT,
    HIDDEN,
    VERIFYING,
    TurnHistory,
)
from hermes_sdk.hosts.embedded.agent.turn_hooks import TurnHooks
from hermes_sdk.hosts.embedded.builtins.file_access import FileHistory
from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary_hooks import current_turn

_REPLY_EXIT = "text_response"
_MAX_CALL_RETRIES = 4
"""Maximum number of retries after truncated tool calls."""
_MIN_TRUNCATED_LOOP = 400
_MIN_LOOP = 16_000
"""Minimum lengths of truncated and of complete responses that the host may treat as a loop of the model."""
_MAX_PARTS = 4
"""Number of truncated parts of a response after which the host gives up."""


class _StoppedBetweenRequests(Exception):
    """Raised if the user stopped the turn between two requests."""


class Turn:
    """One turn of a session.

    Args:
        task_id: The id of the turn's task; a new one by default.
        notes: Text that is added to the user's message for the model only.
        about: Additional keys of the user's message.

    Attributes:
        reply: The reply to the user, or None.
        error: Why the turn failed, or None.
        requests: The number of requests so far.
        completed: Whether the model ended the turn.
        interrupted: Whether the user stopped the turn.
        is_requesting: Whether a request is in progress.
        notice: A notice below the reply of a failed turn; empty without one.
        kept_reply: The reply, if it is an interim text that the chat has already received.
    """

    def __init__(
        self,
        session: Session,
        text: str,
        delegate: Delegate,
        task_id: str | None = None,
        notes: str = "",
        about: Mapping[str, Any] | None = None,
    ) -> None:
        task_id = task_id or str(uuid.uuid4())
        self.session = session
        self.ids = TurnIds(session.id, task_id, f"{session.id}:{task_id}:{uuid.uuid4().hex[:8]}")
        self.reply: str | None = None
        self.error: str | None = None
        self.requests = 0
        self.completed = False
        self.interrupted = False
        self.is_requesting = False
        self.notice = ""
        self.kept_reply = ""
        text = replace_surrogates(text)
        self._text = text
        self._notes = notes
        self._behaviour = session.behaviour
        self._wording = session.runtime.state.wording
        self._settings = session.settings
        self._history = TurnHistory(session, text, about or {})
        self._compression = TurnCompression(session, self._history)
        self._hooks = TurnHooks(session, self.ids, text)
        self._calls = ToolCalls(session, self.ids, delegate)
        self._empty_replies = EmptyReplies(self._history, session)
        self._parts: list[str] = []
        self._continues = False
        self._truncated_calls = 0
        self._requests_during_delegation = 0
        self._empty_text: str | None = None
        self._unverified_reply = ""
        self._requested = RequestedCalls(session, self._history, self._calls, self._empty_replies)
        self._verifications = 0
        self._exit_reason = "unknown"

    @property
    def runs_tools(self) -> bool:
        """Return whether tools are running."""
        return self._calls.are_running

    @property
    def tool(self) -> str | None:
        """The tool that started last; None if no tools are running."""
        return self._calls.current

    def run(self) -> None:
        """Run the turn; if a request fails, the hooks for replies do not fire (D37)."""
        token = current_turn.set({**self.ids._asdict(), "platform": self.session.platform})
        try:
            self._begin()
            self.reply = self._finish(self._get_reply())
        except RequestFailed as failed:
            self.reply, self.error = failed.reply, failed.error
            self.session.failure_reason = failed.reason
            if failed.counts_as_failed and self._behaviour.failures_explained:
                if self._parts:
                    raise self.session.runtime.state.unsupported("keep part of an answer that fails midway") from failed
                self.notice = find_notice(self._history, self.session)
            self._close_unanswered(failed)
        else:
            self._close_unanswered(None)
            if self._behaviour.replies_without_surrogates:
                self.reply = replace_surrogates(self.reply)
        finally:
            self._history.forget_note()
            if self._behaviour.files_forgotten_after_turns:
                FileHistory.forget(self.session.runtime.state, self.ids.task_id)
            current_turn.reset(token)

    def _close_unanswered(self, failure: RequestFailed | None) -> None:
        if self._behaviour.failures_explained and not self.completed:
            close_failed_turn(self._history, self.session, failure)

    def _begin(self) -> None:
        history = self._history
        is_first = not history.messages
        number = self.session.count_turn()
        history.append(history.user)
        self.session.begin()
        self._compression.check_start()
        pieces = self._hooks.collect_context(is_first_turn=is_first)
        pieces += [self._notes] if self._notes else []
        if memory := self.session.memory:
            pieces = [*filter(None, [memory.begin_turn(number, self._text, self.session.id)]), *pieces]
        history.add_context(pieces)
        history.store(history.user)

    def _get_reply(self) -> str | None:
        """Return the reply, or None if the user stopped the turn between two requests."""
        try:
            return self._loop()
        except InterruptedError:
            if text := self.session.origin.take_correction() if self.session.origin else "":
                self._redirect(text)
                return self._get_reply()
            self._exit_reason = "interrupted_during_api_call"
            return self._stop(self._wording("turn.interrupted"))
        except _StoppedBetweenRequests:
            self._exit_reason = "interrupted_by_user"
            return self._stop(None)
        except RequestFailed:
            self._history.store()
            raise
        finally:
            self._history.forget_recovery()

    def _redirect(self, text: str) -> None:
        """Continue with the user's correction; the interrupted request does not count."""
        self.requests -= 1
        self.session.requests -= 1
        self._text = f"{self._text}\n\nUser correction during the turn: {text}"
        hidden: dict[str, Any] = {"role": "assistant", "content": "", "display_kind": HIDDEN}
        if self._behaviour.placeholders_replayed:
            hidden["api_content"] = self._wording("turn.cut_short")
        self._history.add(hidden)
        correction = self._wording("turn.corrected", text=text)
        self._history.add({"role": "user", "content": text, "api_content": correction})
        self.session.streams_new_paragraph = True

    def _stop(self, reply: str | None) -> str | None:
        self.interrupted = True
        self._history.close_calls(reply or self._wording("turn.stopped"))
        return reply

    def _loop(self) -> str:
        """Send requests until the model replies without tool calls."""
        session = self.session
        while self.requests < self._settings.max_iterations:
            if session.is_stopped:
                raise _StoppedBetweenRequests
            self._history.merge_neighbours()
            self._compression.prepare_request()
            self.requests += 1
            session.requests += 1
            if session.origin:
                session.origin.report_step(self.requests, session.history)
            self._require_order()
            request, answer = self._send_request()
            if answer is None:
                continue
            if answer.tool_calls:
                ran = self._requested.run(request, answer, answer.tool_calls)
                if ran:
                    self._truncated_calls = 0
                    self._finish_calls()
                continue
            reply = self._accept(answer)
            if reply is not None:
                return reply
        if self._unverified_reply:
            self._exit_reason = f"{LIMIT_EXIT}({self.requests}/{self._settings.max_iterations})"
            return self._unverified_reply
        return self._summarise() if self._empty_text is None else self._leave_unanswered(self._empty_text)

    def _require_order(self) -> None:
        """Allow one request while a delegated task is pending: the host runs both concurrently, in varying order.

        Raises:
            NotSupported: The turn sends a second request.
        """
        if not self.session.background:
            return
        self._requests_during_delegation += 1
        if self._requests_during_delegation > 1:
            raise self.session.runtime.state.unsupported("go on with a turn while a task that it delegated runs")

    def _finish_calls(self) -> None:
        """Compress after tool calls; the turn continues if the context engine raises.

        Raises:
            NotSupported: The engine raised at the request limit, where the host ends the turn.
        """
        state = self.session.runtime.state
        try:
            self._compression.finish_calls()
        except HermesSdkError:
            raise
        except Exception as error:
            state.swallow("turn", error)
            if self.requests >= self._settings.max_iterations - 1:
                raise state.unsupported("end a turn whose context engine raised at its limit of requests") from error

    def _leave_unanswered(self, text: str) -> str:
        """End a turn at its request limit without a summary, as the host does after an empty response."""
        if text or self._behaviour.failures_explained:
            raise self.session.runtime.state.unsupported("end a turn at its limit of requests after an empty answer")
        self._exit_reason = "unknown"
        return text

    def _send_request(self) -> tuple[Request, NormalizedResponse | None]:
        """Send a request; the response is None if it was truncated and the model should continue."""
        failed = 0
        for repeat in range(1 + _MAX_CALL_RETRIES):
            self._history.merge_neighbours()
            request = Request(
                self.session,
                self.ids,
                self.requests,
                messages=self._history.make_request(),
                user_message=self._text,
                truncations=repeat or (len(self._parts) if self._continues else 0),
                failed=failed,
            )
            self._continues = False
            self.is_requesting = True
            try:
                response = request.send()
            finally:
                self.is_requesting = False
            failed = request.failed
            answer = normalise(response)
            self._require_plain(answer)
            if answer.finish_reason != "length":
                request.report_answer(response, answer)
                return request, answer
            if not answer.tool_calls:
                self._continue(answer)
                return request, None
            # The host resets its count only after a tool has run.
            if self._truncated_calls > repeat:
                raise self.session.runtime.state.unsupported("repeat a request for calls that were cut off before")
            self._truncated_calls += 1
        self.session.status.release()
        error = self._wording("turn.truncated")
        if self._behaviour.unusable_calls_closed:
            self._history.close_calls(error)
        raise RequestFailed(error, error)

    def _require_plain(self, answer: NormalizedResponse) -> None:
        """Refuse malformed responses for which the recovery of the host is not modelled.

        Raises:
            NotSupported: The response has unusual tags, lacks the calls that it announces, or repeats itself.
        """
        text, unsupported = answer.content or "", self.session.runtime.state.unsupported
        if has_other_tags(text):
            raise unsupported("remove unusual marks of reasoning or calls from an answer")
        if answer.finish_reason == "tool_calls" and not answer.tool_calls and text:
            raise unsupported("ask again for the calls that an answer announces")
        if len(text) >= _MIN_LOOP and is_repetitive(text):
            raise unsupported("end a turn whose answer repeats itself")

    def _continue(self, answer: NormalizedResponse) -> None:
        """Store a truncated response, and ask for the rest."""
        unsupported = self.session.runtime.state.unsupported
        text = strip_thinking(answer.content or "", self._behaviour)
        if not text and (answer.content or self._behaviour.cut_off_answers_joined):
            raise unsupported("continue an answer that was cut off before its text")
        if len(text) >= _MIN_TRUNCATED_LOOP and is_repetitive(text):
            raise unsupported("end a turn whose answer repeats itself")
        self._continues = True
        self._parts.append(answer.content or "")
        self._history.add_unstored({**self._history.make_answer(answer, "length"), **self._mark(FRAGMENT)})
        if len(self._parts) == _MAX_PARTS:
            text = self._join_parts().strip()
            if self._behaviour.cut_off_answers_joined:
                # The joined text replaces the parts and the messages that requested further parts.
                self._history.drop_last(2 * _MAX_PARTS - 1)
                self._history.add({"role": "assistant", "content": text, "finish_reason": "length"})
            error = f"Response remained truncated after {_MAX_PARTS} continuation attempts"
            raise RequestFailed(text, error)
        prompt = {"role": "user", "content": self._wording("turn.continue")}
        self._history.add_unstored({**prompt, **self._mark(ASKS_TO_CONTINUE)})

    def _join_parts(self, last: str = "") -> str:
        """Join the parts of a response; most releases insert a line break between parts without white space."""
        text = ""
        for part in [*self._parts, last]:
            touches = text and part and not text[-1].isspace() and not part[0].isspace()
            text += f"\n{part}" if touches and self._behaviour.cut_off_answers_joined else part
        return text

    def _mark(self, mark: str) -> dict[str, bool]:
        return {mark: True} if self._behaviour.cut_off_answers_joined else {}

    def _accept(self, answer: NormalizedResponse) -> str | None:
        """Return the reply in a response without calls, or None if the model has to continue."""
        text = answer.content or ""
        if not strip_thinking(text, self._behaviour):
            if (saved := self._empty_replies.take_saved_text()) is not None:
                self._exit_reason = SAVED_TEXT_EXIT
                if self.session.origin and self.session.origin.passes_on:
                    self.kept_reply = saved
                self._history.close_calls(saved)
                explained_last = self._behaviour.empty_replies_explained_last
                return saved if explained_last else complete_reply(saved, self._wording("turn.kept_reply"))
            self._exit_reason = EMPTY_EXIT
            self._empty_text = text
            return self._empty_replies.recover(answer)
        self.session.status.drop()
        history = self._history
        reply = strip_thinking(self._join_parts(text), self._behaviour)
        if self._parts:
            history.forget_parts()
        message = history.make_answer(answer, answer.finish_reason)
        if nudge := self._request_verification(reply):
            message["finish_reason"] = VERIFYING
            self._unverified_reply = reply
            history.add(message)
            history.append({"role": "user", "content": nudge, ASKS_TO_VERIFY: True})
            return None
        history.drop_recovery(PREFILL)
        history.add(message)
        self._exit_reason = f"{_REPLY_EXIT}(finish_reason={answer.finish_reason})"
        return reply

    def _request_verification(self, reply: str) -> str | None:
        edited = self._calls.changes.edited
        if not edited or self._verifications >= self._settings.max_verify_nudges:
            return None
        nudge = self._hooks.request_verification(reply, self._verifications, edited)
        self._verifications += nudge is not None
        return nudge

    def _summarise(self) -> str:
        """Ask the model for a summary at the request limit."""
        used = f"{self.requests}/{self._settings.max_iterations}"
        self._exit_reason = f"{LIMIT_EXIT}({used})"
        self.session.status.tell(self._wording("status.no_room", used=used))
        self._history.add({"role": "user", "content": self._wording("turn.summarise")})
        text = request_summary(self.session, self._history)
        self._history.add({"role": "assistant", "content": text})
        last = self._behaviour.empty_replies_explained_last
        return text if last else complete_reply(text, self._wording("turn.no_room"))

    def _is_complete(self, reply: str | None) -> bool:
        """Return whether the turn counts as completed; at the request limit, it needs an actual answer."""
        if reply is None or (self.interrupted and self._behaviour.stopped_turns_incomplete):
            return False
        is_answer = self._exit_reason.startswith(_REPLY_EXIT)
        return is_answer or self.requests < self._settings.max_iterations

    def _finish(self, reply: str | None) -> str | None:
        self.completed = self._is_complete(reply)
        if self.session.origin:
            self._history.user["timestamp"] = time.time()
        if reply and not self.interrupted:
            list_failed_changes = self._calls.changes.complete_reply
            transformed_first = self._behaviour.empty_replies_explained_last
            original = reply if transformed_first else list_failed_changes(reply)
            reply = self._hooks.transform_reply(original)
            last = self._history.messages[-1]
            if self._behaviour.transformed_reply_kept and last["role"] == "assistant" and reply != original:
                self._history.change(last, reply)
            reply = list_failed_changes(reply) if transformed_first else reply
            state, model = self.session.runtime.state, self._settings.model
            if not self._unverified_reply or not self._exit_reason.startswith(LIMIT_EXIT):
                reply = explain_missing_reply(reply, self._exit_reason, model, state)
            self._history.forget_note(ended=False)
            self._hooks.report_reply(self._text, reply)
            if memory := self.session.memory:
                memory.end_turn(self._text, reply, self.session.id, list(self._history.messages))
        self._hooks.report_end(completed=self.completed, interrupted=self.interrupted, exit_reason=self._exit_reason)
        return reply
