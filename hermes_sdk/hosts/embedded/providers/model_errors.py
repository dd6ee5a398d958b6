"""Errors of the model's provider: their names, whether they are retried, and what the user reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

ERRORS = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}
"""The exceptions of the package ``openai`` for one HTTP status each."""

_REASONS = {
    401: "auth",
    402: "billing",
    403: "auth",
    404: "unknown",
    408: "timeout",
    413: "payload_too_large",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_WITHOUT_MODEL = (
    "is not a valid model",
    "invalid model",
    "model not found",
    "model_not_found",
    "does not exist",
    "no such model",
    "unknown model",
    "unsupported model",
)
"""What a provider says of a model that it does not have."""
_TOO_LONG = (
    "context length",
    "context size",
    "context window",
    "exceeds the limit",
    "input is too long",
    "input token",
    "max_model_len",
    "max_tokens",
    "maximum context",
    "maximum model length",
    "maximum number of tokens",
    "prompt exceeds max length",
    "prompt is too long",
    "prompt length",
    "reduce the length",
    "token limit",
    "too many tokens",
    "truncating input",
)
"""What a provider says of a request that is longer than the context of the model."""
_RETRYABLE = frozenset({404, 408, 413, 429})
_TOO_LARGE = 413


def error_name(status: int) -> str:
    """Return the exception of the package ``openai`` for an HTTP status."""
    return ERRORS.get(status, "InternalServerError" if status >= 500 else "APIStatusError")


class APIConnectionError(Exception):
    """Nothing answers at the address of the model's provider."""

    def __init__(self) -> None:
        super().__init__("Connection error.")


class ProviderError(Exception):
    """An error response of the model's provider; its class is named as the exception of the provider's client."""

    def __new__(cls, status: int, body: dict[str, Any]) -> ProviderError:  # noqa: ARG004
        """Make an object of the class for the HTTP status."""
        return Exception.__new__(_name_class(error_name(status)))

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(f"Error code: {status} - {body}")
        self.status_code = status
        self.message = str(body["error"]["message"])
        self.kind = type(self).__name__
        self.body: dict[str, Any] = body["error"]


@cache
def _name_class(name: str) -> type[ProviderError]:
    return type(name, (ProviderError,), {"__module__": "openai"})


@dataclass(frozen=True)
class Failure:
    """One failed attempt, as hooks and the user see it.

    Attributes:
        kind: The name of the exception.
        status: The HTTP status, if the provider answered.
        reason: The host's word for the cause.
        summary: What the user reads.
    """

    kind: str
    message: str
    status: int | None
    reason: str
    retryable: bool
    summary: str

    @property
    def is_too_large(self) -> bool:
        """Return whether the request was too large: the host then compresses instead of trying again."""
        return self.status == _TOO_LARGE

    @property
    def is_too_long(self) -> bool:
        """Return whether the request was longer than the model's context: the host then compresses and adapts."""
        answered = self.status is not None and self.status not in (401, 402, 403, 404, 408, _TOO_LARGE, 429)
        return answered and any(phrase in self.summary.lower() for phrase in _TOO_LONG)

    @property
    def is_unreachable(self) -> bool:
        """Return whether nothing answered at the address of the provider."""
        return self.kind == "APIConnectionError"

    @property
    def is_final(self) -> bool:
        """Return whether the turn ends without another attempt, as after an error before the request is sent."""
        passes = self.retryable or self.reason in ("overloaded", "rate_limit")
        return not passes or self.kind in ("TypeError", "ValueError")

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Judge an exception that ended a request to the model."""
        if not isinstance(error, ProviderError):
            reason = "timeout" if isinstance(error, APIConnectionError) else "unknown"
            return cls(type(error).__name__, str(error), None, reason, True, str(error))
        status = error.status_code
        reason = _REASONS.get(status, "server_error" if status >= 500 else "format_error")
        retryable = status >= 500 or status in _RETRYABLE
        if status in (400, 404) and any(phrase in error.message.lower() for phrase in _WITHOUT_MODEL):
            reason, retryable = "model_not_found", False
        return cls(error.kind, str(error), status, reason, retryable, f"HTTP {status}: {error.message}")
