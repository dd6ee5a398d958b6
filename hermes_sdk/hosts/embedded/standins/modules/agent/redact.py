"""Stands in for ``agent.redact``: removal of secrets, which is not supported for texts that may contain one."""

from functools import partial

from hermes_sdk.hosts.embedded.services import redaction
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "RedactingFormatter",
    "mask_secret",
    "redact_cdp_url",
    "redact_for_egress",
    "redact_sensitive_text",
    "redact_terminal_output",
    "register_redaction_patterns",
]

_manager = find_plugin_manager(__spec__)
RedactingFormatter = make_placeholder(__spec__, "RedactingFormatter")
mask_secret = partial(redaction.mask_secret, _manager.state)
redact_cdp_url = make_placeholder(__spec__, "redact_cdp_url")
redact_for_egress = make_placeholder(__spec__, "redact_for_egress")
redact_sensitive_text = _manager.registrations.redaction_patterns.redact
redact_terminal_output = make_placeholder(__spec__, "redact_terminal_output")
register_redaction_patterns = make_placeholder(__spec__, "register_redaction_patterns")
