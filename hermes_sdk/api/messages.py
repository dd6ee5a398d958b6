"""Messages of the gateway: what an adapter makes, sends and receives.

``Platform``, ``PlatformConfig`` and ``HomeChannel`` are in ``gateway.config``, ``SessionSource`` is in
``gateway.session``, the rest in ``gateway.platforms.base``. Make objects with keywords only: releases insert fields.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from hermes_sdk.api.base import host_dataclass, inherited

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "HomeChannel",
    "MessageEvent",
    "MessageType",
    "Platform",
    "PlatformConfig",
    "ProcessingOutcome",
    "SendResult",
    "SessionSource",
]


class MessageType(Enum):
    """What a message is."""

    TEXT = "text"
    LOCATION = "location"
    PHOTO = "photo"
    VIDEO = "video"
    AUDIO = "audio"
    VOICE = "voice"
    DOCUMENT = "document"
    STICKER = "sticker"
    COMMAND = "command"


class ProcessingOutcome(Enum):
    """How the work on a message ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    CANCELLED = "cancelled"


class Platform:
    """A platform; on the host an enumeration that also knows the registered platforms.

    Args:
        value: The name it is registered under. Another one is a ValueError.

    Attributes:
        value: The name.
    """

    value: str

    def __init__(self, value: str) -> None:
        self.value = value


@host_dataclass
class HomeChannel:
    """Where a platform's notices go.

    Attributes:
        platform: The platform.
        chat_id: The platform's id of the chat.
        name: Display name.
        thread_id: The platform's id of the thread in it.
        user_id: Who chose it, where a relay delivers. Since 0.19.1.
        scope_id: The server or workspace, where a relay delivers. Since 0.19.1.
    """

    platform: Platform
    chat_id: str
    name: str
    thread_id: str | None = None
    user_id: str | None = None
    scope_id: str | None = None


@host_dataclass
class PlatformConfig:
    """The configuration of a platform, ``platforms.<name>``.

    Attributes:
        enabled: Whether it is on.
        token: A token, where one is configured.
        api_key: A key, where one is configured.
        home_channel: Where notices go.
        reply_to_mode: Which pieces of an answer quote the message: ``off``, ``first`` or ``all``.
        gateway_restart_notification: Whether chats hear of a restart.
        typing_indicator: Whether to show that an answer is being written. Since 0.18.0.
        typing_status_text: What to show then. Since 0.19.0.
        channel_overrides: Model, provider and system prompt of single chats. Since 0.18.1.
        extra: The settings of the platform itself.
    """

    enabled: bool = False
    token: str | None = None
    api_key: str | None = None
    home_channel: HomeChannel | None = None
    reply_to_mode: str = "first"
    gateway_restart_notification: bool = True
    typing_indicator: bool = True
    typing_status_text: str | None = None
    channel_overrides: dict[str, Any] = {}
    extra: dict[str, Any] = {}


@host_dataclass
class SessionSource:
    """Where a message comes from; made by `BasePlatformAdapter.build_source`.

    Attributes:
        platform: The platform.
        chat_id: The platform's id of the chat.
        chat_name: Display name.
        chat_type: ``dm``, ``group``, ``channel`` or ``thread``.
        user_id: The platform's id of the sender.
        user_name: The sender's display name.
        thread_id: The platform's id of the thread in the chat.
        chat_topic: What the chat is about.
        user_id_alt: Another id of the sender.
        chat_id_alt: Another id of the chat.
        is_bot: Whether the sender is a bot.
        scope_id: The server or workspace. Since 0.18.0.
        guild_id: An older name of it.
        parent_chat_id: The platform's id of the chat that the thread is in.
        message_id: The platform's id of the message.
        role_authorized: Whether a role of the sender allows it. Since 0.17.0.
        profile: The profile that answers. Since 0.17.0.
        profile_route_rejected: Whether no profile may answer. Since 0.20.1.
        auto_thread_created: Whether the thread was made for this message. Since 0.18.1.
        auto_thread_initial_name: The name that it got. Since 0.18.1.
        prospective_thread_id: The thread that the answer will open. Since 0.20.0.
        delivered_via_upstream_relay: Whether a relay checked the sender already. Since 0.18.0.
    """

    platform: Platform
    chat_id: str
    chat_name: str | None = None
    chat_type: str = "dm"
    user_id: str | None = None
    user_name: str | None = None
    thread_id: str | None = None
    chat_topic: str | None = None
    user_id_alt: str | None = None
    chat_id_alt: str | None = None
    is_bot: bool = False
    scope_id: str | None = None
    guild_id: str | None = None
    parent_chat_id: str | None = None
    message_id: str | None = None
    role_authorized: bool = False
    profile: str | None = None
    profile_route_rejected: bool = False
    auto_thread_created: bool = False
    auto_thread_initial_name: str | None = None
    prospective_thread_id: str | None = None
    delivered_via_upstream_relay: bool = False

    @property
    def description(self) -> str:
        """The source in words."""
        inherited()


