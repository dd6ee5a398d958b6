"""Stands in for the package ``hermes_cli``."""

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["__version__"]

__version__ = find_plugin_manager(__spec__).state.contract.release
