"""Providers and an adapter that the host would ignore or fail on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api import (
        BasePlatformAdapter,
        DashboardAuthProvider,
        FetchResult,
        ImageGenProvider,
        LoginStart,
        MemoryPluginContext,
        MemoryProvider,
        MessageEvent,
        PluginContext,
        SendResult,
        TTSProvider,
        VideoGenProvider,
        WebSearchProvider,
    )


class NoSubclass:
    name = "painter"

    def generate(self, prompt: str, aspect_ratio: str = "square", **kwargs: Any) -> dict[str, Any]:
        return {"success": True, "image": prompt}


class Nameless(ImageGenProvider):
    def generate(self, prompt: str, aspect_ratio: str = "square", **kwargs: Any) -> dict[str, Any]:
        return {"success": True, "image": prompt}


class Closed(VideoGenProvider):
    @property
    def name(self) -> str:
        return "closed"

    def generate(self, prompt: str) -> dict[str, Any]:  # error
        return {"success": True, "video": prompt}


class Mumbler(TTSProvider):
    @property
    def name(self) -> str:
        return "mumbler"

    def synthesize(self, text: str, output_path: str, *, speed: float | None = None, **extra: Any) -> bytes:  # error
        return text.encode()

    def list_voices(self) -> list[str]:  # error
        return []


class Searcher(WebSearchProvider):
    @property
    def name(self) -> str:
        return "searcher"

    def is_available(self) -> bool:
        return True

    async def search(self, query: str, limit: int = 5) -> dict[str, Any]:  # error
        return {"success": True}


class Doorkeeper(DashboardAuthProvider):
    name = "doorkeeper"
    display_name = "Doorkeeper"
    supports_token = "yes"  # error

    def start_login(self, redirect: str) -> LoginStart:  # error
        return LoginStart(redirect)  # error


class Notebook(MemoryProvider):
    @property
    def name(self) -> str:
        return "notebook"

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str) -> None:  # error
        print(session_id)

    def sync_turn(self, user: str, assistant: str) -> None:  # error
        print(user, assistant)


class Pager(BasePlatformAdapter):
    async def connect(self) -> bool:  # error
        self._set_fatal_error("no_token", "There is no token.")  # error
        return self.is_connected()  # error

    def disconnect(self) -> None:  # error
        self._mark_disconnected()

    async def send(self, chat_id: str, content: str, reply_to: str | None = None, **kwargs: Any) -> bool:  # error
        await self.handle_message(content)  # error
        await self.handle_message(MessageEvent(content=content))  # error
        print(SendResult(ok=True))  # error
        return True


def register(ctx: PluginContext) -> None:
    ctx.register_image_gen_provider(NoSubclass())  # error
    ctx.register_image_gen_provider(Nameless())  # error
    ctx.register_image_gen_provider(ImageGenProvider)  # error
    ctx.register_tts_provider(Searcher())  # error
    ctx.register_platform("pager", "Pager", Pager, bool, max_length=160)  # error
    print(FetchResult(secrets=["KEY"]))  # error


def register_memory(ctx: MemoryPluginContext) -> None:
    ctx.register_memory_provider(Notebook())  # error
    ctx.register_command("notes", print)  # error