@host_dataclass
class MessageEvent:
    """A message that reaches the gateway, for `BasePlatformAdapter.handle_message`.

    Give all but the first two by keyword: releases add fields in between.

    Attributes:
        text: The text.
        message_type: What it is.
        user_id: Who wrote it. Since 0.20.1.
        user_name: The name of that person. Since 0.20.1.
        source: Where it comes from; always give one.
        raw_message: The platform's own object.
        message_id: The platform's id of the message.
        ledger_message_id: The message that the answer is recorded under, where that is another one. Since 0.21.3.
        reply_anchor_override: The message that the answer quotes, where that is another one. Since 0.21.4.
        platform_update_id: A number that grows from message to message.
        media_urls: Paths of files that came with it.
        media_types: Their MIME types.
        media_text_inlined: Whether the text of each of them is in ``text`` already; None for the host's own
            rule. Since 0.21.0.
        reply_to_message_id: The platform's id of the message that it answers.
        reply_to_text: The text of that.
        reply_to_author_id: Who wrote that. Since 0.18.0.
        reply_to_author_name: The name of that person. Since 0.18.0.
        reply_to_is_own_message: Whether the agent wrote that. Since 0.18.0.
        prompt_response: The button that was pressed, from a relay. Since 0.19.1.
        auto_skill: Skills to load for it.
        channel_prompt: Instructions for this chat.
        channel_context: What was said in the chat before. Since 0.14.0.
        internal: Whether the host made it; it then passes without authorisation and hooks.
        metadata: What the platform adds. Since 0.18.0.
        timestamp: When it was made; now by default.
        allow_gateway_control: Whether it may be a command or answer a question of the host. Since 0.20.1.
        reply_expected: Whether it was addressed to the agent; None when that is not known. Since 0.22.2.
    """

    text: str
    message_type: MessageType = MessageType.TEXT
    user_id: str | None = None
    user_name: str | None = None
    source: SessionSource = None  # type: ignore[assignment]
    raw_message: Any = None
    message_id: str | None = None
    ledger_message_id: str | None = None
    reply_anchor_override: str | None = None
    platform_update_id: int | None = None
    media_urls: list[str] = []
    media_types: list[str] = []
    media_text_inlined: list[bool | None] = []
    reply_to_message_id: str | None = None
    reply_to_text: str | None = None
    reply_to_author_id: str | None = None
    reply_to_author_name: str | None = None
    reply_to_is_own_message: bool = False
    prompt_response: dict[str, Any] | None = None
    auto_skill: str | list[str] | None = None
    channel_prompt: str | None = None
    channel_context: str | None = None
    internal: bool = False
    metadata: dict[str, Any] = {}
    timestamp: datetime = ...  # type: ignore[assignment]
    allow_gateway_control: bool = True
    reply_expected: bool | None = None

    def absorb_reply_expected(self, other: MessageEvent) -> None:
        """Answer another message too: ``reply_expected`` becomes that of both. Since 0.22.2.

        Args:
            other: The other message.
        """
        inherited()

    def is_command(self) -> bool:
        """Return whether the text begins with a slash."""
        inherited()

    def get_command(self) -> str | None:
        """Return the name of the slash command in lower case, or None."""
        inherited()

    def get_command_args(self) -> str:
        """Return what follows the command; all of the text when there is none."""
        inherited()


@host_dataclass
class SendResult:
    """What came of sending a message.

    Attributes:
        success: Whether it was sent.
        message_id: The platform's id of it; needed to edit it later.
        error: What went wrong.
        raw_response: The platform's own answer.
        retryable: Whether to try again.
        retry_after: After how many seconds. Since 0.18.0.
        continuation_message_ids: The further messages that a long text became.
        error_kind: Which kind of error it was. Since 0.18.0.
    """

    success: bool
    message_id: str | None = None
    error: str | None = None
    raw_response: Any = None
    retryable: bool = False
    retry_after: float | None = None
    continuation_message_ids: tuple[str, ...] = ()
    error_kind: str | None = None
