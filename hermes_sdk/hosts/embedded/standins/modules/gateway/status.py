"""Stands in for ``gateway.status``: locks on platform accounts."""

from hermes_sdk.hosts.embedded.gateway.account_locks import AccountLocks
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "acquire_scoped_lock",
    "get_running_pid",
    "is_gateway_running",
    "read_runtime_status",
    "release_scoped_lock",
    "write_runtime_status",
]

_locks = AccountLocks(find_plugin_manager(__spec__).state)
acquire_scoped_lock = _locks.acquire
release_scoped_lock = _locks.release
get_running_pid = make_placeholder(__spec__, "get_running_pid")
is_gateway_running = make_placeholder(__spec__, "is_gateway_running")
read_runtime_status = make_placeholder(__spec__, "read_runtime_status")
write_runtime_status = make_placeholder(__spec__, "write_runtime_status")
