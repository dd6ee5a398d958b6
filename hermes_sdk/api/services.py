"""Objects that members of ``ctx`` return: registrations, stored state and actions in chats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PlatformActions", "PluginRegistration", "PluginState"]


class PluginRegistration(Protocol):
    """One registration of a plugin. Since 0.20.1.

    Attributes:
        kind: Kind of the registration, such as ``tool``.
        key: Name of the registered object.
        plugin_key: The plugin's key.
        persistent: Whether it survives the rediscovery of plugins. Since 0.20.6.
    """

    kind: str
    key: str
    plugin_key: str
    persistent: bool

    @property
    def active(self) -> bool:
        """True while it is in effect."""
        ...

    def dispose(self) -> None:
        """Undo the registration and restore what it replaced; a second call does nothing."""


class PluginState(Protocol):
    """JSON values that a plugin stores between runs, in a file in the home. Since 0.20.1."""

    @property
    def data_dir(self) -> Path:
        """Directory for the plugin's files; the first read or write of a value creates it."""
        ...

    @property
    def path(self) -> Path:
        """The file with the values."""
        ...

    @property
    def quota_bytes(self) -> int:
        """Maximum size of the file, in bytes: 10 MiB."""
        ...

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value.

        Args:
            key: Up to 128 letters, digits and ``_ - . :``, without ``..``.
            default: Returned for a missing key.

        Raises:
            ValueError: The key is invalid.
            RuntimeError: The file is damaged.
        """
        ...

    def set(self, key: str, value: Any) -> None:
        """Store a value. Values cannot be deleted: set them to None.

        Args:
            key: See `get`.
            value: A value that JSON can represent.

        Raises:
            ValueError: Key or value are invalid, or exceed the quota.
            RuntimeError: The file is damaged.
        """


class PlatformActions(Protocol):
    """Actions of a plugin in chats of Telegram and Discord. Since 0.20.1.

    The user must grant the capability ``gateway.platform_actions``. The methods return ``{"ok": True}``, or ``{"ok":
    False, "error": …, "detail": …}`` with a code such as ``capability_not_granted``, and never raise.
    """

    async def add_reaction(self, platform: str, chat_id: str, message_id: str, emoji: str) -> dict[str, Any]:
        """React to a message.

        Args:
            platform: Name of the platform, such as ``telegram``.
            chat_id: The platform's id of the chat.
            message_id: The platform's id of the message.
            emoji: The reaction.
        """
        ...

    async def set_thread_title(self, platform: str, chat_id: str, thread_id: str, title: str) -> dict[str, Any]:
        """Set the title of a thread.

        Args:
            platform: Name of the platform, such as ``telegram``.
            chat_id: The platform's id of the chat.
            thread_id: The platform's id of the thread.
            title: The new title.
        """
        ...
