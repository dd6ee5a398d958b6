"""Classification of failed requests by the status, the text and the class of an exception (D17).

Status and body are also read from the causes of an exception. Therefore, if middleware replaces an exception of the
provider, the original one is classified, unless the new one was raised outside of the handler.
"""

from __future__ import annotations

import json
import re
import ssl
from typing import Any, NamedTuple

_DEEPEST = 5
"""Maximum number of chained exceptions that Hermes inspects."""
_BODY = frozenset({"message", "type"})
"""Members of an error body that do not identify a cause."""
_FINAL = frozenset({"auth", "billing", "format_error", "model_not_found"})
CONNECTION_ERRORS = frozenset(
    {
        "APIConnectionError",
        "APITimeoutError",
        "ConnectError",
        "ConnectTimeout",
        "PoolTimeout",
        "ReadTimeout",
        "RemoteProtocolError",
    }
)
"""Exceptions of clients after which Hermes reconnects."""
_TRANSPORT = CONNECTION_ERRORS | {"ServerDisconnectedError"}
"""Exceptions of clients that Hermes classifies as timeouts, like OSError."""

_SPECIAL = frozenset({"GeminiAPIError", "ReadError"})
"""Exceptions of clients that only some releases handle separately."""

_AUTH = re.compile(
    "invalid[ _]api[ _]key|authentication|unauthorized|forbidden|invalid token|token (expired|revoked)|access denied"
)
_BILLING = re.compile(
    "insufficient (credits|balance)|insufficient_quota|credit balance|credits (have been )?exhausted|no usable credits"
    "|top up your credits|payment required|billing hard limit|account is deactivated|plan does not include|out of funds"
    "|balance_depleted|model_not_supported_on_free_tier|not available on the free tier"
)
_EMPTY = re.compile(
    "returned an empty response|empty response (despite retries|stream)|model returning empty responses"
)
_NO_MODEL = re.compile(
    "is not a valid model|(invalid|unknown|unsupported|no such) model|model[ _]not[ _]found|does not exist"
)
_OVERLOADED = re.compile("overloaded|(at|over) capacity")
_RATE_LIMIT = re.compile(
    "rate[ _]limit|too many (concurrent )?requests|throttled|(requests|tokens) per minute|requests per day|try again in"
    "|please retry after|resource_exhausted|rate increased too quickly"
)
_TIMEOUT = re.compile("timed out|deadline exceeded")
_INVALID_PARAMETER = re.compile("(unknown|unsupported)[ _]parameter|unrecognized request argument")
_INVALID_REQUEST = re.compile(f"{_INVALID_PARAMETER.pattern}|invalid_request_error")

_Rules = tuple[tuple[re.Pattern[str], str], ...]
_RULES_BY_STATUS: dict[int | None, tuple[_Rules, str]] = {
    400: (
        (
            (_INVALID_PARAMETER, "format_error"),
            (_EMPTY, "server_error"),
            (_NO_MODEL, "model_not_found"),
            (_RATE_LIMIT, "rate_limit"),
            (_BILLING, "billing"),
        ),
        "format_error",
    ),
    401: ((), "auth"),
    402: ((), "billing"),
    403: (((_BILLING, "billing"),), "auth"),
    404: (((_BILLING, "billing"), (_NO_MODEL, "model_not_found")), "unknown"),
    408: ((), "timeout"),
    413: ((), "payload_too_large"),
    429: (((_OVERLOADED, "overloaded"),), "rate_limit"),
    500: (((_INVALID_REQUEST, "format_error"),), "server_error"),
    502: (((_INVALID_REQUEST, "format_error"),), "server_error"),
    503: (((_EMPTY, "server_error"),), "overloaded"),
    529: (((_EMPTY, "server_error"),), "overloaded"),
    None: (
        (
            (_OVERLOADED, "overloaded"),
            (_BILLING, "billing"),
            (_RATE_LIMIT, "rate_limit"),
            (_EMPTY, "server_error"),
            (_AUTH, "auth"),
            (_NO_MODEL, "model_not_found"),
            (_TIMEOUT, "timeout"),
        ),
        "",
    ),
}
"""HTTP status -> patterns of specific reasons, in order, and the default reason; empty if the class decides."""
_LIMITED = 429
_UNREAD = frozenset({401, 408, 413})
"""Statuses that decide the reason regardless of the text."""

