"""Types of ``tools.url_safety``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.url_safety import (
    is_safe_url as is_safe_url,
)
