"""Memory: the provider that remembers across sessions, and what its plugin registers with."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from hermes_sdk.api.base import host_dataclass, inherited

__all__ = ["MemoryPluginContext", "MemoryProvider", "RecallStatus"]


class MemoryPluginContext(Protocol):
    """The ``ctx`` of a memory plugin, which has these methods and before 0.20.1 nothing else.

    A directory under ``plugins/`` whose ``__init__.py`` names ``MemoryProvider`` is loaded this way when
    ``memory.provider`` is the directory's name. Any other member is an AttributeError; the host then drops what was
    registered and makes the first subclass of ``MemoryProvider`` that it finds, without arguments. From 0.20.1 every
    ``register_…`` of `PluginContext` is there too and takes effect.
    """

    def register_memory_provider(self, provider: MemoryProvider) -> None:
        """Offer the provider.

        Args:
            provider: The provider; the last one counts.
        """

    def register_tool(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing before 0.20.1: the tools of a provider come from `MemoryProvider.get_tool_schemas`.

        Args:
            *args: As in `PluginContext.register_tool`.
            **kwargs: See ``*args``.
        """

    def register_hook(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing before 0.20.1: the provider's own methods are called instead of hooks.

        Args:
            *args: As in `PluginContext.register_hook`.
            **kwargs: See ``*args``.
        """

    def register_skill(self, *args: Any, **kwargs: Any) -> None:
        """Offer a skill while the provider is the selected one. Since 0.20.1.

        Args:
            *args: As in `PluginContext.register_skill`.
            **kwargs: See ``*args``.
        """

    def register_cli_command(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the command comes from ``register_cli(subparser)`` in ``cli.py``.

        Args:
            *args: As in `PluginContext.register_cli_command`.
            **kwargs: See ``*args``.
        """


@host_dataclass
class RecallStatus:
    """What memory added to a turn, for the user. Since 0.20.1.

    Attributes:
        provider_label: The display name of the provider.
        count: How much it recalled.
        glyph: Shown in front.
    """

    provider_label: str
    count: int
    glyph: str = "🧠"


class MemoryProvider(Protocol):
    """Remembers across sessions; base class ``agent.memory_provider.MemoryProvider``.

    ``memory.provider`` selects it by the name of its directory. The host skips a provider that fails or is not
    available, without a message.

    Attributes:
        pre_compress_checkpoint_api_version: The version of what `on_pre_compress` gives. Since 0.20.6.
    """

    pre_compress_checkpoint_api_version: int = 1

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in messages."""
        ...

    @abstractmethod
    def is_available(self) -> bool:
        """Return whether it can be used now; must not use the network. Asked before `initialize`."""
        ...

    @abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Start working for an agent.

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
        """Return what the user can do when `is_available` is false; nothing by default. Since 0.20.1."""
        inherited()

    def recall_status(self) -> RecallStatus | None:
        """Return what the last `prefetch` added, to be shown to the user; None by default. Since 0.20.1."""
        inherited()

    def identity_signature(self) -> dict[str, Any]:
        """Return the settings whose change makes the gateway rebuild the agent; none by default. Since 0.21.3.

        Called without `initialize` for every message, so keep it quick. The values must fit into JSON.
        """
        inherited()

    def system_prompt_block(self) -> str:
        """Return text for the system prompt that does not change; none by default."""
        inherited()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return what to recall for a turn; it is added to the user message. Nothing by default.

        It runs in a thread for up to 8 seconds; while a call is still running, later turns skip it.

        Args:
            query: What the user says.
            session_id: The session; empty when there is only one.
        """
        inherited()

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        """Start recalling for the next turn, after each turn; does nothing by default.

        Args:
            query: What the user said.
            session_id: Identifies the session.
        """
        inherited()

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
        turn_author: dict[str, Any] | None = None,
    ) -> None:
        """Store a turn, in the background after it ends; does nothing by default.

        Args:
            user_content: What the user said.
            assistant_content: What the model answered.
            session_id: Identifies the session.
            messages: The conversation with its tool calls, sent to a method that names it. Since 0.15.1.
            turn_author: Who wrote ``user_content``: ``id``, ``name`` and ``is_bot``; sent to a method that names it.
                Since 0.21.3.
        """
        inherited()

    @abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools that it offers to the model, as bare functions. Names of core tools are refused."""
        ...

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run one of its tools and return the result as JSON; raises NotImplementedError by default.

        Args:
            tool_name: The tool's name.
            args: Its arguments.
            **kwargs: Arguments that later releases add.
        """
        inherited()

    def shutdown(self) -> None:
        """Finish what is queued and close, within 5 seconds; does nothing by default."""
        inherited()

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        """Begin a turn; does nothing by default.

        Args:
            turn_number: The number of the turn within the session, from 1.
            message: What the user says.
            **kwargs: From 0.21.3 ``author_id``, ``author_name`` and ``author_is_bot``.
        """
        inherited()

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """End a session, not a turn; does nothing by default.

        Args:
            messages: The conversation.
        """
        inherited()

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        """Continue under another session ID; does nothing by default.

        Args:
            new_session_id: Identifies the session from now on.
            parent_session_id: Identifies the session before, or empty.
            reset: Whether a new conversation begins.
            rewound: Whether turns were undone, under the same ID. Since 0.16.0.
            **kwargs: ``reason``: ``compression``, ``new_session``, ``resume`` or ``branch``.
        """
        inherited()

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """Return what must survive compression; nothing by default.

        Args:
            messages: What will be shortened.
        """
        inherited()

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        """React to the result of a subagent, in the agent that delegated to it; does nothing by default.

        Args:
            task: What it was asked.
            result: What it answered.
            child_session_id: Identifies its session.
            **kwargs: Arguments that later releases add.
        """
        inherited()

    def get_config_schema(self) -> list[dict[str, Any]]:
        """Return what ``hermes memory setup`` asks for; nothing by default.

        Each mapping has ``key`` and ``description``, and may have ``secret`` (it then goes to ``.env``, as ``env_var``
        where that is given), ``required``, ``default``, ``choices`` and ``url``.
        """
        inherited()

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        """Save the non-secret answers of the setup; does nothing by default.

        Args:
            values: The answers by key.
            hermes_home: The path of the HERMES_HOME.
        """
        inherited()

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        """React to a write of the tool ``memory``; does nothing by default.

        Args:
            action: ``add``, ``replace`` or ``remove``.
            target: ``memory`` or ``user``.
            content: The entry.
            metadata: Where it comes from, such as ``session_id``, ``platform`` and ``tool_name``.
        """
        inherited()

    def backup_paths(self) -> list[str]:
        """Return absolute paths outside the home that ``hermes backup`` must keep; none by default. Since 0.18.0.

        It is called without `initialize`. Paths outside the user's home directory are skipped.
        """
        inherited()