_OTHER_TEXT = re.compile(
    # Too long for the model's context, or for the memory of its server.
    "context (length|size|window)|exceeds the limit|input is too long|input token|max_model_len|max_tokens"
    "|maximum (allowed input|context|model length|number of tokens)|prompt exceeds max length|prompt is too long"
    "|prompt length|reduce the length|token limit|too many tokens|truncating input|slot context|n_ctx_slot"
    "|max tokens allowed|超过最大长度|上下文长度|dynamic ceiling|memory[ _](ceiling|guard|limit)"
    "|(available|insufficient|out of) memory|prefill|predicted peak|metal_cap"
    "|(entity|payload) too large|request_too_large|exceeds the maximum size"
    # A quota, permanent or renewable.
    "|usage[ _]limit|quota|limit exceeded|spending limit|out of extra usage"
    # Problems for which Hermes changes the request and retries.
    r"|\breasoning|\bthink|encrypted|grammar|generate parser|json schema|alternat|same role|consecutive|in a row|jinja"
    "|error rendering|rendering prompt|must be (a )?string|toolmessagecontent|expected string|valid string"
    "|content[.]str|text is not set|item type in content|call arguments|prompt_cache_retention"
    "|using codex|error code: 413"
    # The connection.
    r"|certificate|hostname mismatch|ssl (alert|handshake)|ssl_alert|sslv3|\[ssl:|tls[ _]alert|tlsv1|record[ _]mac"
    "|server disconnected|peer closed|reset by peer|connection (closed|lost|refused|reset|was closed)|unexpected eof"
    "|incomplete chunked read|network|terminated|econnrefused|no route to host|service not known|servname"
    "|name resolution|getaddrinfo|eai_again|fetch failed|failed to fetch|upstream (connect|model)|stale attempts"
    "|no address associated"
    # Phrases for the reasons above that only some releases recognise.
    "|requires available credits|balance is too low|budget limit|hard billing limit|resource[ -]?exhausted|throttling"
    "|server_overload|server overload(?!ed)|gateway_auth_failed|extract accountid|no longer free|no endpoints"
    "|request (was )?blocked|been blocked|cloudflare|challenge-error|continuation identities|cdn-cgi|cf[_-]|javascript"
)
"""Texts of errors whose handling is not modelled or depends on the release."""
_OTHER_TEXT_OF_ANY_STATUS = re.compile(
    r"image|\bvision|multimodal|content type|media (exceeds|too large)|max allowed size|getmaxstringlength"
    "|patches after processing|payload is below"
    "|cybersecurity|trusted access for cyber|usage policies|was flagged by|due to safety|content_filter"
    "|responsibleaipolicy|new_sensitive|content exists risk|inappropriate content|data_inspection|policy violation"
    r"|grok|<!doctype|<html|expected ident|retry (after )?\d|resets? in|resets_in|quotaresetdelay"
)
"""As `_OTHER_TEXT`, for errors with any status."""


class ErrorFacts(NamedTuple):
    """HTTP status, body and lower-case text of an exception and its causes."""

    status: int | None
    body: dict[str, Any]
    text: str

    @classmethod
    def of(cls, error: Exception) -> ErrorFacts:
        """Read an exception and its causes."""
        chain = [*_list_chain(error)]
        status = next((found for one in chain if (found := _read_status(one)) is not None), None)
        if status is None and type(error).__name__ == "RateLimitError":
            status = _LIMITED
        bodies = [getattr(one, "body", None) for one in chain]
        body: dict[str, Any] = next((one for one in bodies if isinstance(one, dict)), {})
        text, more = str(error).lower(), str(body.get("message") or "").lower()
        return cls(status, body, text if more in text else f"{text} {more}")


def find_reason(error: Exception, facts: ErrorFacts) -> tuple[str, bool] | None:
    """Return Hermes' reason for an error, and whether the request may be retried.

    The result is None if the handling of the error is not modelled.
    """
    status, text = facts.status, facts.text
    if _is_structured(error, facts) or _OTHER_TEXT_OF_ANY_STATUS.search(text):
        return None
    if status not in _UNREAD and _OTHER_TEXT.search(text):
        return None
    if status == _LIMITED and _BILLING.search(text):
        return None
    rules, default = _find_rules(status)
    reason = next((named for pattern, named in rules if pattern.search(text)), default)
    if not reason:
        is_transport = type(error).__name__ in _TRANSPORT or isinstance(error, OSError)
        reason = "timeout" if is_transport else "unknown"
    return reason, reason not in _FINAL


def _find_rules(status: int | None) -> tuple[_Rules, str]:
    if status in _RULES_BY_STATUS:
        return _RULES_BY_STATUS[status]
    if status is not None and 400 <= status < 600:
        return (), "format_error" if status < 500 else "server_error"
    return _RULES_BY_STATUS[None]


def is_local(error: Exception) -> bool:
    """Return whether Hermes treats an error as its own bug, and does not retry."""
    if not isinstance(error, ValueError | TypeError) or isinstance(error, json.JSONDecodeError | ssl.SSLError):
        return False
    text = str(error).lower()
    return isinstance(error, ValueError) or not ("nonetype" in text and "not iterable" in text)


def _list_chain(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and len(chain) < _DEEPEST:
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain


def _read_status(error: BaseException) -> int | None:
    code = getattr(error, "status_code", None)
    if isinstance(code, int):
        return code
    code = getattr(error, "status", None)
    return code if isinstance(code, int) and 100 <= code < 600 else None


def _is_structured(error: Exception, facts: ErrorFacts) -> bool:
    """Return whether Hermes reads more from an error than its status and message."""
    is_plain = facts.body.keys() <= _BODY and isinstance(facts.body.get("message") or "", str)
    has_response = any(getattr(one, "__dict__", {}).get("response") is not None for one in _list_chain(error))
    is_special = type(error).__name__ in _SPECIAL or isinstance(error, UnicodeEncodeError)
    return not is_plain or has_response or is_special
