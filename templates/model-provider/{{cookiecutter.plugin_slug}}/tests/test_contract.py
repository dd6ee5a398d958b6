"""The rules that Hermes has for a model provider, one test each."""

from __future__ import annotations

from hermes_sdk.testing import ModelProviderContract


class TestModelProviderContract(ModelProviderContract):
    """A rule that is meant to be broken goes into `exclude`, with the reason."""
