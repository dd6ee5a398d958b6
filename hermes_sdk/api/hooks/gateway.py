"""The hook for messages that reach the gateway."""

from typing import Any, Literal, NotRequired, Protocol, TypedDict, Unpack

from hermes_sdk.api.base import UncheckedMapping
from hermes_sdk.api.hooks.base import HookArguments


class PreGatewayDispatchArguments(HookArguments):
    """For each message that reaches the gateway, before its sender is authorised. Runs on the event loop and blocks it.

    A message that arrives while the agent of its chat is running goes past this hook.

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
        reason: Why, for the log.
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
    """A callback of ``pre_gateway_dispatch``. Drops, rewrites or allows a message; None leaves that to others."""

    def __call__(
        self, **kwargs: Unpack[PreGatewayDispatchArguments]
    ) -> PreGatewayDispatchResult | UncheckedMapping | None: ...
