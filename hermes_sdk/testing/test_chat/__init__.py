"""The platform ``test-chat``, which the fixture ``hermes_gateway`` adds to a project without a platform.

It is a plugin, runs in the host, and does not import hermes_sdk. Its adapter uses no network; the gateway of the test
records sent messages.
"""

# Hermes provides these modules at run time; our stubs have only their types.
# pyright: reportMissingModuleSource=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, SendResult

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext

NAME = "test-chat"


class TestChat(BasePlatformAdapter):
    """Adapter that accepts every message."""

    def __init__(self, config: Any) -> None:
        super().__init__(config, Platform(NAME))
        self._sent = 0

    async def connect(self, *, is_reconnect: bool = False) -> bool:  # noqa: ARG002
        """Connect immediately."""
        self._mark_connected()
        return True

    async def disconnect(self) -> None:
        """Disconnect."""
        self._mark_disconnected()

    async def send(self, chat_id: str, content: str, *args: Any, **kwargs: Any) -> SendResult:  # noqa: ARG002
        """Report the message as sent, under the next id."""
        self._sent += 1
        return SendResult(success=True, message_id=f"out{self._sent}")

    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        """Return the id of the chat as its name."""
        return {"name": chat_id, "type": "dm"}


def register(ctx: PluginContext) -> None:
    """Register the platform."""
    ctx.register_platform(
        name=NAME,
        label="Test chat",
        adapter_factory=TestChat,
        check_fn=lambda: True,
        allowed_users_env="TEST_CHAT_ALLOWED_USERS",
        allow_all_env="TEST_CHAT_ALLOW_ALL_USERS",
    )
