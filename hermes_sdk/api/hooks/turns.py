"""Hooks of a turn: add context, replace the response, continue a turn, observe its end."""

from typing import Any, Literal, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import UncheckedMapping
from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "ContinueTurn",
    "InjectContext",
    "PostLlmCallArguments",
    "PostLlmCallCallback",
    "PreLlmCallArguments",
    "PreLlmCallCallback",
    "PreLlmCallResult",
    "PreVerifyArguments",
    "PreVerifyCallback",
    "TransformLlmOutputArguments",
    "TransformLlmOutputCallback",
]


class _TurnArguments(HookArguments):
    """Arguments that the hooks at both ends of a turn share.

    Attributes:
        session_id: Identifies the session.
        task_id: Identifies the run of the agent. Since 0.16.0.
        turn_id: Identifies the turn. Since 0.16.0.
        user_message: The user's message; content parts if it is not only text.
        conversation_history: Shallow copy of the messages, the user's message last.
        model: The model's name.
        platform: ``cli``, the gateway's platform, or ``subagent``.
    """

    session_id: str
    task_id: str
    turn_id: str
    user_message: str | list[Any]
    conversation_history: list[dict[str, Any]]
    model: str
    platform: str


class PreLlmCallArguments(_TurnArguments):
    """Before the first request of a turn, to add context; once per turn.

    Attributes:
        is_first_turn: Whether the session has no earlier turn.
        sender_id: The gateway's user, or empty.
        parent_session_id: In a subagent the session that delegates, otherwise empty. Since 0.19.1.
    """

    is_first_turn: bool
    sender_id: str
    parent_session_id: str


class InjectContext(TypedDict):
    """Add text to the user's message.

    Attributes:
        context: The text.
    """

    context: str


PreLlmCallResult = InjectContext | str
"""The texts of all callbacks are joined by blank lines and appended to the user's message, also for later turns.

From 0.18.1, the model receives only the beginning and end of a text of more than 10,000 characters, and a file with it.
"""


class PreLlmCallCallback(Protocol):
    """A callback of ``pre_llm_call``. Returns text to add to the user's message; None and blank text add nothing."""

    def __call__(self, **kwargs: Unpack[PreLlmCallArguments]) -> PreLlmCallResult | UncheckedMapping | None: ...


class PostLlmCallArguments(_TurnArguments):
    """At the end of a turn with a response that was not interrupted; not after a permanent failure of the provider.

    Attributes:
        assistant_response: The response, after ``transform_llm_output``.
    """

    assistant_response: str


class PostLlmCallCallback(Protocol):
    """A callback of ``post_llm_call``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PostLlmCallArguments]) -> None: ...


class TransformLlmOutputArguments(HookArguments):
    """Before ``post_llm_call`` and under the same conditions, to replace the response.

    Attributes:
        response_text: The response; never empty.
        session_id: Identifies the session.
        model: The model's name.
        platform: ``cli``, the gateway's platform, or ``subagent``.
        turn_id: Identifies the turn. Since 0.21.4.
    """

    response_text: str
    session_id: str
    model: str
    platform: str
    turn_id: str


class TransformLlmOutputCallback(Protocol):
    """A callback of ``transform_llm_output``. Returns the text that replaces the response, or None to keep it.

    The first text that is not empty wins; every callback sees the original.
    """

    def __call__(self, **kwargs: Unpack[TransformLlmOutputArguments]) -> str | None: ...


class PreVerifyArguments(HookArguments):
    """Before the end of a turn that changed files, to make the model continue. Since 0.18.0.

    Fired at most ``agent.max_verify_nudges`` times a turn, 3 by default.

    Attributes:
        session_id: Identifies the session.
        platform: ``cli``, the gateway's platform, or ``subagent``.
        model: The model's name.
        coding: Whether this is a coding session.
        attempt: How often this turn was continued.
        final_response: The response that otherwise ends the turn.
        changed_paths: Files that ``write_file`` and ``patch`` changed; sorted.
    """

    session_id: str
    platform: str
    model: str
    coding: bool
    attempt: int
    final_response: str
    changed_paths: list[str]


class ContinueTurn(TypedDict):
    """Do not end the turn; the model reads the message.

    Attributes:
        action: Both continue the turn.
        message: Remaining work. If empty, the directive is ignored.
    """

    action: Literal["continue", "block"]
    message: str


class PreVerifyCallback(Protocol):
    """A callback of ``pre_verify``. Returns the remaining work, or None to let the turn end.

    The first directive with a message wins.
    """

    def __call__(self, **kwargs: Unpack[PreVerifyArguments]) -> ContinueTurn | UncheckedMapping | None: ...
