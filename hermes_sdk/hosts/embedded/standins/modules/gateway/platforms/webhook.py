"""Stands in for ``gateway.platforms.webhook``: an adapter that plugins derive from; making one is refused."""

from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["WebhookAdapter"]

_classes = AdapterClasses.of(find_plugin_manager(__spec__))
WebhookAdapter = refused(__spec__, "WebhookAdapter", _classes.BasePlatformAdapter)
