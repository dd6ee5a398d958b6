"""Memory: the provider that remembers across sessions, and the ``ctx`` of its plugin."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import host_dataclass, provided_by_host

__all__ = ["MemoryPluginContext", "MemoryProvider", "RecallStatus"]


class MemoryPluginContext(Protocol):
    """The ``ctx`` of a memory plugin. Before 0.20.1, it has only these methods.

    The host loads a directory under ``plugins/`` in this way if its ``__init__.py`` mentions ``MemoryProvider`` and
    ``memory.provider`` is the directory's name. Any other member raises AttributeError; the host then discards all
    registrations and creates the first subclass of ``MemoryProvider`` that it finds. From 0.20.1, ``ctx`` also has
    every ``register_…`` method of `PluginContext`, with effect.
    """

    def register_memory_provider(self, provider: MemoryProvider) -> None:
        """Register the provider.

        Args:
            provider: The last one wins.
        """

    def register_tool(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing before 0.20.1: a provider's tools come from `MemoryProvider.get_tool_schemas`.

        Args:
            *args: As in `PluginContext`.
            **kwargs: See ``*args``.
        """

    def register_hook(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing before 0.20.1: the host calls the provider's methods instead of hooks.

        Args:
            *args: As in `PluginContext`.
            **kwargs: See ``*args``.
        """

    def register_skill(self, *args: Any, **kwargs: Any) -> None:
        """Register a skill, available while the provider is selected. Since 0.20.1.

        Args:
            *args: As in `PluginContext`.
            **kwargs: See ``*args``.
        """

    def register_cli_command(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the command comes from ``register_cli(subparser)`` in ``cli.py``.

        Args:
            *args: As in `PluginContext`.
            **kwargs: See ``*args``.
        """


@host_dataclass
class RecallStatus:
    """Summary of the memory added to a turn, for the user. Since 0.20.1.

    Attributes:
        provider_label: Display name of the provider.
        count: Number of recalled items.
        glyph: Symbol before the summary.
    """

    provider_label: str
    count: int
    glyph: str = "🧠"


class MemoryProvider(Protocol):
    """Remembers across sessions; base class ``agent.memory_provider.MemoryProvider``.

    ``memory.provider`` selects it by the name of its directory. The host silently skips a provider that fails or is
    not available.

    Attributes:
        pre_compress_checkpoint_api_version: Version of the result of `on_pre_compress`. Since 0.20.6.
    """

    pre_compress_checkpoint_api_version: int = 1

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the provider in messages."""
        ...

    @abstractmethod
    def is_available(self) -> bool:
        """Return whether the provider is available; called before `initialize`. It must not use the network."""
        ...

    @abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Start the provider for an agent.

        Args:
            session_id: Identifies the session.
            **kwargs: ``hermes_home``, ``platform`` and ``agent_context`` (``primary``, ``subagent``, ``cron`` or
                ``flush``); where known ``agent_identity`` (the profile), ``agent_workspace``, ``session_title``,
                ``user_id``, ``user_name``, ``chat_id``, ``chat_name``, ``chat_type``, ``thread_id`` and
                ``gateway_session_key``; from 0.15.0 ``user_id_alt``; from 0.17.0 in the CLI ``warning_callback`` and
                ``status_callback``.
        """
        ...

    def unavailable_reason(self) -> str:
        """Return advice for the user if `is_available` is false; empty by default. Since 0.20.1."""
        provided_by_host()

    def recall_status(self) -> RecallStatus | None:
        """Return a summary of the last `prefetch` for the user; None by default. Since 0.20.1."""
        provided_by_host()

    def identity_signature(self) -> dict[str, Any]:
        """Return settings whose change makes the gateway rebuild the agent; none by default. Since 0.21.3.

        Called for every message, without `initialize`, so it must be fast. The values must be JSON.
        """
        provided_by_host()

    def system_prompt_block(self) -> str:
        """Return static text for the system prompt; none by default."""
        provided_by_host()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return recalled text to add to the user's message; none by default.

        It runs in a thread for up to 8 seconds; while it runs, later turns skip it.

        Args:
            query: The user's message.
            session_id: Identifies the session; empty if there is only one.
        """
        provided_by_host()

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        """Called after each turn, to start recalling for the next one.

        Args:
            query: The user's message.
            session_id: Identifies the session.
        """
        provided_by_host()

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
        turn_author: dict[str, Any] | None = None,
    ) -> None:
        """Called in the background after each turn, to store it. ``messages`` and ``turn_author`` are passed if the
        method has them.

        Args:
            user_content: The user's message.
            assistant_content: The model's answer.
            session_id: Identifies the session.
            messages: The conversation with tool calls. Since 0.15.1.
            turn_author: The user's ``id``, ``name`` and ``is_bot``. Since 0.21.3.
        """
        provided_by_host()

    @abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the provider's tools, as bare functions. Names of core tools are rejected."""
        ...

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool of the provider and return the result as JSON; raises NotImplementedError by default.

        Args:
            tool_name: The tool's name.
            args: Arguments of the tool.
            **kwargs: Arguments that later releases add.
        """
        provided_by_host()

    def shutdown(self) -> None:
        """Called at the end, to finish queued work within 5 seconds."""
        provided_by_host()

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        """Called when a turn starts.

        Args:
            turn_number: Number of the turn in the session, from 1.
            message: The user's message.
            **kwargs: From 0.21.3 ``author_id``, ``author_name`` and ``author_is_bot``.
        """
        provided_by_host()

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Called when a session ends, not a turn.

        Args:
            messages: The conversation.
        """
        provided_by_host()

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """Called when the session continues under another id.

        Args:
            new_session_id: New id of the session.
            parent_session_id: Previous id of the session, or empty.
            reset: Whether a new conversation starts.
            rewound: Whether turns were undone, under the same id. Since 0.16.0.
            **kwargs: ``reason``: ``compression``, ``new_session``, ``resume`` or ``branch``.
        """
        provided_by_host()

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Return text to preserve through compression; none by default.

        Args:
            messages: The messages to compress.
        """
        provided_by_host()

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        """Called in the delegating agent when a subagent returns.

        Args:
            task: The task.
            result: The result.
            child_session_id: Identifies the subagent's session.
            **kwargs: Arguments that later releases add.
        """
        provided_by_host()

    def get_config_schema(self) -> list[dict[str, Any]]:
        """Return the settings that ``hermes memory setup`` asks for; none by default.

        Each mapping has ``key`` and ``description``, and may have ``secret`` (stored in ``.env``, as ``env_var`` if
        given), ``required``, ``default``, ``choices`` and ``url``.
        """
        provided_by_host()

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        """Save the non-secret answers of the setup; does nothing by default.

        Args:
            values: The answers by key.
            hermes_home: The HERMES_HOME.
        """
        provided_by_host()

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        """Called when the tool ``memory`` writes.

        Args:
            action: ``add``, ``replace`` or ``remove``.
            target: ``memory`` or ``user``.
            content: The entry.
            metadata: Its origin, such as ``session_id``, ``platform`` and ``tool_name``.
        """
        provided_by_host()

    def backup_paths(self) -> list[str]:
        """Return absolute paths outside the home that ``hermes backup`` must keep; none by default. Since 0.18.0.

        Called without `initialize`. Paths outside the user's home directory are skipped.
        """
        provided_by_host()
