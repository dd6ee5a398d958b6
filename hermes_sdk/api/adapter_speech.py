"""The part of a platform adapter that plays speech while it is made."""

from __future__ import annotations

from typing import Any

from hermes_sdk.api.base import inherited


class AdapterSpeech:
    """What an adapter may replace to play speech piece by piece, as in a call.

    An audio format has ``sample_rate``, ``channels`` and ``sample_width``; chunks are raw little-endian samples.
    """

    def supports_streaming_tts(self, chat_id: str, audio_format: Any) -> bool:
        """Whether speech can be played in a chat piece by piece; false by default. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
            audio_format: The host's ``AudioFormat``.
        """
        inherited()

    async def begin_streaming_tts(
        self, chat_id: str, audio_format: Any, metadata: dict[str, Any] | None = None
    ) -> Any | None:
        """Begin to play, and return the host's ``StreamingTTSHandle``; None sends a whole file instead. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
            audio_format: The host's ``AudioFormat``.
            metadata: As in `send`.
        """
        inherited()

    async def write_streaming_tts(self, handle: Any, chunk: bytes) -> None:
        """Play a piece. Since 0.19.1.

        Args:
            handle: What `begin_streaming_tts` returned.
            chunk: The samples.
        """
        inherited()

    async def finish_streaming_tts(self, handle: Any, *, interrupted: bool = False) -> None:
        """End the speech. Since 0.19.1.

        Args:
            handle: What `begin_streaming_tts` returned.
            interrupted: Whether the user interrupted it.
        """
        inherited()

    async def abort_streaming_tts(self, handle: Any, error: str | None = None) -> None:
        """Break the speech off; may be called twice. Since 0.19.1.

        Args:
            handle: What `begin_streaming_tts` returned.
            error: What went wrong.
        """
        inherited()
