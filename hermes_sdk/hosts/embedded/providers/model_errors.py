"""Errors of model providers: their names, whether they are retried, and their summaries for the user."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from hermes_sdk.hosts.embedded.providers.error_reasons import CONNECTION_ERRORS, is_local
from hermes_sdk.hosts.embedded.state import HostState

ERRORS = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}
"""Exceptions of the ``openai`` package, by HTTP status."""


def find_error_name(status: int) -> str:
    """Return the name of the ``openai`` package's exception for an HTTP status."""
    return ERRORS.get(status, "InternalServerError" if status >= 500 else "APIStatusError")


class APIConnectionError(Exception):
    """Raised if the model's provider cannot be reached."""

    body = code = param = type = None

    def __init__(self) -> None:
        self.message = "Connection error."
        super().__init__(self.message)


class ProviderError(Exception):
    """Error response of the model's provider; its class has the name of the client's exception."""

    def __new__(cls, status: int, body: dict[str, Any], state: HostState) -> ProviderError:  # noqa: ARG004
        """Create an instance of the class for the HTTP status."""
        return Exception.__new__(_make_class(find_error_name(status)))

    def __init__(self, status: int, body: dict[str, Any], state: HostState) -> None:
        super().__init__(f"Error code: {status} - {body}")
        self.status_code = status
        self.message = str(self)
        self.body: dict[str, Any] = body["error"]
        self.code = self.param = self.request_id = None
        self.type = self.body["type"]
        self._state = state

    def __getattr__(self, name: str) -> Any:
        """Raise `NotSupported` for the client's request and response, since there is no client."""
        if name in ("request", "response"):
            raise self._state.unsupported(f"offer the {name} of a provider's error")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def summarise(error: Exception) -> str:
    """Return the summary of an error for the user."""
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    if isinstance(message, str) and message:
        summary = message[:300]
    else:
        summary = json.dumps({"error": body})[:300] if isinstance(error, ProviderError) else str(error)[:500]
    return f"HTTP {status}: {summary}" if status else summary


@cache
def _make_class(name: str) -> type[ProviderError]:
    return type(name, (ProviderError,), {"__module__": "openai"})


@dataclass(frozen=True)
class Failure:
    """A failed attempt, as hooks and the user see it.

    Attributes:
        kind: The name of the exception.
        status: The HTTP status, if the provider answered.
        reason: Hermes' name for the cause.
        summary: The text for the user.
        is_local: Whether Hermes treats the exception as its own bug.
    """

    kind: str
    message: str
    status: int | None
    reason: str
    retryable: bool
    summary: str

    is_local: bool = False

    @property
    def is_too_large(self) -> bool:
        """Return whether the request was too large, so that Hermes compresses instead of retrying."""
        return self.reason == "payload_too_large"

    @property
    def is_limited(self) -> bool:
        """Return whether a quota or a rate limit was exceeded."""
        return self.reason in ("billing", "rate_limit")

    @property
    def is_unreachable(self) -> bool:
        """Return whether the provider could not be reached."""
        return self.kind in CONNECTION_ERRORS

    @property
    def is_final(self) -> bool:
        """Return whether the turn ends without a retry, for example if the error precedes the request."""
        passes = self.retryable or self.reason in ("overloaded", "rate_limit")
        return not passes or self.is_local

    @classmethod
    def of(cls, error: Exception, reason: str, *, retryable: bool) -> Failure:
        """Describe an exception that ended a request to the model."""
        status = getattr(error, "status_code", None)
        return cls(type(error).__name__, str(error), status, reason, retryable, summarise(error), is_local(error))
