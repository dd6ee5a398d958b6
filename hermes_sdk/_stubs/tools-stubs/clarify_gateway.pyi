"""Types of ``tools.clarify_gateway``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.clarify_gateway import (
    clear_session as clear_session,
    get_clarify_timeout as get_clarify_timeout,
    get_pending_for_session as get_pending_for_session,
    has_pending as has_pending,
    register as register,
    resolve_text_response_for_session as resolve_text_response_for_session,
    wait_for_response as wait_for_response,
)

SKIPPED: str

def mark_awaiting_text(clarify_id: str) -> bool: ...
def resolve_gateway_clarify(clarify_id: str, response: str) -> bool: ...
