"""Platform for a chat service with an HTTP API: it posts messages, and polls for new ones.

POST /messages {"chat", "text"}     201 {"id"}, 404 for an unknown chat, 429 with Retry-After
GET  /messages?after=N              newer messages, after a few seconds at the latest
POST /typing {"chat"}               shows that somebody is typing
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Any

import httpx
from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult, utf16_len

if TYPE_CHECKING:
    from hermes_sdk.api import PlatformConfig, PluginContext

LIMIT = 500
"""Maximum length of a message, in UTF-16 code units."""
PAUSE = 2.0
"""Seconds between retries while the service is unreachable."""


class PigeonAdapter(BasePlatformAdapter):
    """Polls the service for messages, with one request at a time."""

    def __init__(self, config: PlatformConfig) -> None:
        super().__init__(config, Platform("pigeon"))
        self._url: str = os.environ.get("PIGEON_URL") or str(config.extra.get("url") or "")
        self._client: httpx.AsyncClient | None = None
        self._task: asyncio.Task[None] | None = None
        self._after = 0

    async def connect(self, *, is_reconnect: bool = False, **kwargs: Any) -> bool:
        """Ask once, so that a wrong token fails immediately, and then start polling."""
        headers = {"Authorization": f"Bearer {os.environ.get('PIGEON_TOKEN', '')}"}
        self._client = httpx.AsyncClient(base_url=self._url, headers=headers, timeout=40)
        try:
            await self._ask(self._client, wait=0)
        except httpx.HTTPError as error:
            await self.disconnect()
            refused = isinstance(error, httpx.HTTPStatusError) and error.response.status_code in (401, 403)
            self._set_fatal_error("refused" if refused else "unreachable", _describe(error), retryable=not refused)
            return False
        self._mark_connected()
        self._task = asyncio.create_task(self._listen(self._client))
        return True

    async def disconnect(self) -> None:
        """Stop polling."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
        self._mark_disconnected()

    async def _listen(self, client: httpx.AsyncClient) -> None:
        while True:
            try:
                await self._ask(client, wait=30 if self.is_connected else 0)
            except (httpx.HTTPError, ValueError, KeyError, TypeError):
                self._mark_disconnected()
                await asyncio.sleep(PAUSE)
            else:
                self._mark_connected()

    async def _ask(self, client: httpx.AsyncClient, wait: int) -> None:
        response = await client.get("/messages", params={"after": self._after, "wait": wait})
        for one in response.raise_for_status().json():
            source = self.build_source(
                chat_id=one["chat"], chat_type=one["kind"], user_id=one["user"], user_name=one["user"]
            )
            self._after = one["id"]
            await self.handle_message(MessageEvent(text=one["text"], source=source, message_id=str(one["id"])))

    async def send(
        self, chat_id: str, content: str, reply_to: str | None = None, metadata: dict[str, Any] | None = None
    ) -> SendResult:
        """Post a text, split into as many messages as necessary."""
        sent: list[str] = []
        try:
            for part in self.truncate_message(_clean(content), LIMIT, utf16_len):
                if part.strip():
                    answer = await self._post("/messages", {"chat": chat_id, "text": part})
                    sent.append(str(answer.json()["id"]))
        except httpx.HTTPStatusError as error:
            if error.response.status_code == 429 and not sent:
                after = float(error.response.headers.get("Retry-After", 1))
                return SendResult(success=False, error="too many messages", retryable=True, retry_after=after)
            return SendResult(success=False, error=_describe(error))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return SendResult(success=False, error=_describe(error), retryable=not sent)
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return SendResult(success=False, error="the service did not answer; the message may have arrived")
        return SendResult(success=True, message_id=sent[-1] if sent else None)

    async def send_typing(self, chat_id: str, metadata: Any = None) -> None:
        """Show that an answer is being written, if possible."""
        with contextlib.suppress(httpx.HTTPError):
            await self._post("/typing", {"chat": chat_id})

    async def _post(self, path: str, body: dict[str, str]) -> httpx.Response:
        if self._client is None:
            raise httpx.ConnectError("not connected")
        return (await self._client.post(path, json=body)).raise_for_status()

    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        """Return whether a chat is a group, whose id begins with a plus, or a person."""
        return {"name": chat_id, "type": "group" if chat_id.startswith("+") else "dm"}


def _clean(text: str) -> str:
    """Remove characters that JSON cannot represent."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _describe(error: Exception) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"the service answered {error.response.status_code}"
    return f"the service cannot be reached: {type(error).__name__}"


def register(ctx: PluginContext) -> None:
    """Register the platform."""
    ctx.register_platform(
        name="pigeon",
        label="Pigeon",
        adapter_factory=PigeonAdapter,
        check_fn=lambda: True,
        is_connected=lambda config: bool(os.environ.get("PIGEON_TOKEN") and _url(config)),
        required_env=["PIGEON_URL", "PIGEON_TOKEN"],
        env_enablement_fn=lambda: {"url": os.environ["PIGEON_URL"]} if os.environ.get("PIGEON_URL") else None,
        allowed_users_env="PIGEON_ALLOWED_USERS",
        max_message_length=LIMIT,
    )


def _url(config: PlatformConfig) -> object:
    return os.environ.get("PIGEON_URL") or config.extra.get("url")
