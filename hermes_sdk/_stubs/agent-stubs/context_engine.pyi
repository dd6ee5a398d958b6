"""Types of ``agent.context_engine``."""

from hermes_sdk.api import ContextEngine as ContextEngine
