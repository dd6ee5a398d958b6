"""Types of ``gateway.platforms``."""

from hermes_sdk.api import (
    BasePlatformAdapter as BasePlatformAdapter,
    MessageEvent as MessageEvent,
    SendResult as SendResult,
)
