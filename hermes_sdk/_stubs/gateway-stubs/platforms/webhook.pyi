"""Types of ``gateway.platforms.webhook``."""

from hermes_sdk.hosts.embedded.standins.modules.gateway.platforms.webhook import (
    WebhookAdapter as WebhookAdapter,
)
