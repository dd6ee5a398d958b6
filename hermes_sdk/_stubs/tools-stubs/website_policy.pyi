"""Types of ``tools.website_policy``."""

from hermes_sdk.hosts.embedded.standins.modules.tools.website_policy import (
    check_website_access as check_website_access,
)
