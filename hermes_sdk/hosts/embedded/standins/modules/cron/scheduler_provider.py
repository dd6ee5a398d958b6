"""Stands in for ``cron.scheduler_provider``."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["CronScheduler"]


class _Scheduler(Defaults):
    """Says when jobs are due; without jobs none is."""

    idle = frozenset({"on_jobs_changed", "reconcile", "register_job", "stop"})

    def is_available(self) -> bool:
        return True

    def recover_interrupted(self) -> int:
        return 0

    def fire_due(self, **_: Any) -> bool:
        return False


CronScheduler = Classes(find_plugin_manager(__spec__).state, globals()).made("CronScheduler", _Scheduler)
