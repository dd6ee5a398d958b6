"""Stands in for ``cron.scheduler_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["CronScheduler"]

CronScheduler = provider_class("CronScheduler", find_plugin_manager(__spec__).state)
