"""Types of ``agent.portal_tags``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.portal_tags import (
    nous_portal_tags as nous_portal_tags,
)
