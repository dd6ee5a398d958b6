"""Stands in for ``hermes_state``; the database of sessions is not modelled."""

from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["DEFAULT_DB_PATH", "SessionDB"]

DEFAULT_DB_PATH = find_plugin_manager(__spec__).state.home_path() / "state.db"
SessionDB = make_placeholder(__spec__, "SessionDB")
