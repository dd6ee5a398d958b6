"""A plugin that imports base classes from the host; type checkers must report nothing without the host."""

from __future__ import annotations

import json
from typing import Any

from agent.context_engine import ContextEngine
from agent.memory_provider import MemoryProvider
from gateway.config import Platform, PlatformConfig
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, MessageType, SendResult
from hermes_cli.config import load_config
from hermes_cli.plugins import PluginContext
from hermes_constants import get_hermes_home
from providers import register_provider
from providers.base import ProviderProfile
from tools.registry import tool_error, tool_result


class Notes(MemoryProvider):
    """Keeps what was said in a file of the home."""

    @property
    def name(self) -> str:
        return "notes"

    def is_available(self) -> bool:
        return bool(load_config().get("notes"))

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self.file = get_hermes_home() / f"{session_id}.txt"

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return []

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        return self.file.read_text(encoding="utf-8")

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        return tool_result(noted=args["note"]) if args.get("note") else tool_error("There is no note.")


class Recent(ContextEngine):
    """Keeps the newest messages."""

    @property
    def name(self) -> str:
        return "recent"

    def update_from_response(self, usage: dict[str, Any]) -> None:
        self.last_prompt_tokens = int(usage["prompt_tokens"])

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        return (prompt_tokens or self.last_prompt_tokens) >= self.threshold_tokens

    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> list[dict[str, Any]]:
        return messages[-2:]


class Wire(BasePlatformAdapter):
    """Carries messages over a wire."""

    def __init__(self, config: PlatformConfig) -> None:
        super().__init__(config, Platform("wire"))

    async def connect(self, *, is_reconnect: bool = False) -> bool:
        source = self.build_source(chat_id="1", user_id="2")
        await self.handle_message(MessageEvent("Hello", MessageType.TEXT, source=source))
        return True

    async def disconnect(self) -> None: ...

    async def send(
        self, chat_id: str, content: str, reply_to: str | None = None, metadata: dict[str, Any] | None = None
    ) -> SendResult:
        return SendResult(success=True, message_id=json.dumps(chat_id))

    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        return {"name": chat_id, "type": "dm"}


class House(ProviderProfile):
    """Asks the model of the house, which wants to know the session."""

    def build_extra_body(self, *, session_id: str | None = None, **context: Any) -> dict[str, Any]:
        return {"session": session_id}


def register(ctx: PluginContext) -> None:
    ctx.register_context_engine(Recent())
    register_provider(House(name="house", aliases=("home",), base_url="https://models.example/v1"))
