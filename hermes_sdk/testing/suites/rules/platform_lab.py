"""Lab of the rules for platforms: an adapter on a loop of its own, and the far end that it talks to."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import inspect
import itertools
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from multiprocessing.connection import Client
from typing import Any
from unittest import mock

from . import lab
from .base import Blocked, Broken, NotApplicable, SuiteRules, demand
from .time_limit import TimeUp, wait_in_time

BASE = "BasePlatformAdapter"
HURRY = 1 / 40
"""How long a second of ``asyncio.sleep`` is for an adapter that waits before it connects again."""
CONNECT_LIMIT = 5.0
"""Seconds that a connect may take which cannot succeed."""
MOMENT = 0.2
"""Seconds in which what is under way happens."""
_ROUNDS = 20

_TRANSIENT = (
    *("broken pipe", "connecterror", "connectionerror", "connectionrefused", "connectionreset", "connecttimeout"),
    *("eoferror", "network", "remotedisconnected"),
)


class FarEnd:
    """The transport of the suite, which lives in the process of the tests.

    Args:
        told: Where it is, and what it says of itself.
    """

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.chats: list[str] = told["chats"]
        self.nowhere: str = told["nowhere"]
        self.secrets: list[str] = told["secrets"]
        self.limit: int = told["limit"]
        self._connection = Client(tuple(told["address"]), authkey=bytes.fromhex(told["key"]))

    def ask(self, name: str, *arguments: Any) -> Any:
        """Call a method of the transport, or read what it has."""
        self._connection.send((name, arguments))
        outcome, value = self._connection.recv()
        if outcome == "lacks":
            raise NotApplicable(f"the transport of the suite has no {value}")
        if outcome == "failed":
            raise RuntimeError(f"the transport of the suite failed in {name}: {value}")
        return value

    @property
    def chat(self) -> str:
        """A chat that exists."""
        if not self.chats:
            raise NotApplicable("the suite's transport has no chats")
        return self.chats[0]

    def texts(self, chat: str) -> list[str]:
        """Return what arrived in a chat."""
        return [text for where, text, _ in self.ask("received") if where == chat]

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Lab(lab.Lab):
    """A platform under test."""

    registration = "HS901"

    def entry(self) -> dict[str, Any]:
        """Return what the plugin says of its platform, by the names of the parameters of register_platform."""
        signature = inspect.signature(self.ctx.register_platform)
        for name, args, kwargs in self.collected().calls:
            if name == "register_platform":
                told = signature.bind(*args, **kwargs).arguments
                found = {**told.pop("entry_kwargs", {}), **told}
                if self.settings["platform"] in ("", found["name"]):
                    return found
        raise Blocked(self.registration, f"the plugin does not register {self.settings['platform'] or 'a platform'}")

    def seed(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the environment says of the settings."""
        enabling = entry.get("env_enablement_fn")
        found = dict(enabling() or {}) if enabling else {}
        found.pop("home_channel", None)
        return found

    def config(self, entry: Mapping[str, Any]) -> Any:
        """The configuration that the host makes of the environment and of what the suite configures."""
        name = entry["name"]
        configured = self.settings["configured"].get(name, {})
        return self.configured(name, {**configured, "extra": {**self.seed(entry), **configured.get("extra", {})}})

    def configured(self, name: str, block: Mapping[str, Any]) -> Any:
        """The configuration that the host makes of a block."""
        module = importlib.import_module("gateway.config")
        try:
            module.Platform(name)
        except ValueError:
            code = self.registration if name == name.strip().lower() else "HS902"
            raise Blocked(code, f"the host does not know the platform {name!r}") from None
        return module.PlatformConfig.from_dict({"enabled": True, **block})

    def adapter(self) -> Any:
        """An adapter that was not connected; what it hears is kept in ``heard``."""
        entry = self.entry()
        with self.before_rule("HS908", "adapter_factory"):
            made = entry["adapter_factory"](self.config(entry))
        made.heard = []

        async def hear(event: Any) -> None:
            made.heard.append(event)

        async def fail(_: Any) -> None:
            """The rules look for themselves."""

        made.handle_message = hear
        # Adapters look whether somebody listens.
        made.set_message_handler(hear)
        made.set_fatal_error_handler(fail)
        return made

    @functools.cached_property
    def far(self) -> FarEnd:
        """The far end."""
        if not self.settings["transport"]:
            raise NotApplicable("the suite has no transport")
        made = FarEnd(self.settings["transport"])
        self.at_end(made.close)
        return made

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncGenerator[Any]:
        """An adapter that is connected, and is disconnected in the end."""
        assert self.far
        adapter = self.adapter()
        with self.before_rule("HS913", "connect()"):
            answer = await adapter.connect()
            if answer is not True:
                await end(adapter)
                raise Blocked("HS913", f"connect() returned {answer!r}")
        try:
            yield adapter
        finally:
            await end(adapter)

    async def becomes(self, what: Callable[[], Any], seconds: float | None = None) -> bool:
        """Wait until something is so; false when the time is up, and the loop has gone round often enough as well."""
        clock = asyncio.get_running_loop().time
        end = clock() + (self.settings["patience"] if seconds is None else seconds)
        for rounds in itertools.count():
            if what():
                return True
            if clock() > end and rounds > _ROUNDS:
                break
            await real_sleep(0.005)
        return False

    async def demand_sent(self, adapter: Any, text: str, why: str, chat: str = "") -> None:
        """Break the rule unless a text arrives."""
        chat = chat or self.far.chat
        result = await adapter.send(chat, text)
        demand(result.success, f"{why}: send failed with {result.error!r}")
        await self.demand_arrived(text, why, chat)

    async def demand_arrived(self, text: str, why: str, chat: str) -> None:
        """Break the rule unless a text is in a chat before long."""
        arrived = await self.becomes(lambda: text in self.far.texts(chat))
        demand(arrived, f"{why}: {text!r} did not arrive in {chat}")

    async def demand_heard(self, adapter: Any, text: str, why: str, chat: str = "") -> Any:
        """Break the rule unless the adapter hears a text; returns its event."""
        chat = chat or self.far.chat
        self.far.ask("deliver", chat, text)
        await self.becomes(lambda: _heard(adapter, text))
        if event := _heard(adapter, text):
            return event
        raise Broken(f"{why}: the adapter did not hear {text!r}, which was written in {chat}")

    async def demand_hears_again(self, adapter: Any, why: str) -> None:
        """Break the rule unless the adapter hears somebody who says it again and again."""
        clock = asyncio.get_running_loop().time
        end = clock() + self.settings["patience"]
        for number in itertools.count(1):
            text = f"are you there? {number}"
            self.far.ask("deliver", self.far.chat, text)
            if await self.becomes(functools.partial(_heard, adapter, text), MOMENT):
                return
            demand(clock() < end, f"{why} the adapter does not receive messages")

    async def demand_tasks_ended(self, before: set[asyncio.Task[Any]], why: str) -> None:
        """Break the rule unless all tasks but those ended."""
        await self.becomes(lambda: not _pending(before), MOMENT)
        names = sorted(one.get_coro().__qualname__ for one in _pending(before))
        demand(not names, f"{why} these tasks are pending: {names}")

    async def demand_hung_up(self, why: str) -> None:
        """Break the rule unless the adapter has no connection."""
        await self.becomes(lambda: not self.far.ask("connections"))
        left = self.far.ask("connections")
        demand(not left, f"{why} {left} connections are still open")


