"""What plugins say about a failed request to the model (N50)."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.providers.model_errors import Failure, ProviderError
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
"""The reasons after which the embedded host does what the real one does."""


def classify(failure: Failure, error: Exception, hooks: Hooks, about: dict[str, Any], state: HostState) -> Failure:
    """Return a failure as the first plugin that knows its reason sees it.

    Args:
        failure: The failure as the host sees it.
        hooks: The hooks of the plugins.
        about: What else the hook says about the request.

    Raises:
        NotSupported: The host recovers from such a failure in a way that is not modelled.
    """
    if not hooks.has(_HOOK):
        return failure
    body = error.body if isinstance(error, ProviderError) else {}
    values = {
        **about,
        "status_code": failure.status,
        "error_type": failure.kind,
        "error_code": "",
        "error_message": str(error).lower(),
        "error_body": body,
        "error": error,
    }
    valid = [answer for answer in hooks.fire(_HOOK, **values) if _read_reason(answer)]
    if len(valid) > 1:
        _log.warning(
            "transform_api_error_classification: skipped %d valid classification(s) after the first result in"
            " registration order won (run-all-then-pick-first)",
            len(valid) - 1,
        )
    if not valid:
        return failure
    reason, retryable = _read_reason(valid[0]), bool(valid[0].get("retryable", True))
    if reason not in _MODELLED or valid[0].get("should_compress") or (reason == "billing" and retryable):
        raise state.unsupported(f"recover from a request that failed with {reason}")
    return replace(failure, reason=reason, retryable=retryable)


def _read_reason(answer: Any) -> str:
    """Return the reason in the answer of a callback; empty if it has none."""
    reason = answer.get("reason") if isinstance(answer, dict) else None
    name = reason.strip().lower() if isinstance(reason, str) else ""
    return name if name in _REASONS else ""
