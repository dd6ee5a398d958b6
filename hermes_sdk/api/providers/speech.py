"""Providers of speech: text to sound, and sound to text."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from hermes_sdk.api.base import provided_by_host

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TTSProvider", "TranscriptionProvider"]


class _SpeechProvider(Protocol):
    """Members that both kinds of provider have; the host defines them twice."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name that selects the provider in the configuration: lower case, without spaces."""
        ...

    @property
    def display_name(self) -> str:
        """Display name; by default ``name`` in title case."""
        provided_by_host()

    def is_available(self) -> bool:
        """Return whether the provider is available; must neither use the network nor raise. True by default."""
        provided_by_host()

    def list_models(self) -> list[dict[str, Any]]:
        """Return the models; none by default.

        Each has ``id`` and, for users, ``display``, and ``speed`` and ``price`` (images) or ``languages`` (speech).
        """
        provided_by_host()

    def get_setup_schema(self) -> dict[str, Any]:
        """Return the row of ``hermes tools``: ``name``, ``badge``, ``tag``, and ``env_vars`` to ask for.

        Each of ``env_vars``, by default none, is a mapping with ``key``, ``prompt`` and ``url``.
        """
        provided_by_host()

    def default_model(self) -> str | None:
        """Return the id of the model to use if none is selected; by default the first of `list_models`."""
        provided_by_host()


class TTSProvider(_SpeechProvider, Protocol):
    """Turns text into speech; base class ``agent.tts_provider.TTSProvider``. Since 0.15.0.

    ``tts.provider`` selects it by its ``name``.

    Attributes:
        streams_pcm: Whether `stream` can return raw samples. Since 0.22.2.
        stream_sample_rate: Sample rate of the raw samples, in hertz, or None. Since 0.22.2.
    """

    streams_pcm: bool = False
    stream_sample_rate: int | None = None

    def list_voices(self) -> list[dict[str, Any]]:
        """Return the voices, each with ``id`` and, for users, ``display``, ``language``; none by default."""
        provided_by_host()

    def default_voice(self) -> str | None:
        """Return the id of the voice to use if none is selected; by default the first of `list_voices`."""
        provided_by_host()

    @abstractmethod
    def synthesize(
        self,
        text: str,
        output_path: str,
        *,
        voice: str | None = None,
        model: str | None = None,
        speed: float | None = None,
        format: str = "mp3",
        **extra: Any,
    ) -> str:
        """Write speech to a file. An exception reaches the model as an error.

        Args:
            text: The text.
            output_path: The path of the output file.
            voice: Id of the voice.
            model: Id of the model.
            speed: Relative speed; 1.0 is normal.
            format: ``mp3``, ``wav``, ``ogg``, ``opus`` or ``flac``.
            **extra: Arguments that later releases add.

        Returns:
            The absolute path of the file.
        """
        ...

    def stream(
        self, text: str, *, voice: str | None = None, model: str | None = None, format: str = "opus", **extra: Any
    ) -> Iterator[bytes]:
        """Return speech in chunks; raises NotImplementedError by default. Releases up to 0.19.0 do not call it.

        Args:
            text: The text.
            voice: Id of the voice.
            model: Id of the model.
            format: As in `synthesize`.
            **extra: Arguments that later releases add.
        """
        provided_by_host()

    def warm(self) -> None:
        """Called when speech is turned on, to load resources. Since 0.21.3."""
        provided_by_host()

    def release(self) -> None:
        """Called when speech is turned off, to free the resources of `warm`. Since 0.21.3."""
        provided_by_host()

    @property
    def voice_compatible(self) -> bool:
        """True if platforms can send the file as a voice message; false by default."""
        provided_by_host()


class TranscriptionProvider(_SpeechProvider, Protocol):
    """Turns speech into text; base class ``agent.transcription_provider.TranscriptionProvider``. Since 0.15.0.

    ``stt.provider`` selects it by its ``name``.
    """

    @abstractmethod
    def transcribe(
        self, file_path: str, *, model: str | None = None, language: str | None = None, **extra: Any
    ) -> dict[str, Any]:
        """Transcribe an audio file. Report a failure in the result instead of raising.

        Args:
            file_path: The path of the file.
            model: Id of the model.
            language: The language spoken, if known.
            **extra: Arguments that later releases add.

        Returns:
            ``success``, ``transcript`` and ``provider``; or ``success`` false, an empty ``transcript`` and ``error``.
        """
        ...

    @property
    def streaming_capable(self) -> bool:
        """True if `open_stream_session` is implemented; false by default. Since 0.22.2."""
        provided_by_host()

    def open_stream_session(self, *, language: str | None = None, prompt: str | None = None) -> Any:
        """Start transcribing live speech; raises NotImplementedError by default. Since 0.22.2.

        Args:
            language: The language spoken, if known.
            prompt: A hint for the model.

        Returns:
            A session for one utterance: ``agent.transcription_provider.TranscriptionStreamSession`` with
            ``push_audio(chunk)``, ``finalize()`` and ``partial_transcript()``. A chunk has 16-bit mono samples at
            16 kHz.
        """
        provided_by_host()
