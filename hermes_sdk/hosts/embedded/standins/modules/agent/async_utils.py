"""Stands in for ``agent.async_utils``: coroutines that are started from other threads."""

from hermes_sdk.hosts.embedded.helpers.tasks import consume_detached_task_result, safe_schedule_threadsafe

__all__ = ["consume_detached_task_result", "safe_schedule_threadsafe"]
