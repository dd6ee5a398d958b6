"""The provider that keeps a conversation within the model's context."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import inherited

__all__ = ["ContextEngine"]


class ContextEngine(Protocol):
    """Compresses long conversations; base class ``agent.context_engine.ContextEngine``.

    ``context.engine`` selects it by its ``name``. The host reads the attributes, so keep them up to date.

    Attributes:
        last_prompt_tokens: Tokens of the last request.
        last_completion_tokens: Tokens of the last answer.
        last_total_tokens: Both together.
        threshold_tokens: Number of tokens from which the conversation is too long.
        context_length: The model's context length, in tokens.
        compression_count: How often the conversation was compressed.
        threshold_percent: The threshold as a part of the context, 0 to 1.
        protect_first_n: How many messages at the start stay as they are, the system prompt not counted.
        protect_last_n: How many messages at the end stay as they are.
        emit_automatic_compaction_status: Whether users are told when the conversation is compressed. Since 0.20.1.
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
        """What ``context.engine`` selects it by."""
        ...

    @abstractmethod
    def update_from_response(self, usage: dict[str, Any]) -> None:
        """Record the tokens that a response used.

        Args:
            usage: ``prompt_tokens``, ``completion_tokens`` and ``total_tokens``; newer releases add ``input_tokens``,
                ``output_tokens``, ``cache_read_tokens``, ``cache_write_tokens`` and ``reasoning_tokens``.
        """
        ...

    @abstractmethod
    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        """Return whether the conversation is too long now; asked after each round of tool calls.

        Args:
            prompt_tokens: Tokens of the next request, where the host knows them.
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

        From 0.19.0 the host sends those of the optional arguments that the method names; before, it called again with
        ``current_tokens`` alone after a TypeError.

        Args:
            messages: The conversation.
            current_tokens: How many tokens it has.
            focus_topic: What the user wants kept, from ``/compress <topic>``.
            force: Whether the user asked for it. Since 0.19.0. The host sends it from 0.15.0 on.
            memory_context: What the memory provider wants kept. Since 0.19.0.
        """
        ...

    def should_compress_preflight(self, messages: list[dict[str, Any]]) -> bool:
        """Return whether the conversation looks too long before a request is sent; false by default.

        Args:
            messages: The conversation.
        """
        inherited()

    def should_defer_preflight_to_real_usage(self, rough_tokens: int) -> bool:
        """Return whether to wait for the real count instead of trusting an estimate; false by default. Since 0.16.0.

        Args:
            rough_tokens: The estimate.
        """
        inherited()

    def should_compress_info(self, prompt_tokens: int | None = None) -> tuple[bool, str | None]:
        """Return whether the conversation is too long, and for users why it stays uncompressed. Since 0.19.1.

        Args:
            prompt_tokens: Tokens of the next request, where the host knows them.
        """
        inherited()

    def prune_tool_results_only(
        self, messages: list[dict[str, Any]], current_tokens: int | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """Shorten old results of tools without the model, and say how many; none by default. Since 0.19.1.

        The host calls it long before the conversation is too long.

        Args:
            messages: The conversation.
            current_tokens: How many tokens it has.
        """
        inherited()

    def select_context(
        self,
        request_messages: list[dict[str, Any]],
        *,
        conversation_messages: list[dict[str, Any]] | None = None,
        incoming_message: dict[str, Any] | None = None,
        budget_tokens: int = 0,
    ) -> list[dict[str, Any]] | None:
        """Return other messages for this one request, or None to leave it as it is. Since 0.19.1.

        Asked before each request, retries included. The conversation that is kept does not change.

        Args:
            request_messages: The messages as they would be sent, the system prompt included.
            conversation_messages: The conversation.
            incoming_message: What the user said.
            budget_tokens: How many tokens there is room for.
        """
        inherited()

    def on_turn_complete(
        self, messages: list[dict[str, Any]], usage: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """React to the end of a turn; does nothing by default. Since 0.19.1.

        Args:
            messages: The conversation, a shallow copy.
            usage: As in `update_from_response`; None when no response arrived.
            **kwargs: Such as ``turn_id``, ``task_id``, ``api_call_count``, ``interrupted``, ``failed`` and
                ``turn_exit_reason``.
        """
        inherited()

    def get_automatic_compaction_status_message(
        self, *, phase: str, default_message: str, **context: Any
    ) -> str | None:
        """Return what users are told when the conversation is compressed, or None for nothing. Since 0.19.1.

        Args:
            phase: Where the host is: ``preflight`` or ``compress``.
            default_message: The text of the host, which is the default.
            **context: ``approx_tokens`` and ``threshold_tokens``, where they are known.
        """
        inherited()

    def clone_for_agent(self) -> ContextEngine:
        """Return an engine for one agent; by default a deep copy. Since 0.21.5.

        Replace it when the engine has what cannot be copied, such as locks or connections.
        """
        inherited()

    def has_content_to_compress(self, messages: list[dict[str, Any]]) -> bool:
        """Return whether ``/compress`` in the gateway is worth a try; true by default.

        Args:
            messages: The conversation.
        """
        inherited()

    def on_session_start(self, session_id: str, **kwargs: Any) -> None:
        """Start a conversation, or continue under another ID; does nothing by default.

        Args:
            session_id: Identifies the conversation.
            **kwargs: At the start ``hermes_home``, ``platform``, ``model``, ``context_length`` and, from 0.15.0,
                ``conversation_id``; after a compression ``boundary_reason`` and ``old_session_id``.
        """
        inherited()

    def on_session_end(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """End a conversation, not a turn; does nothing by default.

        Args:
            session_id: Identifies the conversation.
            messages: The whole conversation.
        """
        inherited()

    def on_session_reset(self) -> None:
        """Forget the conversation after ``/new``; by default the counts of tokens and compressions become 0."""
        inherited()

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools that the engine offers to the model, as bare functions; none by default."""
        inherited()

    def handle_tool_call(self, name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run one of its tools and return the result as JSON; by default an error.

        Args:
            name: The tool's name.
            args: Its arguments.
            **kwargs: ``messages``, the current conversation.
        """
        inherited()

    def get_status(self) -> dict[str, Any]:
        """Return figures to show to users.

        By default ``last_prompt_tokens``, ``threshold_tokens``, ``context_length``, ``usage_percent`` (0 to 100) and
        ``compression_count``.
        """
        inherited()

    def update_model(
        self,
        model: str,
        context_length: int,
        base_url: str = "",
        api_key: str = "",
        provider: str = "",
        api_mode: str = "",
    ) -> None:
        """React to a change of model; by default the context length and the threshold change.

        Args:
            model: The model.
            context_length: Its context length, in tokens.
            base_url: The address of its API.
            api_key: The key to it.
            provider: The provider's name.
            api_mode: The wire format, such as ``chat_completions``. Since 0.15.0.
        """
        inherited()
