"""Base class of streaming voices for plugins; the embedded host does not use their voices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from hermes_sdk.hosts.embedded.host_classes import of_module

_Voice = TypeVar("_Voice", bound=type)


@of_module("tools.tts_streaming")
class StreamingTTSProvider(ABC):
    """A voice that streams 16-bit mono audio."""

    sample_rate: int = 24000
    channels: int = 1
    sample_width: int = 2

    def __init__(self, tts_config: dict[str, Any], section: dict[str, Any]) -> None:
        self.tts_config = tts_config
        self.section = section

    @staticmethod
    @abstractmethod
    def available() -> bool:
        """Return whether the voice can be used."""

    @abstractmethod
    def stream(self, text: str) -> Iterator[bytes]:
        """Yield the audio of a text."""


def register(name: str) -> Callable[[_Voice], _Voice]:  # noqa: ARG001 - no part of the host looks for a name
    """Register the decorated class under a name."""
    return lambda voice: voice
