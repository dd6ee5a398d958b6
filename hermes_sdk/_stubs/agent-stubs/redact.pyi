"""Types of ``agent.redact``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.agent.redact import (
    RedactingFormatter as RedactingFormatter,
    redact_cdp_url as redact_cdp_url,
    redact_for_egress as redact_for_egress,
    redact_terminal_output as redact_terminal_output,
    register_redaction_patterns as register_redaction_patterns,
)

def mask_secret(
    value: str | None, *, head: int = 4, tail: int = 4, floor: int = 12, placeholder: str = "***", empty: str = ""
) -> str: ...
def redact_sensitive_text(text: Any, *, force: bool = False, **options: bool) -> Any: ...
