"""Platform adapters, which connect messaging platforms to the gateway.

`BasePlatformAdapter` represents the host's class during type checking; at run time inherit from the host's::

    if TYPE_CHECKING:
        from hermes_sdk.api import BasePlatformAdapter
    else:
        from gateway.platforms.base import BasePlatformAdapter

It has the members that an author defines, overrides or calls. The host's class has more, which only the gateway uses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from hermes_sdk.api.adapter_delivery import AdapterDelivery
from hermes_sdk.api.base import provided_by_host

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
    """Connects a messaging platform; base class ``gateway.platforms.base.BasePlatformAdapter``.

    Its coroutines run on the gateway's event loop. Do not override methods for what the platform lacks: by default,
    files become a notice without the path, images their URL, and questions a numbered list.

    Attributes:
        config: The configuration of the platform.
        platform: The platform.
        supports_code_blocks: Whether the platform renders fenced code blocks. Since 0.17.0.
        supports_status_text: Whether the typing indicator shows a text. Since 0.19.0.
        supports_async_delivery: Whether messages other than answers can be sent. Since 0.18.0.
        splits_long_messages: Whether `send` splits long texts itself. Since 0.18.0.
        typed_command_prefix: Prefix of commands that people type. Since 0.17.0.
        supports_inchannel_continuable: Whether scheduled messages can be answered in the channel. Since 0.18.0.
        interactive_resume: Whether to ask users how to continue after a restart. Since 0.19.0.
        gateway_runner: The host's live gateway, set before `connect`. Since 0.19.0.
        DEGRADED_STATUS_MESSAGE: Status for users while `send_path_degraded` is true. Since 0.21.3.
        REQUIRES_EDIT_FINALIZE: Whether the last edit of a streamed answer is sent even if unchanged.
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
        provided_by_host()

    @abstractmethod
    async def connect(self, *, is_reconnect: bool = False) -> bool:
        """Connect and start receiving messages. Return whether that succeeded.

        Args:
            is_reconnect: Whether the connection was lost, so that missed messages may be fetched. Since 0.18.0.
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
        """Send a text and return the result.

        Args:
            chat_id: The platform's id of the chat.
            content: The text, which may be Markdown.
            reply_to: The message to answer.
            metadata: Further values for the platform, such as ``thread_id``.
        """
        ...

    @abstractmethod
    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        """Return at least the ``name`` and the ``type`` (``dm``, ``group`` or ``channel``) of a chat.

        Args:
            chat_id: The platform's id of the chat.
        """
        ...

    @property
    def name(self) -> str:
        """Display name; by default the platform's in title case."""
        provided_by_host()

    @property
    def is_connected(self) -> bool:
        """True if the last `_mark_…` call reported a connection."""
        provided_by_host()

    @property
    def has_fatal_error(self) -> bool:
        """True if `_set_fatal_error` was called."""
        provided_by_host()

    @property
    def fatal_error_message(self) -> str | None:
        """The message passed to `_set_fatal_error`."""
        provided_by_host()

    @property
    def fatal_error_code(self) -> str | None:
        """The code passed to `_set_fatal_error`."""
        provided_by_host()

    @property
    def fatal_error_retryable(self) -> bool:
        """True if the gateway connects again after it."""
        provided_by_host()

    def _mark_connected(self) -> None:
        """Report to the gateway that the platform is connected; call it in `connect`."""
        provided_by_host()

    def _mark_disconnected(self) -> None:
        """Report to the gateway that the platform is disconnected; call it in `disconnect`."""
        provided_by_host()

    def _set_fatal_error(self, code: str, message: str, *, retryable: bool) -> None:
        """Report to the gateway that the platform cannot continue.

        Args:
            code: A short name of the error.
            message: Description of the error for users.
            retryable: Whether the gateway should try to connect again.
        """
        provided_by_host()

    async def handle_message(self, event: MessageEvent) -> None:
        """Pass a message to the gateway, without waiting for its processing.

        Args:
            event: The message.
        """
        provided_by_host()

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
        """Create the source of a message; the arguments are fields of `SessionSource`.

        Args:
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
            scope_id: The server or workspace. Since 0.19.0.
            guild_id: Older name of ``scope_id``.
            parent_chat_id: The chat that contains the thread.
            message_id: The platform's id of the message.
            role_authorized: Whether the sender is authorised by a role. Since 0.17.0.
            auto_thread_created: Whether the thread was created for this message. Since 0.18.1.
            auto_thread_initial_name: Initial name of that thread. Since 0.18.1.
        """
        provided_by_host()

    def format_message(self, content: str) -> str:
        """Convert Markdown to the format of the platform; by default, return it unchanged.

        Args:
            content: The text.
        """
        provided_by_host()

    @staticmethod
    def truncate_message(content: str, max_length: int = 4096, len_fn: Callable[[str], int] | None = None) -> list[str]:
        """Split a text into pieces. Code blocks are closed and reopened at each split.

        Args:
            content: The text.
            max_length: Maximum length of a piece.
            len_fn: Measures the length of a piece; by default in characters.
        """
        provided_by_host()

    @property
    def message_len_fn(self) -> Callable[[str], int]:
        """Measures the length of a text for the platform; by default in characters."""
        provided_by_host()

    @property
    def send_path_degraded(self) -> bool:
        """True while connected without confirmed delivery; false by default. Since 0.21.3."""
        provided_by_host()

    def toolsets_for_source(self, source: SessionSource) -> list[str] | None:
        """Return the toolsets for a chat, replacing ``platform_toolsets.<platform>``; None by default. Since 0.20.1.

        Args:
            source: Source of the message.
        """
        provided_by_host()

    @property
    def enforces_own_access_policy(self) -> bool:
        """True if the adapter authorises senders; false by default. Since 0.16.0."""
        provided_by_host()

    @property
    def authorization_is_upstream(self) -> bool:
        """True if another service authorises the senders; false by default. Since 0.18.0."""
        provided_by_host()

    async def on_processing_start(self, event: MessageEvent) -> None:
        """Called when processing of a message starts, such as to add a reaction.

        Args:
            event: The message.
        """
        provided_by_host()

    async def on_processing_complete(self, event: MessageEvent, outcome: ProcessingOutcome) -> None:
        """Called when processing of a message ends.

        Args:
            event: The message.
            outcome: The outcome.
        """
        provided_by_host()

    def supports_streaming_tts(self, chat_id: str, audio_format: Any) -> bool:
        """Return whether speech can be streamed to a chat; false by default. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
            audio_format: The host's ``AudioFormat``: ``sample_rate``, ``channels`` and ``sample_width``.
        """
        provided_by_host()

    async def begin_streaming_tts(
        self, chat_id: str, audio_format: Any, metadata: dict[str, Any] | None = None
    ) -> Any | None:
        """Start streaming speech. Return the host's ``StreamingTTSHandle``, or None to get a whole file. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
            audio_format: The host's ``AudioFormat``: ``sample_rate``, ``channels`` and ``sample_width``.
            metadata: As in `send`.
        """
        provided_by_host()

    async def write_streaming_tts(self, handle: Any, chunk: bytes) -> None:
        """Stream a chunk of speech. Since 0.19.1.

        Args:
            handle: The handle that `begin_streaming_tts` returned.
            chunk: Raw samples, little-endian.
        """
        provided_by_host()

    async def finish_streaming_tts(self, handle: Any, *, interrupted: bool = False) -> None:
        """End the stream. Since 0.19.1.

        Args:
            handle: The handle that `begin_streaming_tts` returned.
            interrupted: Whether the user interrupted it.
        """
        provided_by_host()

    async def abort_streaming_tts(self, handle: Any, error: str | None = None) -> None:
        """Abort the stream; may be called twice. Since 0.19.1.

        Args:
            handle: The handle that `begin_streaming_tts` returned.
            error: The error.
        """
        provided_by_host()
