"""Types of ``hermes_cli.urllib_security``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.hermes_cli.urllib_security import (
    open_credentialed_url as open_credentialed_url,
    url_origin as url_origin,
)

class SafeCredentialRedirectHandler(Any):  # type: ignore[misc]
    """Follows redirects without credentials; its members have no types here."""
