"""One request to the model: its attempts, hooks and middleware (D13 to D17)."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.agent import response as forms
from hermes_sdk.hosts.embedded.agent.failed_turns import FailureTexts, FurtherRounds, classify
from hermes_sdk.hosts.embedded.agent.model_provider import make_client_body
from hermes_sdk.hosts.embedded.agent.response import make_streamed_response, make_whole_response
from hermes_sdk.hosts.embedded.agent.session import Session, TurnIds
from hermes_sdk.hosts.embedded.agent.settings import API_MODE
from hermes_sdk.hosts.embedded.agent.stream_hooks import StreamHooks
from hermes_sdk.hosts.embedded.agent.surrogates import replace_surrogates
from hermes_sdk.hosts.embedded.agent.token_estimate import estimate_messages
from hermes_sdk.hosts.embedded.agent.turn_history import Message
from hermes_sdk.hosts.embedded.hook_payload import reduce_payload
from hermes_sdk.hosts.embedded.providers.model_errors import APIConnectionError, Failure, ProviderError
from hermes_sdk.llm import Answer, wire
from hermes_sdk.llm import Request as ModelRequest
from hermes_sdk.llm.script import LaneName

_TIMEOUT_SECONDS = 1800.0
_MAX_TOKENS = 65_536

# `max_tokens` after a truncated response, on releases that otherwise set none, and its maximum.
_CONTINUATION_TOKENS = 4_096
_MAX_CONTINUATION_TOKENS = 32_768
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
_SERVER_ERROR = 500
_MINUTE = 60.0
_UNCOUNTED = ("length", "content_filter")
"""Finish reasons of responses whose tokens the host does not count."""
_CLASSIFY = "classify_api_error"
_NOT_SENT = frozenset({"timeout", "http_client"})
_REQUIRED = frozenset({"messages", "model"})
_MISSING_ARGUMENTS = (
    "Missing required arguments; Expected either ('messages' and 'model') or ('messages', 'model' and 'stream')"
    " arguments to be given"
)
"""Error of the provider's client for a request without one of the `_REQUIRED` arguments."""