real_sleep = asyncio.sleep


def _heard(adapter: Any, text: str) -> Any:
    return next((event for event in adapter.heard if event.text == text), None)


def _pending(before: set[asyncio.Task[Any]]) -> set[Any]:
    return {one for one in asyncio.all_tasks() - before if not one.done()}


def tries_again(result: Any) -> bool:
    """Return whether the host sends a message once more: when the adapter says so, or when the error looks like it."""
    return bool(result.retryable) or any(one in (result.error or "").lower() for one in _TRANSIENT)


async def connects(test: Lab, adapter: Any) -> Any:
    """Return what ``connect`` returns; break the rule when that takes long."""
    return await wait_in_time(adapter.connect(), CONNECT_LIMIT, "connect()", test.directory)


async def begin(adapter: Any) -> None:
    """Let an adapter begin to connect, and stop it; other rules tell how it connects."""
    task = asyncio.ensure_future(adapter.connect())
    await asyncio.wait([task], timeout=MOMENT)
    task.cancel()
    await asyncio.wait([task], timeout=MOMENT)
    await end(adapter)


async def end(adapter: Any) -> None:
    """Disconnect an adapter; another rule tells when it does not like that."""
    with contextlib.suppress(Exception):
        await adapter.disconnect()


def demand_result(result: Any, said: str) -> None:
    """Break the rule unless ``send`` answered as it has to."""
    demand(type(result).__name__ == "SendResult", f"{said} returned {result!r:.200}, which is not a SendResult")
    demand(result.success or (isinstance(result.error, str) and result.error), f"{said} failed without an error text")


def rule(
    rules: SuiteRules, code: str, host: str
) -> Callable[[Callable[[Lab], Coroutine[Any, Any, None]]], Callable[[Lab], None]]:
    """Make a coroutine function a rule of a suite; it runs on a loop of its own, on which waiting is short."""

    def add(body: Callable[[Lab], Coroutine[Any, Any, None]]) -> Callable[[Lab], None]:
        @functools.wraps(body)
        def check(test: Lab) -> None:
            _run(body(test))

        rules.rule(code, host)(check)
        return check

    return add


def _run(body: Coroutine[Any, Any, None]) -> None:
    """Run on a thread, because the host may have a loop on this one."""
    failed: list[BaseException] = []
    loops: list[asyncio.AbstractEventLoop] = []

    def running() -> None:
        try:
            with mock.patch.object(asyncio, "sleep", _sleep_briefly), asyncio.Runner() as runner:
                loops.append(runner.get_loop())
                runner.run(body)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=running, name="rule", daemon=True)
    thread.start()
    try:
        thread.join()
    except TimeUp:
        for loop in loops:
            loop.call_soon_threadsafe(_cancel, loop)
        thread.join(MOMENT)
        raise
    if failed:
        raise failed[0]


def _cancel(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


async def _sleep_briefly(delay: float, result: Any = None) -> Any:
    return await real_sleep(delay * HURRY, result)
