"""Types of ``agent.message_content``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.message_content import (
    flatten_message_text as flatten_message_text,
)
