"""Members of ``ctx`` that do not register anything: settings, state, events, capabilities, tasks and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Mapping

    from hermes_sdk.api.llm import PluginLlm
    from hermes_sdk.api.services import PlatformActions, PluginRegistration, PluginState


class PluginServices(Protocol):
    """Services of the host for a plugin."""

    @property
    def llm(self) -> PluginLlm:
        """Client for requests to the user's model."""
        ...

    @property
    def profile_name(self) -> str:
        """Name of the active profile, such as ``default``; ``custom`` without one. Since 0.18.0."""
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
        """Actions in chats: reactions and titles of threads. Since 0.20.1."""
        ...

    @property
    def subagent_lifecycle(self) -> Any:
        """Subagents that the plugin starts: ``launch``, ``status``, ``wait``, ``result``, ``cancel``. Since 0.19.1."""
        ...

    def get_config(self, key: str, default: Any = None) -> Any:
        """Return a setting of the plugin: ``plugins.entries.<plugin>.settings.<key>``. Since 0.20.1.

        Args:
            key: Name of the setting; dots separate the keys of nested mappings.
            default: Returned if the user has not set it.

        Raises:
            ValueError: The key is invalid, or begins with ``model``, ``plugins``, ``security`` or ``settings``.
        """
        ...

    def set_config(self, key: str, value: Any) -> None:
        """Write a setting of the plugin. Since 0.20.1.

        Args:
            key: See `get_config`.
            value: A value that YAML can represent.

        Raises:
            ValueError: The key is invalid.
            PermissionError: Another tool or an administrator manages the setting.
        """

    def has_plugin(self, plugin_id: str) -> bool:
        """Return whether a plugin is loaded; during ``register``, only earlier plugins are. Since 0.20.1.

        Args:
            plugin_id: Its key or name.
        """
        ...

    def has_capability(self, capability: str) -> bool:
        """Return whether the user has granted a capability. Since 0.20.1.

        Args:
            capability: The capability, such as ``tools.override``; unknown ones are not granted.
        """
        ...

    def emit(self, event: str, payload: dict[str, Any] | None = None) -> int:
        """Send an event to the plugins that subscribed to ``<plugin>:<event>``. Since 0.20.1.

        Subscribers run on a thread of the host, each with a copy of the payload.

        Args:
            event: Name of the event, without the plugin.
            payload: Keyword arguments for the subscribers.

        Returns:
            The number of subscribers that will run; 0 for the ninth event of a chain, and while 64 are queued.

        Raises:
            ValueError: The name is empty or contains a colon.
            TypeError: The payload is not a dict.
        """
        ...

    def subscribe(self, event: str, callback: Callable[..., object]) -> None:
        """Subscribe a callback to the events of a plugin. Since 0.20.1.

        Args:
            event: ``<plugin>:<event>``.
            callback: Called with the payload as keyword arguments; may be a coroutine function. Without ``**kwargs``, a
                new key is a logged error.

        Raises:
            ValueError: The event has no name.
            TypeError: The callback is not callable.
        """

    def on_unload(self, callback: Callable[[], None]) -> PluginRegistration:
        """Register a callback for the unloading of the plugin and the rediscovery of plugins. Since 0.20.1.

        Args:
            callback: Called without arguments; its exceptions are logged.

        Raises:
            TypeError: The callback is not callable.
        """
        ...

    def spawn_task(self, coro: Coroutine[Any, Any, Any], *, name: str | None = None) -> asyncio.Task[Any]:
        """Run a coroutine in the background until the plugin is unloaded. Since 0.20.1.

        Args:
            coro: The coroutine.
            name: ``plugin:<plugin>:task`` by default.

        Raises:
            TypeError: ``coro`` is not a coroutine.
            RuntimeError: No event loop runs in this thread, as during ``register``.
        """
        ...

    def call_mcp(
        self, server: str, tool: str, arguments: dict[str, Any] | None = None, timeout: float = 30
    ) -> dict[str, Any]:
        """Call a tool of an MCP server. Since 0.20.1.

        The user must list the server in ``plugins.entries.<plugin>.mcp_allowlist``.

        Args:
            server: Its name in the configuration.
            tool: Its name on that server.
            arguments: Arguments of the tool.
            timeout: In seconds, from 1 to 600.

        Returns:
            ``{"ok": True, "result": …}`` or ``{"ok": False, "error": …}``; ``truncated`` after 65,536 characters.

        Raises:
            PermissionError: The user has not listed the server.
        """
        ...

    def dispatch_tool(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool directly, without hooks, middleware, coercion or approval.

        Args:
            tool_name: A registered tool; else the result is ``{"error": "Unknown tool: …"}``.
            args: Arguments of the tool.
            **kwargs: Passed to the handler; an interactive CLI session adds ``parent_agent``.

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
        """Inject a message into a conversation; this starts a turn or interrupts the current one.

        In the interactive CLI, the conversation is the current session. In a gateway, name it by ``session_key`` or
        ``origin``; the user must set ``plugins.entries.<plugin>.allow_gateway_injection: true``.

        Args:
            content: The text.
            role: A role other than ``user`` is put before the text, in brackets.
            session_key: A session of the gateway. Since 0.20.1.
            origin: A chat of the gateway: ``platform`` and ``chat_id``. Since 0.22.2.

        Returns:
            Whether the message was accepted; false, with a warning, without such a conversation.
        """
        ...

    def current_cron_execution(self) -> Any:
        """Return the scheduled job that is running, or None. Since 0.22.2."""
        ...
