"""Platform adapters: what connects a messaging platform to the gateway.

`BasePlatformAdapter` represents the host's class during type checking; at run time inherit from the host's::

    if TYPE_CHECKING:
        from hermes_sdk.api import BasePlatformAdapter
    else:
        from gateway.platforms.base import BasePlatformAdapter

It has what an author defines, replaces or calls; the host's class has more, which the gateway uses to wire it up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from hermes_sdk.api.adapter_delivery import AdapterDelivery
from hermes_sdk.api.base import inherited

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.api.messages import (
        MessageEvent,
        Platform,
        PlatformConfig,
        ProcessingOutcome,
        SendResult,
        SessionSource,
    )

__all__ = ["BasePlatformAdapter"]


class BasePlatformAdapter(AdapterDelivery, ABC):
    """Connects a platform; base class ``gateway.platforms.base.BasePlatformAdapter``.

    All of its coroutines run on the gateway's event loop. A platform that cannot do a thing leaves the method alone:
    files become a notice, images their address, buttons a numbered list.

    Attributes:
        config: The configuration of the platform.
        platform: The platform.
        supports_code_blocks: Whether fenced code is shown as such. Since 0.17.0.
        supports_status_text: Whether typing shows a text. Since 0.19.0.
        supports_async_delivery: Whether messages can be sent without one to answer. Since 0.18.0.
        splits_long_messages: Whether `send` splits long texts itself. Since 0.18.0.
        typed_command_prefix: What commands begin with when people type them. Since 0.17.0.
        supports_inchannel_continuable: Whether scheduled messages can be answered in the channel. Since 0.18.0.
        interactive_resume: Whether a user can be asked how to continue after a restart. Since 0.19.0.
        gateway_runner: The host's live gateway, set before `connect`. Since 0.19.0.
        DEGRADED_STATUS_MESSAGE: What users are told while `send_path_degraded` is true. Since 0.21.3.
        REQUIRES_EDIT_FINALIZE: Whether the last edit of a streamed answer must be sent even without a change.
    """

    config: PlatformConfig
    platform: Platform
    supports_code_blocks: bool = False
    supports_status_text: bool = False
    supports_async_delivery: bool = True
    splits_long_messages: bool = False
    typed_command_prefix: str = "/"
    supports_inchannel_continuable: bool = False
    interactive_resume: bool = True
    gateway_runner: Any = None
    DEGRADED_STATUS_MESSAGE: str = "connected but not yet confirmed active; recovering in background"
    REQUIRES_EDIT_FINALIZE: bool = False

    def __init__(self, config: PlatformConfig, platform: Platform) -> None:
        inherited()

    @abstractmethod
    async def connect(self, *, is_reconnect: bool = False) -> bool:
        """Connect, start to receive messages, and return whether that worked.

        Args:
            is_reconnect: Whether the connection was lost; what was missed then may still be fetched. Since 0.18.0.
        """
        ...

    @abstractmethod
    async def disconnect(self) -> None:
        """Stop receiving messages."""
        ...

    @abstractmethod
    async def send(
        self, chat_id: str, content: str, reply_to: str | None = None, metadata: dict[str, Any] | None = None
    ) -> SendResult:
        """Send a text.

        Args:
            chat_id: The platform's id of the chat.
            content: The text, which may be Markdown.
            reply_to: The platform's id of the message to answer.
            metadata: What the platform needs besides, such as ``thread_id``.
        """
        ...

    @abstractmethod
    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        """Return at least the ``name`` and the ``type`` of a chat: ``dm``, ``group`` or ``channel``.

        Args:
            chat_id: The platform's id of the chat.
        """
        ...

    @property
    def name(self) -> str:
        """Display name; by default the platform's in title case."""
        inherited()

    @property
    def is_connected(self) -> bool:
        """Whether the adapter is connected, according to its last `_mark_…` call."""
        inherited()

    @property
    def has_fatal_error(self) -> bool:
        """Whether `_set_fatal_error` was called."""
        inherited()

    @property
    def fatal_error_message(self) -> str | None:
        """The message that it got."""
        inherited()

    @property
    def fatal_error_code(self) -> str | None:
        """The code that it got."""
        inherited()

    @property
    def fatal_error_retryable(self) -> bool:
        """Whether the gateway tries to connect again."""
        inherited()

    def _mark_connected(self) -> None:
        """Tell the gateway that the platform is connected; call it in `connect`."""
        inherited()

    def _mark_disconnected(self) -> None:
        """Tell the gateway that the platform is not connected any more; call it in `disconnect`."""
        inherited()

    def _set_fatal_error(self, code: str, message: str, *, retryable: bool) -> None:
        """Report to the gateway that the platform cannot continue.

        Args:
            code: A short name of the error.
            message: What happened, as a text for users.
            retryable: Whether the gateway should try to connect again.
        """
        inherited()

    async def handle_message(self, event: MessageEvent) -> None:
        """Hand a message to the gateway; return at once and process it in a task.

        Args:
            event: The message.
        """
        inherited()

    def build_source(
        self,
        chat_id: str,
        chat_name: str | None = None,
        chat_type: str = "dm",
        user_id: str | None = None,
        user_name: str | None = None,
        thread_id: str | None = None,
        chat_topic: str | None = None,
        user_id_alt: str | None = None,
        chat_id_alt: str | None = None,
        is_bot: bool = False,
        scope_id: str | None = None,
        guild_id: str | None = None,
        parent_chat_id: str | None = None,
        message_id: str | None = None,
        role_authorized: bool = False,
        auto_thread_created: bool = False,
        auto_thread_initial_name: str | None = None,
    ) -> SessionSource:
        """Make the source of a message.

        Args:
            chat_id: The platform's id of the chat. The arguments are the fields of `SessionSource`.
            chat_name: Display name.
            chat_type: ``dm``, ``group``, ``channel`` or ``thread``.
            user_id: The platform's id of the sender.
            user_name: The sender's display name.
            thread_id: The platform's id of the thread in the chat.
            chat_topic: What the chat is about.
            user_id_alt: Another id of the sender.
            chat_id_alt: Another id of the chat.
            is_bot: Whether the sender is a bot.
            scope_id: The server or workspace. Since 0.19.0.
            guild_id: An older name of it.
            parent_chat_id: The platform's id of the chat that the thread is in.
            message_id: The platform's id of the message.
            role_authorized: Whether a role of the sender allows it. Since 0.17.0.
            auto_thread_created: Whether the thread was made for this message. Since 0.18.1.
            auto_thread_initial_name: The name that it got. Since 0.18.1.
        """
        inherited()

    def format_message(self, content: str) -> str:
        """Turn Markdown into what the platform understands; by default the same text.

        Args:
            content: The text.
        """
        inherited()

    @staticmethod
    def truncate_message(content: str, max_length: int = 4096, len_fn: Callable[[str], int] | None = None) -> list[str]:
        """Split a text; blocks of code are closed and opened again.

        Args:
            content: The text.
            max_length: The most that one piece may have.
            len_fn: Measures a piece; by default in characters.
        """
        inherited()

    @property
    def message_len_fn(self) -> Callable[[str], int]:
        """Measures a text as the platform does; by default in characters."""
        inherited()

    @property
    def send_path_degraded(self) -> bool:
        """Whether it is connected but not yet sure that messages arrive; false by default. Since 0.21.3."""
        inherited()

    def toolsets_for_source(self, source: SessionSource) -> list[str] | None:
        """Return the toolsets for a chat, in place of ``platform_toolsets.<platform>``; None by default. Since 0.20.1.

        Args:
            source: Where the message comes from.
        """
        inherited()

    @property
    def enforces_own_access_policy(self) -> bool:
        """Whether the adapter itself decides who may write; false by default. Since 0.16.0."""
        inherited()

    @property
    def authorization_is_upstream(self) -> bool:
        """Whether another service decided already who may write; false by default. Since 0.18.0."""
        inherited()

    async def on_processing_start(self, event: MessageEvent) -> None:
        """Show that work on a message begins, for example by a reaction; nothing by default.

        Args:
            event: The message.
        """
        inherited()

    async def on_processing_complete(self, event: MessageEvent, outcome: ProcessingOutcome) -> None:
        """Show that it ended; nothing by default.

        Args:
            event: The message.
            outcome: How it ended.
        """
        inherited()

    def supports_streaming_tts(self, chat_id: str, audio_format: Any) -> bool:
        """Return whether speech can be played in a chat piece by piece; false by default. Since 0.19.1.

        An audio format has ``sample_rate``, ``channels`` and ``sample_width``.

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
            chunk: Raw little-endian samples.
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
