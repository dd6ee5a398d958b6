"""The part of ``ctx`` that registers nothing: settings, state, events, grants, tasks, and what the host runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Mapping

    from hermes_sdk.api.llm import PluginLlm
    from hermes_sdk.api.services import PlatformActions, PluginRegistration, PluginState


class PluginServices(Protocol):
    """What the host does for a plugin."""

    @property
    def llm(self) -> PluginLlm:
        """Requests to the user's model; built at the first access."""
        ...

    @property
    def profile_name(self) -> str:
        """The active profile: ``default``, its name, or ``custom`` for a home without a profile. Since 0.18.0."""
        ...

    @property
    def plugin_id(self) -> str:
        """The key of the plugin, its name in ``plugins.entries``. Since 0.20.1."""
        ...

    @property
    def state(self) -> PluginState:
        """Values that the plugin stores between runs. Since 0.20.1."""
        ...

    @property
    def platform_actions(self) -> PlatformActions:
        """Reactions and titles of threads in chats. Since 0.20.1."""
        ...

    @property
    def subagent_lifecycle(self) -> Any:
        """Subagents that the plugin starts: ``launch``, ``status``, ``wait``, ``result``, ``cancel``. Since 0.19.1."""
        ...

    def get_config(self, key: str, default: Any = None) -> Any:
        """Return a setting of the plugin: ``plugins.entries.<plugin>.settings.<key>``. Since 0.20.1.

        Args:
            key: The setting; dots descend into mappings.
            default: What to return where the user has not set it.

        Raises:
            ValueError: The key does not fit, or begins with ``model``, ``plugins``, ``security`` or ``settings``.
        """
        ...

    def set_config(self, key: str, value: Any) -> None:
        """Write a setting of the plugin. Since 0.20.1.

        Args:
            key: See `get_config`.
            value: What YAML can hold.

        Raises:
            ValueError: The key does not fit.
            PermissionError: Something else owns the configuration, or an administrator the setting.
        """

    def has_plugin(self, plugin_id: str) -> bool:
        """Return whether a plugin is loaded; during ``register``, only earlier plugins are. Since 0.20.1.

        Args:
            plugin_id: The key or the name of a plugin.
        """
        ...

    def has_capability(self, capability: str) -> bool:
        """Return whether the user has granted a capability. Since 0.20.1.

        Args:
            capability: The capability, such as ``tools.override``; an unknown one is not granted.
        """
        ...

    def emit(self, event: str, payload: dict[str, Any] | None = None) -> int:
        """Send an event to the plugins that subscribed to ``<plugin>:<event>``. Since 0.20.1.

        Subscribers run on a thread of the host, each with a copy of the payload.

        Args:
            event: The name without the plugin.
            payload: The keyword arguments of the subscribers.

        Returns:
            How many subscribers will run: 0 if there are none, for the ninth event of a chain, and while 64 events
            wait.

        Raises:
            ValueError: The name is empty or has a colon.
            TypeError: The payload is not a dict.
        """
        ...

    def subscribe(self, event: str, callback: Callable[..., object]) -> None:
        """Subscribe a callback to the events of a plugin. Since 0.20.1.

        Args:
            event: ``<plugin>:<event>``.
            callback: Called with the payload as keywords; it may be a coroutine function. End it in ``**kwargs``, or a
                new key is an error, which the host logs.

        Raises:
            ValueError: The event has no name.
            TypeError: The callback cannot be called.
        """

    def on_unload(self, callback: Callable[[], None]) -> PluginRegistration:
        """Register a callback for when the plugin is unloaded or plugins are rediscovered. Since 0.20.1.

        Args:
            callback: Called without arguments; what it raises is logged.

        Raises:
            TypeError: The callback cannot be called.
        """
        ...

    def spawn_task(self, coro: Coroutine[Any, Any, Any], *, name: str | None = None) -> asyncio.Task[Any]:
        """Run a coroutine in the background until the plugin is unloaded. Since 0.20.1.

        Args:
            coro: The coroutine.
            name: The name of the task; ``plugin:<plugin>:task`` by default.

        Raises:
            TypeError: It is not a coroutine.
            RuntimeError: No event loop runs in this thread, as during ``register``.
        """
        ...

    def call_mcp(
        self, server: str, tool: str, arguments: dict[str, Any] | None = None, timeout: float = 30
    ) -> dict[str, Any]:
        """Call a tool of an MCP server. Since 0.20.1.

        The user must list the server in ``plugins.entries.<plugin>.mcp_allowlist``.

        Args:
            server: The name of the server in the configuration.
            tool: The tool's name on that server.
            arguments: Its arguments.
            timeout: In seconds, from 1 to 600.

        Returns:
            ``{"ok": True, "result": …}`` or ``{"ok": False, "error": …}``; ``truncated`` is there when the result was
            longer than 65536 characters.

        Raises:
            PermissionError: The user does not allow the server.
        """
        ...

    def dispatch_tool(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool at once, without hooks, middleware, coercion and approval.

        Args:
            tool_name: Any registered tool. An unknown one gives ``{"error": "Unknown tool: …"}``.
            args: Its arguments.
            **kwargs: Passed to the handler. In an interactive CLI session the host adds ``parent_agent``.

        Returns:
            The tool's result, JSON by convention.
        """
        ...

    def inject_message(
        self,
        content: str,
        role: str = "user",
        *,
        session_key: str | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> bool:
        """Inject a message into a conversation: start a turn if it is idle, otherwise interrupt it.

        In the interactive CLI that is the session there. In a gateway it is the session or the chat that is named, and
        the user must set ``plugins.entries.<plugin>.allow_gateway_injection: true``.

        Args:
            content: The text.
            role: Who says it; another role than ``user`` is written in front of the text in brackets.
            session_key: A session of the gateway. Since 0.20.1.
            origin: A chat of the gateway, as a mapping with ``platform`` and ``chat_id``. Since 0.22.2.

        Returns:
            Whether it was passed on; False, with a warning in the log, if there is no such conversation.
        """
        ...

    def current_cron_execution(self) -> Any:
        """Return the scheduled job that runs now, or None. Since 0.22.2."""
        ...
