"""Types of ``gateway.platforms.event``, since 0.21.3."""

from hermes_sdk.api import (
    MessageEvent as MessageEvent,
    MessageType as MessageType,
    ProcessingOutcome as ProcessingOutcome,
)
