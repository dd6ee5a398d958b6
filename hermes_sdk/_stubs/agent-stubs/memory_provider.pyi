"""Types of ``agent.memory_provider``."""

from hermes_sdk.api import MemoryProvider as MemoryProvider, RecallStatus as RecallStatus
