"""One request to the model: the attempts that it takes, and what hooks and middleware see of them (D13 to D17)."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent import response as forms
from hermes_sdk.hosts.embedded.agent.hook_payload import shown
from hermes_sdk.hosts.embedded.agent.model_profile import adapted, sent
from hermes_sdk.hosts.embedded.agent.runtime import API_MODE, Runtime
from hermes_sdk.hosts.embedded.agent.wire_messages import rough_tokens
from hermes_sdk.hosts.embedded.providers.model_errors import APIConnectionError, Failure, ProviderError
from hermes_sdk.llm import MODEL, wire

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.origin import Origin

_TIMEOUT_SECONDS = 1800.0
_LIMITED = 429
_MAX_TOKENS = 65_536

# What releases that ask for no number of tokens ask for after an answer that was cut off: a multiple, up to a limit.
_ROOM = 4_096
_MOST_ROOM = 32_768
_NOT_SENT = frozenset({"timeout", "http_client"})


class RequestFailed(Exception):
    """The model gave no answer that can be used, and the turn ends without one.

    Attributes:
        reply: What the user reads, if anything.
        error: What the caller of the turn is told.
    """

    def __init__(self, reply: str | None, error: str) -> None:
        super().__init__(error)
        self.reply = reply
        self.error = error


def failed(runtime: Runtime, error: str) -> RequestFailed:
    """A failure that the user reads about where the release says so."""
    return RequestFailed(error if runtime.behaviour.failed_turns_reply else None, error)


@dataclass(frozen=True)
class Ids:
    """Whom a request belongs to.

    Attributes:
        session_id: The session.
        platform: What the session runs on.
        task_id: The task of the turn.
        turn_id: The turn.
    """

    session_id: str
    platform: str
    task_id: str
    turn_id: str


class Request:
    """A request to the model.

    Args:
        runtime: What the sessions of the host share.
        ids: Whom it belongs to.
        number: Which request of the turn it is, from 1.
        messages: The messages as they are sent, the system prompt first.
        tools: The definitions of the offered tools.
        user_message: What the user said.
        history: The messages of the session, in the host's own form.
        cut_off: How many answers before were cut off, each of which gets the next one more room.
        origin: The chat whose user may stop the agent; None where nobody but the script does.
    """

    def __init__(
        self,
        runtime: Runtime,
        ids: Ids,
        number: int,
        *,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]],
        user_message: str,
        history: list[dict[str, Any]],
        cut_off: int,
        origin: Origin | None = None,
    ) -> None:
        self.id = f"{ids.turn_id}:api:{number}"
        self._runtime = runtime
        self._messages = messages
        self._tools = tools
        self._user_message = user_message
        self._history = history
        self._cut_off = cut_off
        self._origin = origin
        self._started = 0.0
        self._ended = 0.0
        self._ids = {
            "task_id": ids.task_id,
            "turn_id": ids.turn_id,
            "api_request_id": self.id,
            "session_id": ids.session_id,
        }
        self._about = {
            "platform": ids.platform,
            "model": runtime.model_name,
            "provider": runtime.access.provider,
            "base_url": runtime.access.base_url,
            "api_mode": API_MODE,
            "api_call_count": number,
        }

    def response(self) -> Any:
        """Ask until there is a response that can be used.

        Returns:
            The response in the provider's form.

        Raises:
            InterruptedError: The user stopped the agent.
            RequestFailed: The provider's error is one that another attempt cannot help, or all attempts failed.
        """
        self._started = time.time()
        attempts = self._runtime.api_max_retries
        for attempt in itertools.count():
            payload: dict[str, Any] = {}
            try:
                payload = self._payload()
                response = self._asked(payload)
            except InterruptedError:
                raise
            except Exception as error:
                failure = Failure.of(error)
            else:
                wrong = forms.invalid(response)
                if wrong is None:
                    self._ended = time.time()
                    return self._checked(response, payload)
                failure = Failure("InvalidAPIResponse", wrong, None, "invalid_response", True, wrong)
            self._tell_error(failure, payload, attempt % attempts)
            if failure.is_too_large:
                text = "Request payload too large (413). Cannot compress further."
                raise failed(self._runtime, text)
            if failure.is_final:
                self._say(f"❌ Non-retryable error (HTTP {failure.status}): {failure.summary}")
                summarised = self._runtime.behaviour.provider_errors_summarised
                raise failed(self._runtime, failure.summary if summarised else failure.message)
            # Where nobody answers, all attempts are made once more with a new client.
            if attempt + 1 == attempts * (2 if failure.is_unreachable else 1):
                raise self._given_up(failure)
        raise AssertionError

    def _given_up(self, failure: Failure) -> RequestFailed:
        attempts = self._runtime.api_max_retries
        if failure.reason == "invalid_response":
            took = time.time() - self._started
            text = f"Invalid API response after {attempts} retries: fast response ({took:.1f}s) — likely rate limited"
            return RequestFailed(text, text)
        limited = failure.status == _LIMITED
        self._say(f"❌ {'Rate limited' if limited else 'API failed'} after {attempts} retries — {failure.summary}")
        return RequestFailed(f"API call failed after {attempts} retries: {failure.summary}", failure.summary)

    def _say(self, text: str) -> None:
        """Tell the user of a chat what goes on."""
        if self._origin:
            self._origin.tell(text)

    def _payload(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._runtime.model_name,
            "messages": self._messages,
            "timeout": _TIMEOUT_SECONDS,
        }
        if self._tools:
            body["tools"] = self._tools
        profile = self._runtime.access.profile
        if self._runtime.behaviour.request_max_tokens and profile is None:
            body["max_tokens"] = _MAX_TOKENS
        elif self._cut_off:
            body["max_tokens"] = min(_ROOM * (self._cut_off + 1), _MOST_ROOM)
        return adapted(profile, body, self._runtime, self._ids["session_id"]) if profile else body

    def _asked(self, payload: dict[str, Any]) -> Any:
        middleware = self._runtime.registrations.middleware
        sent, original = payload, payload
        trace: list[dict[str, str]] = []
        if self._runtime.state.contract.middleware_kinds:
            sent, original, trace = middleware.request(
                "llm_request", "request", {**self._ids, **self._about, "request": payload}
            )
        self._tell_request(sent, trace)
        if not self._runtime.state.contract.middleware_kinds:
            return self._provided(sent)
        handed = {
            **self._ids,
            **self._about,
            "request": sent,
            "original_request": original,
            "middleware_trace": list(trace),
        }
        return middleware.execute("llm_execution", "request", handed, self._provided)

    def _provided(self, payload: dict[str, Any]) -> SimpleNamespace:
        """What the provider answers, as a stream of its client adds up to."""
        body = {name: value for name, value in sent(payload).items() if name not in _NOT_SENT}
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        if self._runtime.access.is_own_address:
            raise APIConnectionError
        # The model keeps what it was asked, and what was sent may be changed afterwards.
        answer, _ = self._runtime.model.answer("main", json.loads(json.dumps(body)))
        if answer.interrupts:
            if self._origin:
                self._origin.stop.wait()
            raise InterruptedError("Agent interrupted during streaming API call")
        if answer.status is not None:
            raise ProviderError(answer.status, wire.error(answer))
        return forms.provider_response(answer, MODEL)

    def _tell_request(self, payload: dict[str, Any], trace: list[dict[str, str]]) -> None:
        if not self._runtime.hooks.has("pre_api_request"):
            return
        messages = payload.get("messages")
        tokens = rough_tokens(self._messages)
        self._runtime.hooks.fire(
            "pre_api_request",
            **self._ids,
            user_message=self._user_message,
            conversation_history=list(self._history),
            **self._about,
            request_messages=list(messages) if isinstance(messages, list) else list(self._messages),
            message_count=len(self._messages),
            tool_count=len(self._tools),
            approx_input_tokens=tokens,
            request_char_count=tokens * 4,
            max_tokens=None,
            started_at=self._started,
            middleware_trace=list(trace),
            request=_describe_request(payload),
        )

    def _tell_error(self, failure: Failure, payload: dict[str, Any], attempt: int) -> None:
        if not self._runtime.hooks.has("api_request_error"):
            return
        ended = time.time()
        self._runtime.hooks.fire(
            "api_request_error",
            **self._ids,
            **self._about,
            api_duration=ended - self._started,
            started_at=self._started,
            ended_at=ended,
            status_code=failure.status,
            retry_count=attempt,
            max_retries=self._runtime.api_max_retries,
            retryable=failure.retryable,
            reason=failure.reason,
            error={"type": failure.kind, "message": failure.message},
            request=_describe_request(payload),
        )

    def _checked(self, response: Any, payload: dict[str, Any]) -> Any:
        """The response, unless the provider declined to give one."""
        choice = response.choices[0]
        if choice.finish_reason != "content_filter":
            return response
        said = choice.message.content or ""
        blocked = Failure("ContentPolicyBlocked", said, None, "content_policy_blocked", False, said)
        self._tell_error(blocked, payload, 0)
        raise RequestFailed(
            "⚠️  The model declined to respond to this request (safety refusal — not a Hermes/gateway failure).\n\n"
            f"Model's explanation: {said}\n\nTry rephrasing the request, narrowing the context, or adding a fallback"
            " provider with `hermes fallback add`.",
            f"content_policy_blocked: {said}",
        )

    def tell_answer(self, response: Any, answer: forms.NormalizedResponse) -> None:
        """Fire ``post_api_request``.

        Args:
            response: The response in the provider's form.
            answer: The same in the host's form.
        """
        if not self._runtime.hooks.has("post_api_request"):
            return
        usage = forms.usage_summary(response)
        calls = answer.tool_calls or []
        said = {"role": "assistant", "content": answer.content, "tool_calls": calls}
        told = {
            "model": response.model,
            "finish_reason": answer.finish_reason,
            "assistant_message": said,
            "usage": usage,
        }
        self._runtime.hooks.fire(
            "post_api_request",
            **self._ids,
            **self._about,
            api_duration=self._ended - self._started,
            started_at=self._started,
            ended_at=self._ended,
            finish_reason=answer.finish_reason,
            message_count=len(self._messages),
            response_model=getattr(response, "model", None),
            response=shown(told),
            usage=usage,
            assistant_message=answer,
            assistant_content_chars=len(answer.content or ""),
            assistant_tool_call_count=len(calls),
        )


def _describe_request(payload: dict[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in payload.items() if name not in _NOT_SENT}
    return shown({"method": "POST", "body": body})
