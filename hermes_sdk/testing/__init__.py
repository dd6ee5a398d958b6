"""What a plugin's own tests use. Must not import `check`, `scaffold` or `cli`.

The fixture ``hermes`` comes with the pytest plugin; `Host` is its type::

    def test_it(hermes: Host) -> None: ...
"""

from hermes_sdk.hosts.base import Host
from hermes_sdk.hosts.results import ToolResult

__all__ = ["Host", "ToolResult"]
