"""Types of ``gateway.session``."""

from hermes_sdk.api import SessionSource as SessionSource
