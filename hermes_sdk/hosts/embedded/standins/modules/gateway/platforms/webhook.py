"""Stands in for ``gateway.platforms.webhook``: a base class of adapters. Creating an adapter is not supported."""

from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["WebhookAdapter"]

_classes = AdapterClasses.of(find_plugin_manager(__spec__))
WebhookAdapter = make_placeholder(__spec__, "WebhookAdapter", _classes.BasePlatformAdapter)
