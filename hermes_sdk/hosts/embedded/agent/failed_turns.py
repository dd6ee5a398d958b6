"""Failed requests: their classification by plugins (N50), and how their turn ends (D17, D37)."""

from __future__ import annotations

import logging
import time
from typing import Any

from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.settings import Settings
from hermes_sdk.hosts.embedded.agent.turn_history import TurnHistory
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.process.environment import display
from hermes_sdk.hosts.embedded.providers.error_reasons import ErrorFacts, find_reason
from hermes_sdk.hosts.embedded.providers.model_errors import Failure
from hermes_sdk.hosts.embedded.state import HostState

_log = logging.getLogger("hermes_cli.plugins")
_HOOK = "transform_api_error_classification"
_REASONS = frozenset(
    {
        "auth",
        "auth_permanent",
        "billing",
        "content_policy_blocked",
        "context_overflow",
        "format_error",
        "image_too_large",
        "invalid_encrypted_content",
        "llama_cpp_grammar_pattern",
        "long_context_tier",
        "model_not_found",
        "multimodal_tool_content_unsupported",
        "oauth_long_context_beta_forbidden",
        "overloaded",
        "payload_too_large",
        "provider_policy_blocked",
        "rate_limit",
        "server_error",
        "ssl_cert_verification",
        "thinking_signature",
        "timeout",
        "unknown",
        "upstream_rate_limit",
    }
)
_MODELLED = frozenset(
    {"billing", "format_error", "model_not_found", "overloaded", "rate_limit", "server_error", "timeout", "unknown"}
)
"""Reasons for which the recovery of the host is modelled."""
_BAD_REQUEST = 400
_MANY_TOKENS = 50_000
_LARGE_SHARE = 0.4
_MANY_MESSAGES = 80
_CUSTOM = "custom"
_REASONS_WITH_REJECTION = ("auth", "format_error", "model_not_found")
"""Reasons with a dedicated message for errors that the host does not retry."""
_REASONS_WITH_EXHAUSTION = ("overloaded", "rate_limit", "server_error", "timeout")
"""Reasons with a dedicated message after the last of several attempts."""
_OUTAGES = ("overloaded", "server_error", "timeout")
"""Reasons after which the host waits for the provider and starts another round of attempts."""
_STOP_HINTS = {"cli": "; press Esc to stop"}
_TOO_LARGE = "context_overflow"
_INCOMPLETE = "truncated"
_INCOMPRESSIBLE = 3
"""Longest history that the host never compresses."""
_LAYERS = {"auth": "auth", "billing": "billing"}
_STREAM_ERRORS = (
    "stream connection",
    "peer closed connection",
    "incomplete chunked read",
    "connection broken",
    "stream ended prematurely",
    "sse",
    "mid-stream",
)
"""Fragments of error messages that the host attributes to the stream."""


def classify(error: Exception, hooks: Hooks, about: dict[str, Any], state: HostState) -> Failure:
    """Classify the error of a request by the first plugin that gives a reason, otherwise as the host does.

    Raises:
        NotSupported: The host's recovery from this failure is not modelled.
    """
    facts = ErrorFacts.of(error)
    answer = _ask_plugins(error, facts, hooks, about)
    if not answer:
        classified = find_reason(error, facts)
        if classified is None or (facts.status == _BAD_REQUEST and _is_long(about)):
            raise state.unsupported(f"recover from a request that failed with {str(error)!r}")
        return Failure.of(error, classified[0], retryable=classified[1])
    reason, retryable = _read_reason(answer), bool(answer.get("retryable", True))
    if reason not in _MODELLED or answer.get("should_compress") or (reason == "billing" and retryable):
        raise state.unsupported(f"recover from a request that failed with {reason}")
    return Failure.of(error, reason, retryable=retryable)


