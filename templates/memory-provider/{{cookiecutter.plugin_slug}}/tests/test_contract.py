"""Hermes's contract for memory providers, one test per rule."""

from __future__ import annotations

from hermes_sdk.testing import MemoryProviderContract


class TestMemoryProviderContract(MemoryProviderContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""
