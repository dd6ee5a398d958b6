"""Providers and an adapter with base classes of the host; type checkers must report nothing without the host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.api import (
        BasePlatformAdapter,
        BrowserProvider,
        ContextEngine,
        DashboardAuthProvider,
        FetchResult,
        ImageGenProvider,
        LoginStart,
        MemoryPluginContext,
        MemoryProvider,
        MessageEvent,
        Platform,
        PlatformConfig,
        PluginContext,
        ProcessingOutcome,
        ProviderError,
        SecretSource,
        SendResult,
        Session,
        TranscriptionProvider,
        TTSProvider,
        VideoGenProvider,
        WebSearchProvider,
    )
else:
    from agent.browser_provider import BrowserProvider
    from agent.context_engine import ContextEngine
    from agent.image_gen_provider import ImageGenProvider
    from agent.memory_provider import MemoryProvider
    from agent.secret_sources.base import FetchResult, SecretSource
    from agent.transcription_provider import TranscriptionProvider
    from agent.tts_provider import TTSProvider
    from agent.video_gen_provider import VideoGenProvider
    from agent.web_search_provider import WebSearchProvider
    from gateway.config import Platform
    from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult
    from hermes_cli.dashboard_auth import DashboardAuthProvider, LoginStart, ProviderError, Session


class Painter(ImageGenProvider):
    @property
    def name(self) -> str:
        return "painter"

    def capabilities(self) -> dict[str, Any]:
        return {**super().capabilities(), "modalities": ["text", "image"]}

    def generate(self, prompt: str, aspect_ratio: str = "square", **kwargs: Any) -> dict[str, Any]:
        return {"success": True, "image": prompt + aspect_ratio, "label": self.display_name.upper()}


class Filmer(VideoGenProvider):
    @property
    def name(self) -> str:
        return "filmer"

    def generate(self, prompt: str, *, duration: int | None = None, **kwargs: Any) -> dict[str, Any]:
        return {"success": True, "video": prompt * (duration or 1)}


class Speaker(TTSProvider):
    @property
    def name(self) -> str:
        return "speaker"

    @property
    def voice_compatible(self) -> bool:
        return True

    def synthesize(self, text: str, output_path: str, *, speed: float | None = None, **extra: Any) -> str:
        return output_path + text * int(speed or 1)


class Listener(TranscriptionProvider):
    @property
    def name(self) -> str:
        return "listener"

    def transcribe(self, file_path: str, **extra: Any) -> dict[str, Any]:
        return {"success": True, "transcript": file_path, "provider": self.name}


class Searcher(WebSearchProvider):
    @property
    def name(self) -> str:
        return "searcher"

    def is_available(self) -> bool:
        return True

    def search(self, query: str, limit: int = 5) -> dict[str, Any]:
        return {"success": True, "data": {"web": [{"title": query}][:limit]}}

    async def extract(self, urls: list[str], **kwargs: Any) -> list[dict[str, Any]]:
        return [{"url": url} for url in urls]


class Surfer(BrowserProvider):
    @property
    def name(self) -> str:
        return "surfer"

    def is_available(self) -> bool:
        return True

    def create_session(self, task_id: str) -> dict[str, object]:
        return {"session_name": task_id}

    def close_session(self, session_id: str) -> bool:
        return bool(session_id)

    def emergency_cleanup(self, session_id: str) -> None:
        self.close_session(session_id)


class Shortener(ContextEngine):
    @property
    def name(self) -> str:
        return "shortener"

    def update_from_response(self, usage: dict[str, Any]) -> None:
        self.last_prompt_tokens = usage["prompt_tokens"]

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        return (prompt_tokens or 0) > self.context_length * self.threshold_percent

    def compress(
        self,
        messages: list[dict[str, Any]],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> list[dict[str, Any]]:
        return messages[-self.protect_last_n :]


class Doorkeeper(DashboardAuthProvider):
    name = "doorkeeper"
    display_name = "Doorkeeper"

    def start_login(self, *, redirect_uri: str) -> LoginStart:
        return LoginStart(redirect_url=redirect_uri, cookie_payload={})

    def complete_login(self, *, code: str, state: str, code_verifier: str, redirect_uri: str) -> Session:
        raise ProviderError(code)

    def verify_session(self, *, access_token: str) -> Session | None:
        return None

    def refresh_session(self, *, refresh_token: str) -> Session:
        raise ProviderError(refresh_token)

    def revoke_session(self, *, refresh_token: str) -> None:
        return None


class Vault(SecretSource):
    name = "vault"
    shape = "bulk"

    def fetch(self, cfg: dict[str, Any], home_path: Path) -> FetchResult:
        return FetchResult(secrets={"KEY": str(cfg)}, warnings=[home_path.name])


class Notebook(MemoryProvider):
    @property
    def name(self) -> str:
        return "notebook"

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self.home = kwargs["hermes_home"]

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return []

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        return query + session_id


class Pager(BasePlatformAdapter):
    supports_code_blocks = True

    def __init__(self, config: PlatformConfig) -> None:
        super().__init__(config, Platform("pager"))
        self.sent: list[str] = []

    async def connect(self, *, is_reconnect: bool = False) -> bool:
        self._mark_connected()
        return self.is_connected

    async def disconnect(self) -> None:
        self._mark_disconnected()

    async def send(
        self, chat_id: str, content: str, reply_to: str | None = None, metadata: dict[str, Any] | None = None
    ) -> SendResult:
        self.sent += self.truncate_message(self.format_message(content), self.config.extra.get("length", 160))
        return SendResult(success=True, message_id=str(len(self.sent)))

    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        return {"name": chat_id, "type": "dm"}

    async def on_processing_complete(self, event: MessageEvent, outcome: ProcessingOutcome) -> None:
        print(event.text, outcome.value)

    async def receive(self, text: str) -> None:
        source = self.build_source("1", chat_type="dm", user_id="2")
        await self.handle_message(MessageEvent(text=text, source=source, message_id="3"))
        print(source.platform.value, json.dumps(source.description))


def make_pager(config: PlatformConfig) -> Pager:
    return Pager(config)


def register(ctx: PluginContext) -> None:
    ctx.register_image_gen_provider(Painter())
    ctx.register_video_gen_provider(Filmer())
    ctx.register_tts_provider(Speaker())
    ctx.register_transcription_provider(Listener())
    ctx.register_web_search_provider(Searcher())
    ctx.register_browser_provider(Surfer())
    ctx.register_context_engine(Shortener())
    ctx.register_dashboard_auth_provider(Doorkeeper())
    ctx.register_secret_source(Vault())
    ctx.register_platform("pager", "Pager", make_pager, bool, emoji="📟", required_env=["PAGER"])


def register_memory(ctx: MemoryPluginContext) -> None:
    ctx.register_memory_provider(Notebook())
