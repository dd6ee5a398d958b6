"""Stands in for ``agent.transcription_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["TranscriptionProvider"]

TranscriptionProvider = provider_class("TranscriptionProvider", find_plugin_manager(__spec__).state)
