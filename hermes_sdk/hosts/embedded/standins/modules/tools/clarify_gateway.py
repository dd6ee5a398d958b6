"""Stands in for ``tools.clarify_gateway``: answers of an adapter's buttons to a model's questions."""

from __future__ import annotations

from functools import partial

from hermes_sdk.hosts.embedded.gateway.clarifications import SKIPPED, allow_text, press
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "SKIPPED",
    "clear_session",
    "get_clarify_timeout",
    "get_pending_for_session",
    "has_pending",
    "mark_awaiting_text",
    "register",
    "resolve_gateway_clarify",
    "resolve_text_response_for_session",
    "wait_for_response",
]

_state = find_plugin_manager(__spec__).state
clear_session = make_placeholder(__spec__, "clear_session")
get_clarify_timeout = make_placeholder(__spec__, "get_clarify_timeout")
get_pending_for_session = make_placeholder(__spec__, "get_pending_for_session")
has_pending = make_placeholder(__spec__, "has_pending")
mark_awaiting_text = partial(allow_text, _state)
register = make_placeholder(__spec__, "register")
resolve_gateway_clarify = partial(press, _state)
resolve_text_response_for_session = make_placeholder(__spec__, "resolve_text_response_for_session")
wait_for_response = make_placeholder(__spec__, "wait_for_response")
