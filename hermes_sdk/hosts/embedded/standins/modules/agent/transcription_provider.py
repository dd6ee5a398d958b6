"""Stands in for ``agent.transcription_provider``."""

from __future__ import annotations

from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.providers.backend_defaults import ModelBackend
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["TranscriptionProvider"]


class _Transcription(ModelBackend):
    """Writes down speech."""

    def streaming_capable(self) -> bool:
        return False

    def open_stream_session(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(f"{self.name} does not support live streaming transcription")


TranscriptionProvider = Classes(find_plugin_manager(__spec__).state, globals()).made(
    "TranscriptionProvider", _Transcription
)
