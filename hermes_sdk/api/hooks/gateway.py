"""Hooks for messages that reach the gateway."""

from typing import Any, Literal, NotRequired, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import UncheckedMapping
from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "AllowMessage",
    "HandleMessage",
    "PostGatewayAdmissionArguments",
    "PostGatewayAdmissionCallback",
    "PreGatewayDispatchArguments",
    "PreGatewayDispatchCallback",
    "PreGatewayDispatchResult",
    "RewriteMessage",
    "SkipMessage",
]


class PreGatewayDispatchArguments(HookArguments):
    """For each message that reaches the gateway, before its sender is authorised. Blocks the event loop.

    A message that arrives while the agent of its chat is running bypasses this hook.

    Attributes:
        event: The message, a `MessageEvent`.
        gateway: The host's live gateway.
        session_store: The host's live session store.
    """

    event: Any
    gateway: Any
    session_store: Any


class SkipMessage(TypedDict):
    """Drop the message without an answer.

    Attributes:
        action: Always ``skip``.
        reason: Reason for the log.
    """

    action: Literal["skip"]
    reason: NotRequired[str]


class RewriteMessage(TypedDict):
    """Replace the text of the message.

    Attributes:
        action: Always ``rewrite``.
        text: The new text.
    """

    action: Literal["rewrite"]
    text: str


class AllowMessage(TypedDict):
    """Let the message pass whatever later callbacks return.

    Attributes:
        action: Always ``allow``.
    """

    action: Literal["allow"]


PreGatewayDispatchResult = SkipMessage | RewriteMessage | AllowMessage
"""The first of these decides; anything else is ignored."""


class PreGatewayDispatchCallback(Protocol):
    """A callback of ``pre_gateway_dispatch``. Drops, rewrites or allows a message; None leaves it to others."""

    def __call__(
        self, **kwargs: Unpack[PreGatewayDispatchArguments]
    ) -> PreGatewayDispatchResult | UncheckedMapping | None: ...


class PostGatewayAdmissionArguments(HookArguments):
    """For each message that the gateway admitted, before the agent's turn. Since 0.22.2.

    Not fired for slash commands, nor for messages that a plugin injected.

    Attributes:
        session_key: Identifies the chat.
        platform: Such as ``telegram``.
        source: The fields of `SessionSource`.
        message_id: The platform's id of the message, or None.
        text: Text of the message.
    """

    session_key: str
    platform: str
    source: dict[str, Any]
    message_id: str | None
    text: str


class HandleMessage(TypedDict):
    """Handle the message without a turn of the agent.

    Attributes:
        action: Always ``handled``.
        reply: Reply to the sender; none if absent or blank.
    """

    action: Literal["handled"]
    reply: NotRequired[str]


class PostGatewayAdmissionCallback(Protocol):
    """A callback of ``post_gateway_admission``. Handles the message in place of the agent, or returns None.

    The first directive wins. After an exception or a timeout the turn continues.
    """

    def __call__(self, **kwargs: Unpack[PostGatewayAdmissionArguments]) -> HandleMessage | UncheckedMapping | None: ...
