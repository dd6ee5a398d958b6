"""Hooks for streamed responses. They only observe."""

from typing import Literal, Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "OnInterimMessageArguments",
    "OnInterimMessageCallback",
    "OnStreamDeltaArguments",
    "OnStreamDeltaCallback",
    "OnStreamEndArguments",
    "OnStreamEndCallback",
    "OnStreamStartArguments",
    "OnStreamStartCallback",
]


class OnStreamStartArguments(HookArguments):
    """When a streamed request begins. Since 0.20.1.

    The hooks of a stream run on separate threads, in no fixed order. A callback that falls 1,024 events behind loses
    the oldest.

    Attributes:
        turn_id: Identifies the turn.
        iteration: The number of the request within the turn, from 1.
        session_id: Identifies the session.
        model: The model's name.
        provider: The provider's name.
        surface: ``cli`` or the gateway's platform, for example.
    """

    turn_id: str
    iteration: int
    session_id: str
    model: str
    provider: str
    surface: str


class OnStreamStartCallback(Protocol):
    """A callback of ``on_stream_start``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnStreamStartArguments]) -> None: ...


class OnStreamDeltaArguments(OnStreamStartArguments):
    """For each piece of a streamed response. Since 0.20.1.

    Attributes:
        delta: The added text.
        kind: ``text``, or ``reasoning``, which needs ``plugins.stream_reasoning_deltas: true``.
    """

    delta: str
    kind: Literal["text", "reasoning"]


class OnStreamDeltaCallback(Protocol):
    """A callback of ``on_stream_delta``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnStreamDeltaArguments]) -> None: ...


class OnStreamEndArguments(OnStreamStartArguments):
    """When a streamed request ends. Since 0.20.1.

    Attributes:
        final_text: The whole text.
        finished: Whether the response is complete.
        error: The error that ended it, or None.
    """

    final_text: str
    finished: bool
    error: str | None


class OnStreamEndCallback(Protocol):
    """A callback of ``on_stream_end``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnStreamEndArguments]) -> None: ...


class OnInterimMessageArguments(OnStreamStartArguments):
    """When the model says something between its tool calls, before the final response. Since 0.20.1.

    Attributes:
        text: Text of the message.
        already_streamed: Whether it was already shown as a stream.
    """

    text: str
    already_streamed: bool


class OnInterimMessageCallback(Protocol):
    """A callback of ``on_interim_message``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnInterimMessageArguments]) -> None: ...
