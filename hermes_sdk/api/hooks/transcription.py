"""Hook before a recording is transcribed."""

from typing import Protocol, TypedDict, Unpack

from hermes_sdk.api.base import UncheckedMapping
from hermes_sdk.api.hooks.base import HookArguments

__all__ = ["ChangeTranscription", "PreTranscriptionArguments", "PreTranscriptionCallback"]


class PreTranscriptionArguments(HookArguments):
    """Before a recording is transcribed. Since 0.20.1.

    Attributes:
        file_path: The recording.
        provider: The provider.
        model: The model, or None for the provider's own.
        language: The configured language, or None.
        prompt: The configured hint for the model, or None.
        source: Its origin, or None.
    """

    file_path: str
    provider: str
    model: str | None
    language: str | None
    prompt: str | None
    source: str | None


class ChangeTranscription(TypedDict, total=False):
    """Change the transcription. Values other than text are ignored.

    Attributes:
        model: The model's name.
        language: The language.
        prompt: The hint for the model.
    """

    model: str
    language: str
    prompt: str


class PreTranscriptionCallback(Protocol):
    """A callback of ``pre_transcription``. Returns changes, or None. For each key, the last callback wins."""

    def __call__(
        self, **kwargs: Unpack[PreTranscriptionArguments]
    ) -> ChangeTranscription | UncheckedMapping | None: ...
