"""The rules that Hermes has for a memory provider, one test each."""

from __future__ import annotations

from hermes_sdk.testing import MemoryProviderContract


class TestMemoryProviderContract(MemoryProviderContract):
    """A rule that is meant to be broken goes into `exclude`, with the reason."""
