"""Types of ``hermes_state``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.hermes_state import DEFAULT_DB_PATH as DEFAULT_DB_PATH

class SessionDB(Any):  # type: ignore[misc]
    """The database of sessions; its members have no types here."""