class Request:
    """A request to the model.

    Args:
        number: The number of the request in its turn, from 1.
        messages: The messages to send, beginning with the system prompt.
        truncations: The number of preceding truncated responses, each of which raises the token limit.
        failed: The number of preceding failed attempts. The attribute also counts failed attempts of this request.
    """

    def __init__(
        self,
        session: Session,
        ids: TurnIds,
        number: int,
        *,
        messages: list[Message],
        user_message: str,
        truncations: int,
        failed: int = 0,
    ) -> None:
        self.number = number
        self.failed = failed
        self.id = f"{ids.turn_id}:api:{number}"
        self._session = session
        self._runtime = session.runtime
        self._behaviour = session.behaviour
        self._settings = session.settings
        self._provider = session.settings.provider
        self._hooks = session.runtime.hooks
        self._failures = FailureTexts(session)
        self._messages = messages
        self._tools = session.tools
        self._user_message = user_message
        self._truncations = truncations
        self._sent: dict[str, Any] = {}
        self._started = 0.0
        self._ended = 0.0
        self._first_chunk: float | None = None
        self._ids = {
            "task_id": ids.task_id,
            "turn_id": ids.turn_id,
            "api_request_id": self.id,
            "session_id": session.id,
        }
        self._about = {
            "platform": session.platform,
            "model": self._settings.model,
            "provider": self._provider.name,
            "base_url": self._provider.base_url,
            "api_mode": API_MODE,
            "api_call_count": number,
        }

    def send(self) -> Any:
        """Send the request until there is a usable response, and return it in the provider's form.

        Raises:
            InterruptedError: The user stopped the agent.
            RequestFailed: The provider's error is final, or all attempts failed.
        """
        self._started = time.time()
        attempts = self._settings.api_max_retries
        rounds = FurtherRounds(self._session)
        for attempt in itertools.count(self.failed):
            self.failed = attempt
            self._sent = {}
            try:
                self._sent = self._build_payload()
                response = self._run_middleware(self._sent, attempt % attempts)
                problem = forms.explain_invalid(response)
                if problem is None and response.choices[0].finish_reason not in _UNCOUNTED:
                    self._session.count_usage(forms.summarise_usage(response, self._behaviour))
            except (InterruptedError, HermesSdkError):
                raise
            except Exception as error:
                failure = self._classify_error(error)
            else:
                if problem is None:
                    self._ended = time.time()
                    return self._reject_filtered(response)
                failure = Failure("InvalidAPIResponse", problem, None, "invalid_response", True, problem)
                if response and not hasattr(response, "__dict__"):
                    # The host calls `vars` on the response, which fails.
                    self._report_error(failure, attempt % attempts)
                    failure = self._classify_error(TypeError("vars() argument must have __dict__ attribute"))
                    attempt += self._behaviour.failed_looks_counted
            self._report_error(failure, attempt % attempts)
            if failure.is_too_large or failure.is_final:
                raise self._failures.reject(failure)
            if (attempt + 1) % attempts == 0 and not rounds.begin_after(failure):
                raise self._failures.give_up(failure, self._started)
            if (attempt + 1) % attempts:
                self._failures.report_retry(failure, attempt % attempts + 1)
        raise AssertionError

    def _choose_token_limit(self) -> int:
        """Return `max_tokens` after truncated responses."""
        if not self._behaviour.cut_off_answers_get_more_room:
            factor = 2**self._truncations if self._behaviour.cut_off_answers_get_double_room else self._truncations + 1
            return min(_CONTINUATION_TOKENS * factor, _MAX_CONTINUATION_TOKENS)
        tokens = _CONTINUATION_TOKENS
        for repeat in range(1, self._truncations + 1):
            tokens = min(tokens * 2**repeat, max(_MAX_CONTINUATION_TOKENS, tokens * 2))
        return tokens

    def _build_payload(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": self._messages,
            "timeout": _TIMEOUT_SECONDS,
        }
        if self._tools:
            body["tools"] = self._tools
            if self._behaviour.offers_without_surrogates:
                body["tools"] = replace_surrogates(self._tools)
        is_custom = self._provider.profile is None
        if is_custom and self._behaviour.requests_limit_tokens:
            body["max_tokens"] = _MAX_TOKENS
        elif self._truncations:
            body["max_tokens"] = self._choose_token_limit()
            # Retries of this request use the default limit.
            self._truncations = 0
        if is_custom and self._behaviour.requests_ask_for_reasoning:
            body["reasoning_effort"] = "medium"
        if getattr(self._provider.profile, "supports_prompt_cache_key", False):
            raise self._runtime.state.unsupported("name the part of a prompt that a provider keeps")
        return self._provider.adapt_request(body, self._session.id, self._runtime.state.contract)

    def _run_middleware(self, payload: dict[str, Any], attempt: int) -> Any:
        middleware = self._runtime.registrations.middleware
        about = {**self._ids, **self._about}
        values = {"request": payload, "original_request": payload, **about}
        sent, original, trace = middleware.request("llm_request", "request", values)
        self._sent = sent
        self._report_request(sent, attempt, trace)
        arguments = {"request": sent, "original_request": original, **about, "middleware_trace": list(trace)}
        return middleware.execute("llm_execution", "request", arguments, self._call_provider)

    def _call_provider(self, payload: dict[str, Any]) -> SimpleNamespace:
        """Call the provider and return its response, which the host assembles if it is streamed."""
        if not payload.keys() >= _REQUIRED:
            raise TypeError(_MISSING_ARGUMENTS)
        if not isinstance(payload["messages"], list):
            raise self._runtime.state.unsupported("send a request whose messages are not a list")
        body = {name: value for name, value in make_client_body(payload).items() if name not in _NOT_SENT}
        if replace_surrogates(body) != body:
            raise self._runtime.state.unsupported("recover from a request that no encoding can write")
        if self._session.depth and self._behaviour.children_not_streamed:
            return make_whole_response(*self._receive(body))
        stream = self._open_stream()
        stream.start()
        try:
            answer, request = self._receive({**body, **_STREAMED})
        except (APIConnectionError, ProviderError) as error:
            stream.end("", error)
            if not self._may_repeat_without_stream(error):
                raise
            answer, request = self._repeat_without_stream(body, error)
            stream.start()
            self._report_stream(stream, answer, None)
            return make_whole_response(answer, request)
        self._first_chunk = time.time()
        self._report_stream(stream, answer, request)
        return make_streamed_response(answer, request, self._behaviour)

    def _report_stream(self, stream: StreamHooks, answer: Answer, request: ModelRequest | None) -> None:
        """Report a response and its end to the stream hooks, in chunks if it was streamed for `request`."""
        if stream.report_chunks(answer, request, new_paragraph=self._session.streams_new_paragraph):
            self._session.streams_new_paragraph = False
        stream.end(answer.text or "")

    def _may_repeat_without_stream(self, error: Exception) -> bool:
        """Return whether a request may be repeated without streaming, at most once a minute (P10)."""
        if not self._behaviour.server_errors_repeated or not isinstance(error, ProviderError):
            return False
        before, now = self._session.last_unstreamed_repeat, time.monotonic()
        if error.status_code < _SERVER_ERROR or (before is not None and now - before < _MINUTE):
            return False
        self._session.last_unstreamed_repeat = now
        return True

    def _repeat_without_stream(self, body: dict[str, Any], error: Exception) -> tuple[Answer, ModelRequest]:
        """Repeat a request without streaming; if it ends in a server error too, raise the first error."""
        try:
            return self._receive(body)
        except ProviderError as repeated:
            raise (repeated if repeated.status_code < _SERVER_ERROR else error) from None

    def report_interim(self, text: str) -> None:
        """Fire ``on_interim_message``."""
        self._open_stream().report_interim(text)

    def _open_stream(self) -> StreamHooks:
        values = {
            "turn_id": self._ids["turn_id"],
            "iteration": self._about["api_call_count"],
            "session_id": self._session.id,
            "model": self._settings.model,
            "provider": self._provider.name,
            "surface": self._session.platform,
        }
        return StreamHooks(self._runtime.state, self._hooks, values)

    def _receive(self, body: dict[str, Any]) -> tuple[Answer, ModelRequest]:
        """Return the model's answer, and the request as the model received it."""
        if self._provider.is_own_address:
            raise APIConnectionError
        lane: LaneName = "main" if body.get("stream") or body.get("tools") else "aux"
        answer, request = self._runtime.model.answer(lane, body)
        if answer.interrupts:
            if self._session.origin:
                self._session.origin.stop.wait()
            raise InterruptedError("Agent interrupted during streaming API call")
        if answer.status is not None:
            raise ProviderError(answer.status, wire.error(answer), self._runtime.state)
        return answer, request

    def _report_request(self, payload: dict[str, Any], attempt: int, trace: list[dict[str, str]]) -> None:
        if not self._hooks.has("pre_api_request"):
            return
        messages = payload.get("messages")
        messages = list(messages) if isinstance(messages, list) else list(self._messages)
        tokens = estimate_messages(self._messages, self._behaviour)
        self._hooks.fire(
            "pre_api_request",
            **self._ids,
            user_message=self._user_message,
            conversation_history=list(self._session.history),
            **self._about,
            retry_count=attempt,
            request_messages=messages,
            system_prompt=_find_system_prompt(messages),
            message_count=len(self._messages),
            tool_count=len(self._tools),
            approx_input_tokens=tokens,
            request_char_count=tokens * 4,
            max_tokens=None,
            started_at=self._started,
            middleware_trace=list(trace),
            request=_describe_request(payload),
        )

    def _report_error(self, failure: Failure, attempt: int) -> None:
        if not self._hooks.has("api_request_error"):
            return
        ended = time.time()
        self._hooks.fire(
            "api_request_error",
            **self._ids,
            **self._about,
            api_duration=ended - self._started,
            started_at=self._started,
            ended_at=ended,
            status_code=failure.status,
            retry_count=attempt,
            max_retries=self._settings.api_max_retries,
            retryable=failure.retryable,
            reason=failure.reason,
            error={"type": failure.kind, "message": failure.message},
            request=_describe_request(self._sent),
        )

    def _classify_error(self, error: Exception) -> Failure:
        profile, contract = self._provider.profile, self._runtime.state.contract
        fields = {one["name"] for one in contract.section("dataclasses")["ProviderProfile"]["fields"]}
        if _CLASSIFY in fields and callable(getattr(profile, _CLASSIFY, None)):
            raise self._runtime.state.unsupported(f"ask a model provider for the cause of an error ({_CLASSIFY})")
        about = {
            "provider": self._provider.name,
            "model": self._settings.model,
            "approx_tokens": estimate_messages(self._messages, self._behaviour),
            "context_length": self._settings.context_length,
            "num_messages": len(self._messages),
        }
        return classify(error, self._hooks, about, self._runtime.state)

    def _reject_filtered(self, response: Any) -> Any:
        """Return the response; raise `RequestFailed` if the provider's content filter stopped it."""
        choice = response.choices[0]
        if choice.finish_reason != "content_filter":
            return response
        text = choice.message.content or ""
        error = text or "model declined to respond (content_filter)"
        blocked = Failure("ContentPolicyBlocked", error, None, "content_policy_blocked", False, error)
        self._report_error(blocked, 0)
        raise self._failures.reject_filtered(text)

    def report_answer(self, response: Any, answer: forms.NormalizedResponse) -> None:
        """Fire ``post_api_request``; `response` is in the provider's form and `answer` in the host's."""
        if not self._hooks.has("post_api_request"):
            return
        usage = forms.summarise_usage(response, self._behaviour)
        calls = answer.tool_calls or []
        message = {"role": "assistant", "content": answer.content, "tool_calls": calls}
        response_payload = {
            "model": response.model,
            "finish_reason": answer.finish_reason,
            "assistant_message": message,
            "usage": usage,
        }
        if self._behaviour.upstream_provider_told:
            response_payload["upstream_provider"] = None
        self._hooks.fire(
            "post_api_request",
            **self._ids,
            **self._about,
            api_duration=self._ended - self._started,
            started_at=self._started,
            ended_at=self._ended,
            first_chunk_at=self._first_chunk,
            finish_reason=answer.finish_reason,
            message_count=len(self._messages),
            response_model=getattr(response, "model", None),
            response=reduce_payload(response_payload),
            usage=usage,
            context_length=self._settings.context_length,
            assistant_message=answer,
            assistant_content_chars=len(answer.content or ""),
            assistant_tool_call_count=len(calls),
            moa_references=None,
        )


def _find_system_prompt(messages: list[Any]) -> Any:
    first = messages[0] if messages else None
    return first.get("content") if isinstance(first, dict) and first.get("role") == "system" else None


def _describe_request(payload: dict[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in payload.items() if name not in _NOT_SENT}
    return reduce_payload({"method": "POST", "body": body})
