"""Context engines, which keep conversations within the model's context."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import provided_by_host

__all__ = ["ContextEngine"]


class ContextEngine(Protocol):
    """Compresses long conversations; base class ``agent.context_engine.ContextEngine``.

    ``context.engine`` selects it by its ``name``. The host reads the attributes, so keep them up to date.

    Attributes:
        last_prompt_tokens: Tokens of the last request.
        last_completion_tokens: Tokens of the last answer.
        last_total_tokens: Sum of both.
        threshold_tokens: Tokens above which the conversation is compressed.
        context_length: The model's context length, in tokens.
        compression_count: Compressions of the conversation.
        threshold_percent: The same as a fraction of the context length, 0 to 1.
        protect_first_n: Unchanged messages at the start, without the system prompt.
        protect_last_n: Unchanged messages at the end.
        emit_automatic_compaction_status: Whether users are notified of compressions. Since 0.20.1.
    """

    last_prompt_tokens: int = 0
    last_completion_tokens: int = 0
    last_total_tokens: int = 0
    threshold_tokens: int = 0
    context_length: int = 0
    compression_count: int = 0
    threshold_percent: float = 0.75
    protect_first_n: int = 3
    protect_last_n: int = 6
    emit_automatic_compaction_status: bool = True

    @property
    @abstractmethod
    def name(self) -> str:
        """Name that selects the engine in ``context.engine``."""
        ...

    @abstractmethod
    def update_from_response(self, usage: dict[str, Any]) -> None:
        """Record the token usage of a response.

        Args:
            usage: ``prompt_tokens``, ``completion_tokens`` and ``total_tokens``; newer releases add ``input_tokens``,
                ``output_tokens``, ``cache_read_tokens``, ``cache_write_tokens`` and ``reasoning_tokens``.
        """
        ...

    @abstractmethod
    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Return whether to compress the conversation; called after each round of tool calls.

        Args:
            prompt_tokens: Tokens of the next request, if known.
        """
        ...

    @abstractmethod
    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> list[dict[str, Any]]:
        """Return the messages that replace the conversation, a valid sequence of the OpenAI chat API.

        From 0.19.0, the host passes only the optional arguments that the method accepts. Older releases pass all and,
        after a TypeError, only ``current_tokens``.

        Args:
            messages: The conversation.
            current_tokens: Tokens in the conversation.
            focus_topic: Topic that the user wants preserved, from ``/compress <topic>``.
            force: Whether the user requested the compression. Since 0.19.0. The host passes it from 0.15.0 on.
            memory_context: Text that the memory provider wants preserved. Since 0.19.0.
        """
        ...

    def should_compress_preflight(self, messages: list[dict[str, Any]]) -> bool:
        """Return whether to compress the conversation before a request; false by default.

        Args:
            messages: The conversation.
        """
        provided_by_host()

    def should_defer_preflight_to_real_usage(self, rough_tokens: int) -> bool:
        """Return whether to wait for the real token count; false by default. Since 0.16.0.

        Args:
            rough_tokens: Estimated tokens.
        """
        provided_by_host()

    def should_compress_info(self, prompt_tokens: int | None = None) -> tuple[bool, str | None]:
        """Return whether to compress the conversation, and why not, for users. Since 0.19.1.

        Args:
            prompt_tokens: Tokens of the next request, if known.
        """
        provided_by_host()

    def prune_tool_results_only(
        self, messages: list[dict[str, Any]], current_tokens: int | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """Shorten old tool results without the model, none by default; return messages and count. Since 0.19.1.

        The host calls it long before the conversation is too long.

        Args:
            messages: The conversation.
            current_tokens: Tokens in the conversation.
        """
        provided_by_host()

    def select_context(
        self,
        request_messages: list[dict[str, Any]],
        *,
        conversation_messages: list[dict[str, Any]] | None = None,
        incoming_message: dict[str, Any] | None = None,
        budget_tokens: int = 0,
    ) -> list[dict[str, Any]] | None:
        """Return replacement messages for a single request, or None to leave it unchanged. Since 0.19.1.

        Called before each request, including retries. The stored conversation does not change.

        Args:
            request_messages: The messages to send, including the system prompt.
            conversation_messages: The conversation.
            incoming_message: The user's message.
            budget_tokens: Maximum tokens of the request.
        """
        provided_by_host()

    def on_turn_complete(
        self, messages: list[dict[str, Any]], usage: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Called when a turn ends. Since 0.19.1.

        Args:
            messages: Shallow copy of the conversation.
            usage: As in `update_from_response`; None if no response arrived.
            **kwargs: Such as ``turn_id``, ``task_id``, ``api_call_count``, ``interrupted``, ``failed`` and
                ``turn_exit_reason``.
        """
        provided_by_host()

    def get_automatic_compaction_status_message(
        self, *, phase: str, default_message: str, **context: Any
    ) -> str | None:
        """Return the message for users about a compression, or None. Since 0.19.1.

        Args:
            phase: ``preflight`` or ``compress``.
            default_message: The host's text, returned by default.
            **context: ``approx_tokens`` and ``threshold_tokens``, if known.
        """
        provided_by_host()

    def clone_for_agent(self) -> ContextEngine:
        """Return an engine for one agent; by default a deep copy. Since 0.21.5.

        Override it if attributes cannot be copied, such as locks or connections.
        """
        provided_by_host()

    def has_content_to_compress(self, messages: list[dict[str, Any]]) -> bool:
        """Return whether ``/compress`` in the gateway has anything to compress; true by default.

        Args:
            messages: The conversation.
        """
        provided_by_host()

    def on_session_start(self, session_id: str, **kwargs: Any) -> None:
        """Called when a conversation starts, or continues under another id.

        Args:
            session_id: Identifies the conversation.
            **kwargs: At the start ``hermes_home``, ``platform``, ``model``, ``context_length`` and, from 0.15.0,
                ``conversation_id``; after a compression ``boundary_reason`` and ``old_session_id``.
        """
        provided_by_host()

    def on_session_end(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """Called when a conversation ends, not a turn.

        Args:
            session_id: Identifies the conversation.
            messages: The conversation.
        """
        provided_by_host()

    def on_session_reset(self) -> None:
        """Discard the conversation after ``/new``; by default, set the token and compression counts to 0."""
        provided_by_host()

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the engine's tools, as bare functions; none by default."""
        provided_by_host()

    def handle_tool_call(self, name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool of the engine and return the result as JSON; by default an error.

        Args:
            name: Name of the tool.
            args: Arguments of the tool.
            **kwargs: ``messages``, the current conversation.
        """
        provided_by_host()

    def get_status(self) -> dict[str, Any]:
        """Return statistics to show to users.

        By default ``last_prompt_tokens``, ``threshold_tokens``, ``context_length``, ``usage_percent`` (0 to 100) and
        ``compression_count``.
        """
        provided_by_host()

    def update_model(
        self,
        model: str,
        context_length: int,
        base_url: str = "",
        api_key: str = "",
        provider: str = "",
        api_mode: str = "",
    ) -> None:
        """Called when the model changes. By default, updates the context length and the threshold.

        Args:
            model: Name of the model.
            context_length: Its context length, in tokens.
            base_url: Base URL of its API.
            api_key: API key.
            provider: Name of the provider.
            api_mode: The wire format, such as ``chat_completions``. Since 0.15.0.
        """
        provided_by_host()
