"""Stands in for ``gateway.platforms.event``: the messages that adapters pass on."""

from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["MessageEvent", "MessageType", "ProcessingOutcome"]

_classes = AdapterClasses.of(find_plugin_manager(__spec__))
MessageEvent = _classes.MessageEvent
MessageType = _classes.MessageType
ProcessingOutcome = _classes.ProcessingOutcome
