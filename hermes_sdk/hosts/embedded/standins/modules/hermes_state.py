"""Stands in for ``hermes_state``; the database of sessions is not modelled."""

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["DEFAULT_DB_PATH", "SessionDB"]

DEFAULT_DB_PATH = find_plugin_manager(__spec__).state.home_path() / "state.db"
SessionDB = refused(__spec__, "SessionDB")
