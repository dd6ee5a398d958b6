"""The suite for every plugin, as a test file; see `default`."""

from __future__ import annotations

from hermes_sdk.testing import PluginContract


class TestPluginContract(PluginContract):
    """Tests whichever plugin pytest finds in the project."""
