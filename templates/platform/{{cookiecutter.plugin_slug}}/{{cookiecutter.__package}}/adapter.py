"""The adapter, which passes messages between the gateway and IRC."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import random
from typing import TYPE_CHECKING, Any

from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult

from .protocol import Connection, Line, Refused, Undeliverable, split
from .settings import ROOM, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.api import PlatformConfig

BACKOFF = (1, 2, 5, 15, 60)
"""Seconds to wait before each attempt to reconnect; the last value repeats."""

_log = logging.getLogger(__name__)


class IrcAdapter(BasePlatformAdapter):
    """Connection to a server; reconnects when it is lost."""

    splits_long_messages = True

    def __init__(self, config: PlatformConfig) -> None:
        super().__init__(config, Platform("{{ cookiecutter.__package }}"))
        self._settings = Settings.read(config.extra)
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def message_len_fn(self) -> Callable[[str], int]:
        """Return the length in bytes, as IRC counts it."""
        return lambda text: len(text.encode("utf-8", "replace"))

    async def connect(self, *, is_reconnect: bool = False, **kwargs: Any) -> bool:
        """Connect; afterwards the adapter reconnects by itself when the connection is lost."""
        try:
            connection = await Connection.open(self._settings)
        except (OSError, Refused) as error:
            self._fail(error)
            return False
        self._use(connection)
        self._task = asyncio.create_task(self._run(connection), name="{{ cookiecutter.__package }}")
        return True

    async def disconnect(self) -> None:
        """Disconnect, even during an attempt to reconnect."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        await self._hang_up()

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        self._mark_disconnected()
        if connection is not None:
            await connection.close()

    def _fail(self, error: Exception) -> None:
        """Report to the host why there is no connection, and whether to retry."""
        refused = isinstance(error, Refused)
        told = f"{self._settings.server} {'refuses us' if refused else 'cannot be reached'}: {error}"
        self._set_fatal_error("refused" if refused else "unreachable", told, retryable=not refused)

    def _use(self, connection: Connection) -> None:
        self._connection = connection
        self._mark_connected()

    async def _run(self, connection: Connection | None) -> None:
        """Serve one connection after the other."""
        while connection is not None:
            try:
                while line := await connection.read():
                    await self._receive(connection, line)
            except OSError as error:
                _log.info("IRC was lost: %s", error)
            await self._hang_up()
            connection = await self._reopen()

    async def _reopen(self) -> Connection | None:
        """Reconnect, retrying until it succeeds; return None if the server rejects the agent."""
        for pause in itertools.chain(BACKOFF, itertools.repeat(BACKOFF[-1])):
            await asyncio.sleep(pause * random.uniform(0.75, 1.25))
            try:
                connection = await Connection.open(self._settings)
            except Refused as error:
                self._fail(error)
                break
            except OSError as error:
                _log.info("IRC is still away: %s", error)
            else:
                self._use(connection)
                return connection
        return None

    async def _receive(self, connection: Connection, line: Line) -> None:
        """Pass messages to the gateway: all private ones, and those in a channel that begin with the agent's nick."""
        if line.command != "PRIVMSG" or len(line.arguments) < 2 or line.nick == connection.nick:
            return
        target, text = line.arguments[0], line.arguments[-1]
        is_channel = _is_channel(target)
        if is_channel:
            named, text = text[: len(connection.nick)], text[len(connection.nick) :]
            if named.lower() != connection.nick.lower() or text[:1] not in (":", ","):
                return
            text = text[1:].strip()
        if text.startswith("\1"):  # CTCP: a query between clients.
            return
        source = self.build_source(
            chat_id=target if is_channel else line.nick,
            chat_name=target if is_channel else line.nick,
            chat_type="group" if is_channel else "dm",
            user_id=line.nick,
            user_name=line.nick,
        )
        await self.handle_message(MessageEvent(text=text, source=source))

    async def send(
        self, chat_id: str, content: str, reply_to: str | None = None, metadata: dict[str, Any] | None = None
    ) -> SendResult:
        """Send a text line by line; the gateway may retry only if the server received none of it."""
        connection = self._connection
        if connection is None:
            return SendResult(success=False, error="IRC is not connected", retryable=True)
        try:
            await _say(connection, chat_id, content)
        except Undeliverable as error:
            return SendResult(success=False, error=str(error))
        except OSError:
            return SendResult(success=False, error="IRC was lost while sending; the message may have arrived")
        return SendResult(success=True)

    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        """Return the chat's ID as its name."""
        return {"name": chat_id, "type": "group" if _is_channel(chat_id) else "dm"}


async def send_once(config: PlatformConfig, chat_id: str, message: str, **options: Any) -> dict[str, Any]:
    """Send a message without a running gateway, for scheduled jobs."""
    try:
        connection = await Connection.open(Settings.read(config.extra))
    except (OSError, Refused) as error:
        return {"error": f"IRC cannot be reached: {error}"}
    reading = asyncio.create_task(_read(connection))
    try:
        await _say(connection, chat_id, message)
    except (OSError, Undeliverable) as error:
        return {"error": f"IRC did not take the message: {error}"}
    finally:
        reading.cancel()
        await connection.close()
    return {"success": True, "chat_id": chat_id}


async def _read(connection: Connection) -> None:
    with contextlib.suppress(OSError):
        while await connection.read():
            pass


async def _say(connection: Connection, chat_id: str, content: str) -> None:
    for piece in split(content, ROOM):
        await connection.say(chat_id, piece)


def _is_channel(name: str) -> bool:
    return name.startswith(("#", "&", "+", "!"))
