"""The part of a platform adapter that delivers more than text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.api.base import inherited

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.api.messages import SendResult

_Metadata = dict[str, Any] | None


class AdapterDelivery:
    """What an adapter may replace to edit messages, to show that it works, and to send files and questions.

    ``chat_id``, ``reply_to`` and ``metadata`` are those of `BasePlatformAdapter.send` everywhere.
    """

    async def edit_message(self, chat_id: str, message_id: str, content: str, *, finalize: bool = False) -> SendResult:
        """Edit a sent text, as streamed answers do; by default it fails, and the host sends a new message.

        Args:
            chat_id: The platform's id of the chat.
            message_id: The platform's id of the message.
            content: The new text.
            finalize: Whether this is the last edit.
        """
        inherited()

    async def delete_message(self, chat_id: str, message_id: str) -> bool:
        """Take a message back, and say whether that worked; false by default.

        Args:
            chat_id: The platform's id of the chat.
            message_id: The platform's id of the message.
        """
        inherited()

    async def create_handoff_thread(self, parent_chat_id: str, name: str) -> str | None:
        """Make a thread for a session that moves here and return its id; None by default.

        Args:
            parent_chat_id: The platform's id of the chat to make it in.
            name: Its name.
        """
        inherited()

    def supports_draft_streaming(
        self, chat_type: str | None = None, metadata: _Metadata = None, chat_id: str | None = None
    ) -> bool:
        """Return whether the adapter has `send_draft`; false by default.

        Args:
            chat_type: The type of the chat.
            metadata: As in `send`.
            chat_id: The platform's id of the chat. Since 0.20.6.
        """
        inherited()

    async def send_draft(self, chat_id: str, draft_id: int, content: str, metadata: _Metadata = None) -> SendResult:
        """Show an answer while it grows; raises NotImplementedError by default.

        Args:
            chat_id: The platform's id of the chat.
            draft_id: Identifies the draft; the same for all of an answer.
            content: The text so far.
            metadata: As in `send`.
        """
        inherited()

    def prefers_fresh_final_streaming(self, content: str, metadata: _Metadata = None) -> bool:
        """Return whether a streamed answer ends as a new message instead of an edit; false by default. Since 0.17.0.

        Args:
            content: The answer.
            metadata: As in `send`.
        """
        inherited()

    def streaming_overflow_limit(self) -> int | None:
        """Return how long a streamed answer may grow before it is split; None for the usual limit. Since 0.17.0."""
        inherited()

    def format_tool_preview(self, preview: Any) -> str:
        """Return a shortened tool call as the platform shows it; by default its text. Since 0.20.0.

        Args:
            preview: The host's object: ``text``, whether it is ``truncated``, and the ``url`` in it.
        """
        inherited()

    def max_message_length_for_chat(self, chat_id: str) -> int:
        """Return the longest message of a chat; by default ``MAX_MESSAGE_LENGTH``, else 4096. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
        """
        inherited()

    def message_len_fn_for_chat(self, chat_id: str) -> Callable[[str], int]:
        """Return the function that measures messages of a chat. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
        """
        inherited()

    def format_tool_event(self, event: Any, *, mode: str = "all", preview_max_len: int = 40) -> str | None:
        """Return what to show for a tool call, or None for nothing. Since 0.16.0.

        Args:
            event: The host's event of the call.
            mode: Which calls the user wants to see.
            preview_max_len: The most characters of the arguments to show.
        """
        inherited()

    async def send_typing(self, chat_id: str, metadata: Any = None) -> None:
        """Show that an answer is being written; called every 2 seconds. Nothing by default.

        Args:
            chat_id: The platform's id of the chat.
            metadata: As in `send`.
        """
        inherited()

    async def stop_typing(self, chat_id: str) -> None:
        """Stop showing it; nothing by default.

        Args:
            chat_id: The platform's id of the chat.
        """
        inherited()

    def set_status_text(self, chat_id: str, text: str | None) -> None:
        """Keep what `send_typing` shows, where ``supports_status_text`` is set. Since 0.19.0.

        Args:
            chat_id: The platform's id of the chat.
            text: What to show, or None.
        """
        inherited()

    async def send_image(
        self,
        chat_id: str,
        image_url: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Send an image by its address; by default the address as text.

        Args:
            chat_id: The platform's id of the chat.
            image_url: The address.
            caption: A text below.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
        """
        inherited()

    async def send_animation(
        self,
        chat_id: str,
        animation_url: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Send an animated image by its address; by default `send_image`.

        Args:
            chat_id: The platform's id of the chat.
            animation_url: The address.
            caption: A text below.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
        """
        inherited()

    async def send_multiple_images(
        self, chat_id: str, images: list[tuple[str, str]], metadata: _Metadata = None, human_delay: float = 0.0
    ) -> None:
        """Send images; by default one after the other.

        Args:
            chat_id: The platform's id of the chat.
            images: For each its address, ``file://`` too, and its caption.
            metadata: As in `send`.
            human_delay: How many seconds to wait between them.
        """
        inherited()

    async def send_image_file(
        self,
        chat_id: str,
        image_path: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send an image from a file; by default a notice without the path.

        Args:
            chat_id: The platform's id of the chat.
            image_path: The path of the file.
            caption: A text below.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        inherited()

    async def send_voice(
        self,
        chat_id: str,
        audio_path: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send a voice message from a file; by default a notice without the path.

        Args:
            chat_id: The platform's id of the chat.
            audio_path: The path of the file.
            caption: A text below.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        inherited()

    async def play_tts(self, chat_id: str, audio_path: str, **kwargs: Any) -> SendResult:
        """Play a spoken answer; by default `send_voice`.

        Args:
            chat_id: The platform's id of the chat.
            audio_path: The path of the file.
            **kwargs: Those of `send_voice`.
        """
        inherited()

    def prepare_tts_text(self, text: str) -> str:
        """Return the text to speak; by default at most 4,000 characters without Markdown. Since 0.15.0.

        Args:
            text: The answer.
        """
        inherited()

    async def send_video(
        self,
        chat_id: str,
        video_path: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send a video from a file; by default a notice without the path.

        Args:
            chat_id: The platform's id of the chat.
            video_path: The path of the file.
            caption: A text below.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        inherited()

    async def send_document(
        self,
        chat_id: str,
        file_path: str,
        caption: str | None = None,
        file_name: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send a file; by default a notice without the path.

        Args:
            chat_id: The platform's id of the chat.
            file_path: The path of the file.
            caption: A text below.
            file_name: What to call it.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        inherited()

    async def send_slash_confirm(
        self,
        chat_id: str,
        title: str,
        message: str,
        session_key: str,
        confirm_id: str,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Ask with buttons whether a command may run; by default it fails, and the gateway asks in text.

        Args:
            chat_id: The platform's id of the chat.
            title: The command.
            message: What it does.
            session_key: The key of the session that waits.
            confirm_id: Identifies the question.
            metadata: As in `send`.
        """
        inherited()

    async def send_clarify(
        self,
        chat_id: str,
        question: str,
        choices: list[Any] | None,
        clarify_id: str,
        session_key: str,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Ask what the model wants to know; by default in text, with the choices numbered.

        Args:
            chat_id: The platform's id of the chat.
            question: The question.
            choices: The answers to choose from, if any.
            clarify_id: Identifies the question.
            session_key: The key of the session that waits.
            metadata: As in `send`.
        """
        inherited()

    async def send_private_notice(
        self,
        chat_id: str,
        user_id: str | None,
        content: str,
        reply_to: str | None = None,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Tell one person something in a chat; by default everybody sees it.

        Args:
            chat_id: The platform's id of the chat.
            user_id: The platform's id of the person.
            content: The text.
            reply_to: The platform's id of the message to answer.
            metadata: As in `send`.
        """
        inherited()
