"""Stands in for ``agent.redact``: how secrets are removed from texts, which is refused where a text may have one."""

from functools import partial

from hermes_sdk.hosts.embedded.services import redaction
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

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
RedactingFormatter = refused(__spec__, "RedactingFormatter")
mask_secret = partial(redaction.mask_secret, _manager.state)
redact_cdp_url = refused(__spec__, "redact_cdp_url")
redact_for_egress = refused(__spec__, "redact_for_egress")
redact_sensitive_text = _manager.registrations.redaction_patterns.redact
redact_terminal_output = refused(__spec__, "redact_terminal_output")
register_redaction_patterns = refused(__spec__, "register_redaction_patterns")
