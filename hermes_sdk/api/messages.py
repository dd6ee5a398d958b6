"""Messages of the gateway, which adapters create, send and receive.

``Platform``, ``PlatformConfig`` and ``HomeChannel`` are in ``gateway.config``, ``SessionSource`` is in
``gateway.session``, the rest in ``gateway.platforms.base``. Create objects with keyword arguments only, because
releases insert fields.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from hermes_sdk.api.base import host_dataclass, provided_by_host

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
    """Type of a message."""

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
    """Outcome of processing a message."""

    SUCCESS = "success"
    FAILURE = "failure"
    CANCELLED = "cancelled"


class Platform:
    """A platform; on the host, an enumeration that includes the registered platforms.

    Args:
        value: Name of the platform. An unknown name raises ValueError.

    Attributes:
        value: Name of the platform.
    """

    value: str

    def __init__(self, value: str) -> None:
        self.value = value


@host_dataclass
class HomeChannel:
    """Destination of a platform's notices.

    Attributes:
        platform: The platform.
        chat_id: The platform's id of the chat.
        name: Display name.
        thread_id: The platform's id of the thread.
        user_id: The user who chose it, if a relay delivers. Since 0.19.1.
        scope_id: The server or workspace, if a relay delivers. Since 0.19.1.
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
        enabled: Whether the platform is enabled.
        token: The configured token.
        api_key: The configured API key.
        home_channel: Destination of notices.
        reply_to_mode: Which pieces of an answer quote the message: ``off``, ``first`` or ``all``.
        gateway_restart_notification: Whether chats are notified of a restart.
        typing_indicator: Whether to show a typing indicator. Since 0.18.0.
        typing_status_text: Text of the typing indicator. Since 0.19.0.
        channel_overrides: Model, provider and system prompt of individual chats. Since 0.18.1.
        extra: Settings of the platform itself.
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
    """Source of a message, as created by `BasePlatformAdapter.build_source`.

    Attributes:
        platform: The platform.
        chat_id: The platform's id of the chat.
        chat_name: Display name.
        chat_type: ``dm``, ``group``, ``channel`` or ``thread``.
        user_id: The sender.
        user_name: The sender's display name.
        thread_id: The platform's id of the thread.
        chat_topic: Topic of the chat.
        user_id_alt: Another id of the sender.
        chat_id_alt: Another id of the chat.
        is_bot: Whether the sender is a bot.
        scope_id: The server or workspace. Since 0.18.0.
        guild_id: Older name of ``scope_id``.
        parent_chat_id: The chat that contains the thread.
        message_id: The platform's id of the message.
        role_authorized: Whether the sender is authorised by a role. Since 0.17.0.
        profile: The profile that answers. Since 0.17.0.
        profile_route_rejected: Whether no profile may answer. Since 0.20.1.
        auto_thread_created: Whether the thread was created for this message. Since 0.18.1.
        auto_thread_initial_name: Initial name of that thread. Since 0.18.1.
        prospective_thread_id: The thread that the answer will open. Since 0.20.0.
        delivered_via_upstream_relay: Whether a relay has already checked the sender. Since 0.18.0.
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
        """Description of the source."""
        provided_by_host()


@host_dataclass
class MessageEvent:
    """A message that reaches the gateway, for `BasePlatformAdapter.handle_message`.

    Pass all fields but the first two by keyword: releases insert fields.

    Attributes:
        text: The text.
        message_type: Type of the message.
        user_id: The sender. Since 0.20.1.
        user_name: The sender's display name. Since 0.20.1.
        source: Source of the message; always pass one.
        raw_message: The platform's object.
        message_id: The platform's id of the message.
        ledger_message_id: Another message under which the answer is recorded. Since 0.21.3.
        reply_anchor_override: Another message that the answer quotes. Since 0.21.4.
        platform_update_id: A number that grows from message to message.
        media_urls: Paths of the attached files.
        media_types: MIME types of the attached files.
        media_text_inlined: For each file, whether ``text`` contains its text; None for the host's own rule.
            Since 0.21.0.
        reply_to_message_id: The answered message.
        reply_to_text: Its text.
        reply_to_author_id: Its author. Since 0.18.0.
        reply_to_author_name: That author's display name. Since 0.18.0.
        reply_to_is_own_message: Whether that author is the agent. Since 0.18.0.
        prompt_response: The button that was pressed, from a relay. Since 0.19.1.
        auto_skill: Skills to load for the message.
        channel_prompt: Instructions for this chat.
        channel_context: Earlier messages of the chat. Since 0.14.0.
        internal: Whether the host created the message, which then skips authorisation and hooks.
        metadata: Further values from the platform. Since 0.18.0.
        timestamp: Time of the message; now by default.
        allow_gateway_control: Whether it may be a command or answer a question of the host. Since 0.20.1.
        reply_expected: Whether it was addressed to the agent; None if unknown. Since 0.22.2.
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
        """Merge ``reply_expected`` of a message that is answered together with this one. Since 0.22.2.

        Args:
            other: The other.
        """
        provided_by_host()

    def is_command(self) -> bool:
        """Return whether the text begins with a slash."""
        provided_by_host()

    def get_command(self) -> str | None:
        """Return the name of the slash command in lower case, or None."""
        provided_by_host()

    def get_command_args(self) -> str:
        """Return the text after the command; the whole text if there is no command."""
        provided_by_host()


@host_dataclass
class SendResult:
    """Result of sending a message.

    Attributes:
        success: Whether the message was sent.
        message_id: The platform's id of the message.
        error: Error message.
        raw_response: The platform's response.
        retryable: Whether to try again.
        retry_after: Delay before the next attempt, in seconds. Since 0.18.0.
        continuation_message_ids: Further messages that a long text was split into.
        error_kind: Kind of error. Since 0.18.0.
    """

    success: bool
    message_id: str | None = None
    error: str | None = None
    raw_response: Any = None
    retryable: bool = False
    retry_after: float | None = None
    continuation_message_ids: tuple[str, ...] = ()
    error_kind: str | None = None
