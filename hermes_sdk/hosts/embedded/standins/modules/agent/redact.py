"""Stands in for ``agent.redact``: how secrets are removed from texts, which is refused."""

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

RedactingFormatter = refused(__spec__, "RedactingFormatter")
mask_secret = refused(__spec__, "mask_secret")
redact_cdp_url = refused(__spec__, "redact_cdp_url")
redact_for_egress = refused(__spec__, "redact_for_egress")
redact_sensitive_text = refused(__spec__, "redact_sensitive_text")
redact_terminal_output = refused(__spec__, "redact_terminal_output")
register_redaction_patterns = refused(__spec__, "register_redaction_patterns")
