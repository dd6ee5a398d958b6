"""The suite for every plugin."""

from __future__ import annotations

from hermes_sdk.testing.suites.contract import Contract


class PluginContract(Contract):
    """What the host demands of every plugin; see `Contract` for the attributes of all suites."""

    suite = "plugin"
