"""Types of ``agent.async_utils``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.async_utils import (
    consume_detached_task_result as consume_detached_task_result,
    safe_schedule_threadsafe as safe_schedule_threadsafe,
)
