"""Test file with the suite for every plugin; see `default`."""

from __future__ import annotations

from hermes_sdk.testing import PluginContract


class TestPluginContract(PluginContract):
    """Tests for the plugin of the project."""
