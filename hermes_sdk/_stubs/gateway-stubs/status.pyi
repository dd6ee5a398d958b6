"""Types of ``gateway.status``."""

from hermes_sdk.hosts.embedded.standins.modules.gateway.status import (
    acquire_scoped_lock as acquire_scoped_lock,
    get_running_pid as get_running_pid,
    is_gateway_running as is_gateway_running,
    read_runtime_status as read_runtime_status,
    release_scoped_lock as release_scoped_lock,
    write_runtime_status as write_runtime_status,
)
