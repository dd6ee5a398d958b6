"""Types of ``agent.redact``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.redact import (
    RedactingFormatter as RedactingFormatter,
    mask_secret as mask_secret,
    redact_cdp_url as redact_cdp_url,
    redact_for_egress as redact_for_egress,
    redact_sensitive_text as redact_sensitive_text,
    redact_terminal_output as redact_terminal_output,
    register_redaction_patterns as register_redaction_patterns,
)