def _ask_plugins(error: Exception, facts: ErrorFacts, hooks: Hooks, about: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first plugin result that has a reason."""
    if not hooks.has(_HOOK):
        return None
    values = {
        "provider": about["provider"],
        "model": about["model"],
        "status_code": facts.status,
        "error_type": type(error).__name__,
        "error_code": "",
        "error_message": facts.text,
        "error_body": facts.body,
        "error": error,
        **about,
    }
    valid = [answer for answer in hooks.fire(_HOOK, **values) if _read_reason(answer)]
    if len(valid) > 1:
        _log.warning(
            "transform_api_error_classification: skipped %d valid classification(s) after the first result in"
            " registration order won (run-all-then-pick-first)",
            len(valid) - 1,
        )
    return valid[0] if valid else None


def _is_long(about: dict[str, Any]) -> bool:
    """Return whether a request is so long that the host may attribute a 400 error to its length."""
    most = min(_MANY_TOKENS, about["context_length"] * _LARGE_SHARE)
    return bool(about["approx_tokens"] > most or about["num_messages"] > _MANY_MESSAGES)


def _read_reason(answer: Any) -> str:
    """Return the reason in the result of a callback; empty if it is missing or invalid."""
    reason = answer.get("reason") if isinstance(answer, dict) else None
    name = reason.strip().lower() if isinstance(reason, str) else ""
    return name if name in _REASONS else ""


class RequestFailed(Exception):
    """Raised when the model gives no usable response, which ends the turn.

    `reply` is for the user and `error` for the caller of the turn. `reason` is the host's name for the cause, and
    `retryable` indicates whether sending the message again may help.
    """

    def __init__(self, reply: str, error: str, reason: str = _INCOMPLETE, *, retryable: bool = True) -> None:
        super().__init__(error)
        self.reply = reply
        self.error = error
        self.reason = reason
        self.retryable = retryable

    @property
    def counts_as_failed(self) -> bool:
        """Return whether the host counts the turn as failed rather than incomplete."""
        return self.reason not in (_INCOMPLETE, _TOO_LARGE)


class FailureTexts:
    """Formats the failures of a session's requests, and sends status messages about them to the chat."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._behaviour = session.behaviour
        self._settings = session.settings
        self._wording = session.runtime.state.wording
        self._status = session.status

    def reject(self, failure: Failure) -> RequestFailed:
        """Report an error that the host does not retry, and return the exception to raise."""
        self._status.release()
        if failure.is_too_large:
            return self._reject_size()
        if self._behaviour.failures_explained:
            text = self._wording("failure.refused", provider=self._label)
            self._status.tell(f"❌ {text}: {failure.summary}")
        else:
            self._status.tell(f"❌ Non-retryable error (HTTP {failure.status}): {failure.summary}")
        if failure.reason == "billing" and self._behaviour.missing_connections_told:
            return RequestFailed(self._explain_billing(failure), failure.summary, "billing", retryable=False)
        if self._behaviour.failures_explained:
            name = failure.reason if failure.reason in _REASONS_WITH_REJECTION else "rejected"
            home = display(self._session.runtime.state.home_path())
            lead = self._wording(f"failure.{name}", provider=self._label, model=self._settings.model, home=home)
            reply = f"{lead}\n\nProvider said: {failure.summary}"
            return RequestFailed(reply, failure.summary, failure.reason, retryable=failure.retryable)
        return RequestFailed(failure.summary, failure.summary)

    def _reject_size(self) -> RequestFailed:
        if not self._behaviour.failures_explained:
            text = "Request payload too large (413). Cannot compress further."
            return RequestFailed(text, text)
        if len(self._session.history) > _INCOMPRESSIBLE:
            raise self._session.runtime.state.unsupported("compress a history that is too large for the provider")
        text = self._wording("failure.too_large", model=self._settings.model)
        return RequestFailed(text, text, _TOO_LARGE, retryable=False)

    def _explain_billing(self, failure: Failure) -> str:
        label = self._settings.provider.name.replace("_", " ").replace("-", " ").title()
        return self._wording("turn.billing", error=failure.summary, provider=label, model=self._settings.model)

    def reject_filtered(self, text: str) -> RequestFailed:
        """Report a response that the provider's content filter stopped, and return the exception to raise."""
        self._status.release()
        self._status.tell(self._wording("status.declined"))
        reply = self._wording("turn.declined" if text else "turn.declined_silently", said=text, provider=self._label)
        error = f"content_policy_blocked: {text or 'model declined (content_filter)'}"
        return RequestFailed(reply, error, "content_policy_blocked", retryable=False)

    def give_up(self, failure: Failure, started: float) -> RequestFailed:
        """Report the error of the last attempt, and return the exception to raise; `started` is the start time."""
        attempts, explained = self._settings.api_max_retries, self._behaviour.failures_explained
        self._status.release()
        if failure.reason == "invalid_response":
            self._status.tell(self._wording("status.invalid_responses", attempts=attempts))
            detail = f"fast response ({time.time() - started:.1f}s) — likely rate limited"
            error = f"Invalid API response after {attempts} retries: {detail}"
            if not explained:
                return RequestFailed(error, error)
            reply = self._wording("failure.invalid_response", provider=self._label, attempts=attempts, detail=detail)
            return RequestFailed(reply, error, failure.reason)
        kind = "Rate limited" if failure.is_limited else "API failed"
        once = failure.is_limited and attempts == 1 and explained
        self._status.tell(f"❌ {kind} after {attempts} {'attempt' if once else 'retries'} — {failure.summary}")
        if not explained:
            return RequestFailed(f"API call failed after {attempts} retries: {failure.summary}", failure.summary)
        name = failure.reason if failure.reason in _REASONS_WITH_EXHAUSTION else "unanswered"
        name = f"{name}_once" if once else name
        lead = self._wording(f"failure.{name}", provider=self._label, attempts=attempts)
        reply = self._wording("failure.exhausted", lead=lead, error=failure.summary)
        return RequestFailed(reply, failure.summary, failure.reason, retryable=failure.retryable)

    def report_retry(self, failure: Failure, number: int) -> None:
        """Queue the status message about a retry; `number` counts the failed attempts, from 1."""
        if failure.reason == "invalid_response":
            return
        attempts = self._settings.api_max_retries
        if failure.is_limited:
            self._status.hold(self._wording("status.limited", number=number + 1, attempts=attempts))
        else:
            self._status.hold(self._wording("status.retry", number=number, attempts=attempts))

    @property
    def _label(self) -> str:
        name = self._settings.provider.name
        return "Custom endpoint" if name == _CUSTOM and self._behaviour.custom_provider_labelled else name


class FurtherRounds:
    """Decides whether a request gets another round of attempts after all have failed."""

    def __init__(self, session: Session) -> None:
        self._platform = session.platform
        self._wording = session.runtime.state.wording
        self._tell_user = session.status.tell
        self._waits = 0
        self._max_waits = session.settings.auto_recovery_cycles if session.behaviour.outages_waited_out else 0
        self._reconnected = False

    def begin_after(self, failure: Failure) -> bool:
        """Begin another round, with a new client or after a wait; return False if the failure allows none."""
        if failure.is_unreachable and not self._reconnected:
            self._reconnected = True
            return True
        if failure.reason not in _OUTAGES or not self._max_waits:
            return False
        if self._waits == self._max_waits:
            self._tell_user(self._wording("failure.outage_lasts", count=self._max_waits))
            return False
        self._waits += 1
        hint = _STOP_HINTS.get(self._platform, "; send /stop to cancel")
        self._tell_user(self._wording("failure.outage", number=self._waits, count=self._max_waits, hint=hint))
        return True


def close_failed_turn(history: TurnHistory, session: Session, failure: RequestFailed | None) -> None:
    """Append the host's notice if an incomplete turn left the user's message unanswered.

    `failure` is None if the user stopped the turn. A history that is already too large stays unchanged.
    """
    if history.messages[-1]["role"] != "user" or (failure and failure.reason == _TOO_LARGE):
        return
    notice = find_notice(history, session)
    closing: dict[str, Any] = {"role": "assistant", "content": notice}
    if session.behaviour.failed_turns_marked:
        closing["display_kind"] = "failed_turn"
    if failure and session.behaviour.failures_described:
        error = session.runtime.registrations.redaction_patterns.mask(failure.error, always=True)
        details = {"error": error} if error else {}
        closing["display_metadata"] = {**details, "error_surface": _describe_failure(failure, session.settings)}
    history.add(closing)


def find_notice(history: TurnHistory, session: Session) -> str:
    """Return the notice for an unanswered turn; it depends on whether tools may have run."""
    turn = history.messages[history.messages.index(history.user) :]
    used_tools = any(one["role"] == "tool" or one.get("tool_calls") for one in turn)
    return session.runtime.state.wording("turn.not_completed" if used_tools else "turn.not_processed")


def _describe_failure(failure: RequestFailed, settings: Settings) -> dict[str, Any]:
    """Describe a failure for user interfaces, as the host does in ``error_surface``."""
    dropped = any(fragment in failure.error.lower() for fragment in _STREAM_ERRORS)
    name, own = settings.provider.name, failure.reason == "timeout" and settings.provider.name == _CUSTOM
    default = "endpoint" if own else "streaming" if dropped else "provider"
    layer = _LAYERS.get(failure.reason, default)
    surface = {
        "layer": layer,
        "code": failure.reason,
        "retryable": failure.retryable,
        "provider": name,
        "model": settings.model,
        "provider_label": name,
    }
    return {**surface, "auth_kind": "api_key"} if layer == "auth" else surface
