"""Methods of a platform adapter that deliver more than text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.api.base import provided_by_host

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.api.messages import SendResult

_Metadata = dict[str, Any] | None


class AdapterDelivery:
    """Methods that an adapter may override to edit messages, to show progress, and to send files and questions.

    By default, files become a notice without the path, images their URL, and questions a numbered list.

    ``chat_id``, ``reply_to`` and ``metadata`` are those of `BasePlatformAdapter.send` in all methods.
    """

    async def edit_message(self, chat_id: str, message_id: str, content: str, *, finalize: bool = False) -> SendResult:
        """Edit a sent message. By default it fails, and the host sends a new one.

        Args:
            chat_id: The platform's id of the chat.
            message_id: The platform's id of the message.
            content: The text.
            finalize: Whether this is the last edit.
        """
        provided_by_host()

    async def delete_message(self, chat_id: str, message_id: str) -> bool:
        """Delete a message and return whether that succeeded; false by default.

        Args:
            chat_id: The platform's id of the chat.
            message_id: The platform's id of the message.
        """
        provided_by_host()

    async def create_handoff_thread(self, parent_chat_id: str, name: str) -> str | None:
        """Create a thread for a session that moves to this platform, and return its id; None by default.

        Args:
            parent_chat_id: The chat to create it in.
            name: Its name.
        """
        provided_by_host()

    def supports_draft_streaming(
        self, chat_type: str | None = None, metadata: _Metadata = None, chat_id: str | None = None
    ) -> bool:
        """Return whether the adapter implements `send_draft`; false by default.

        Args:
            chat_type: The type of the chat.
            metadata: As in `send`.
            chat_id: The platform's id of the chat. Since 0.20.6.
        """
        provided_by_host()

    async def send_draft(self, chat_id: str, draft_id: int, content: str, metadata: _Metadata = None) -> SendResult:
        """Show the text so far of a streamed answer; raises NotImplementedError by default.

        Args:
            chat_id: The platform's id of the chat.
            draft_id: Identifies the draft; the same for the whole answer.
            content: The text.
            metadata: As in `send`.
        """
        provided_by_host()

    def prefers_fresh_final_streaming(self, content: str, metadata: _Metadata = None) -> bool:
        """Return whether a streamed answer ends with a new message, not an edit; false by default. Since 0.17.0.

        Args:
            content: The text.
            metadata: As in `send`.
        """
        provided_by_host()

    def streaming_overflow_limit(self) -> int | None:
        """Return the length at which a streamed answer is split; None for the usual limit. Since 0.17.0."""
        provided_by_host()

    def format_tool_preview(self, preview: Any) -> str:
        """Format the preview of a tool call for the platform; by default its text. Since 0.20.0.

        Args:
            preview: The host's object: ``text``, whether it is ``truncated``, and the ``url`` in it.
        """
        provided_by_host()

    def max_message_length_for_chat(self, chat_id: str) -> int:
        """Return the maximum message length in a chat; by default ``MAX_MESSAGE_LENGTH``, else 4096. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
        """
        provided_by_host()

    def message_len_fn_for_chat(self, chat_id: str) -> Callable[[str], int]:
        """Return the function that measures the length of messages in a chat. Since 0.19.1.

        Args:
            chat_id: The platform's id of the chat.
        """
        provided_by_host()

    def format_tool_event(self, event: Any, *, mode: str = "all", preview_max_len: int = 40) -> str | None:
        """Return the text to show for a tool call, or None to show nothing. Since 0.16.0.

        Args:
            event: The host's event.
            mode: Which calls the user wants to see.
            preview_max_len: Maximum characters of the arguments.
        """
        provided_by_host()

    async def send_typing(self, chat_id: str, metadata: Any = None) -> None:
        """Show a typing indicator; called every 2 seconds. Does nothing by default.

        Args:
            chat_id: The platform's id of the chat.
            metadata: As in `send`.
        """
        provided_by_host()

    async def stop_typing(self, chat_id: str) -> None:
        """Remove the typing indicator. Does nothing by default.

        Args:
            chat_id: The platform's id of the chat.
        """
        provided_by_host()

    def set_status_text(self, chat_id: str, text: str | None) -> None:
        """Set the text that `send_typing` shows, if ``supports_status_text`` is true. Since 0.19.0.

        Args:
            chat_id: The platform's id of the chat.
            text: The text, or None.
        """
        provided_by_host()

    async def send_image(
        self,
        chat_id: str,
        image_url: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Send an image by URL.

        Args:
            chat_id: The platform's id of the chat.
            image_url: URL of the image.
            caption: Text to show below.
            reply_to: The message to answer.
            metadata: As in `send`.
        """
        provided_by_host()

    async def send_animation(
        self,
        chat_id: str,
        animation_url: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Send an animated image by URL; by default, call `send_image`.

        Args:
            chat_id: The platform's id of the chat.
            animation_url: URL of the animation.
            caption: Text to show below.
            reply_to: The message to answer.
            metadata: As in `send`.
        """
        provided_by_host()

    async def send_multiple_images(
        self, chat_id: str, images: list[tuple[str, str]], metadata: _Metadata = None, human_delay: float = 0.0
    ) -> None:
        """Send images; by default one after the other.

        Args:
            chat_id: The platform's id of the chat.
            images: URL (``file://`` is possible) and caption of each image.
            metadata: As in `send`.
            human_delay: Delay between images, in seconds.
        """
        provided_by_host()

    async def send_image_file(
        self,
        chat_id: str,
        image_path: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send an image from a file.

        Args:
            chat_id: The platform's id of the chat.
            image_path: The path of the file.
            caption: Text to show below.
            reply_to: The message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        provided_by_host()

    async def send_voice(
        self,
        chat_id: str,
        audio_path: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send a voice message from a file.

        Args:
            chat_id: The platform's id of the chat.
            audio_path: The path of the file.
            caption: Text to show below.
            reply_to: The message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        provided_by_host()

    async def play_tts(self, chat_id: str, audio_path: str, **kwargs: Any) -> SendResult:
        """Play a spoken answer; by default, call `send_voice`.

        Args:
            chat_id: The platform's id of the chat.
            audio_path: The path of the file.
            **kwargs: Arguments of `send_voice`.
        """
        provided_by_host()

    def prepare_tts_text(self, text: str) -> str:
        """Return the text to speak; by default up to 4,000 characters without Markdown. Since 0.15.0.

        Args:
            text: The text.
        """
        provided_by_host()

    async def send_video(
        self,
        chat_id: str,
        video_path: str,
        caption: str | None = None,
        reply_to: str | None = None,
        metadata: _Metadata = None,
        **kwargs: Any,
    ) -> SendResult:
        """Send a video from a file.

        Args:
            chat_id: The platform's id of the chat.
            video_path: The path of the file.
            caption: Text to show below.
            reply_to: The message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        provided_by_host()

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
        """Send a file.

        Args:
            chat_id: The platform's id of the chat.
            file_path: The path of the file.
            caption: Text to show below.
            file_name: Displayed name of the file.
            reply_to: The message to answer.
            metadata: As in `send`.
            **kwargs: Arguments that later releases add.
        """
        provided_by_host()

    async def send_slash_confirm(
        self,
        chat_id: str,
        title: str,
        message: str,
        session_key: str,
        confirm_id: str,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Ask with buttons whether a command may run. By default it fails, and the gateway asks in text.

        Args:
            chat_id: The platform's id of the chat.
            title: The command.
            message: Effect of the command.
            session_key: Key of the session that waits for the answer.
            confirm_id: Identifies the question.
            metadata: As in `send`.
        """
        provided_by_host()

    async def send_clarify(
        self,
        chat_id: str,
        question: str,
        choices: list[Any] | None,
        clarify_id: str,
        session_key: str,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Ask a question of the model.

        Args:
            chat_id: The platform's id of the chat.
            question: The question.
            choices: The answers to choose from, if any.
            clarify_id: Identifies the question.
            session_key: Key of the session that waits for the answer.
            metadata: As in `send`.
        """
        provided_by_host()

    async def send_private_notice(
        self,
        chat_id: str,
        user_id: str | None,
        content: str,
        reply_to: str | None = None,
        metadata: _Metadata = None,
    ) -> SendResult:
        """Send a text to one person in a chat; by default everybody sees it.

        Args:
            chat_id: The platform's id of the chat.
            user_id: The platform's id of the user.
            content: The text.
            reply_to: The message to answer.
            metadata: As in `send`.
        """
        provided_by_host()
