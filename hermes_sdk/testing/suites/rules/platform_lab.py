"""Lab of the rules for platforms: an adapter on its own event loop, and the transport that it connects to."""

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
SLEEP_SCALE = 1 / 40
"""Duration of a second of ``asyncio.sleep``, so that adapters do not wait long before they reconnect."""
CONNECT_LIMIT = 5.0
"""Time limit in seconds for a connect that cannot succeed."""
MOMENT = 0.2
"""Seconds to wait for something that is in progress."""
_ROUNDS = 20

_TRANSIENT = (
    *("broken pipe", "connecterror", "connectionerror", "connectionrefused", "connectionreset", "connecttimeout"),
    *("eoferror", "network", "remotedisconnected"),
)


class FarEnd:
    """Client of the suite's transport, which runs in the process of the tests.

    Args:
        settings: Address and attributes of the transport.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.chats: list[str] = settings["chats"]
        self.nowhere: str = settings["nowhere"]
        self.secrets: list[str] = settings["secrets"]
        self.limit: int = settings["limit"]
        self._connection = Client(tuple(settings["address"]), authkey=bytes.fromhex(settings["key"]))

    def ask(self, name: str, *arguments: Any) -> Any:
        """Call a method or read an attribute of the transport."""
        self._connection.send((name, arguments))
        outcome, value = self._connection.recv()
        if outcome == "lacks":
            raise NotApplicable(f"the transport of the suite does not define {value}")
        if outcome == "failed":
            raise RuntimeError(f"the transport of the suite failed in {name}: {value}")
        return value

    @property
    def chat(self) -> str:
        """An existing chat."""
        if not self.chats:
            raise NotApplicable("the suite's transport has no chats")
        return self.chats[0]

    def texts(self, chat: str) -> list[str]:
        """Return the texts that arrived in a chat."""
        return [text for where, text, _ in self.ask("received") if where == chat]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Lab(lab.Lab):
    """A platform under test."""

    registration = "HS901"

    def entry(self) -> dict[str, Any]:
        """Return the arguments with which the plugin registers its platform, by name."""
        signature = inspect.signature(self.ctx.register_platform)
        for name, args, kwargs in self.collect().calls:
            if name == "register_platform":
                arguments = signature.bind(*args, **kwargs).arguments
                found = {**arguments.pop("entry_kwargs", {}), **arguments}
                if self.settings["platform"] in ("", found["name"]):
                    return found
        raise Blocked(self.registration, f"the plugin does not register {self.settings['platform'] or 'a platform'}")

    def seed(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings from the environment."""
        enabling = entry.get("env_enablement_fn")
        found = dict(enabling() or {}) if enabling else {}
        found.pop("home_channel", None)
        return found

    def config(self, entry: Mapping[str, Any]) -> Any:
        """Return the configuration that the host builds from the environment and the suite."""
        name = entry["name"]
        configured = self.settings["configured"].get(name, {})
        return self.make_config(name, {**configured, "extra": {**self.seed(entry), **configured.get("extra", {})}})

    def make_config(self, name: str, block: Mapping[str, Any]) -> Any:
        """Return the configuration that the host builds from a block."""
        module = importlib.import_module("gateway.config")
        try:
            module.Platform(name)
        except ValueError:
            code = self.registration if name == name.strip().lower() else "HS902"
            raise Blocked(code, f"the host does not know the platform {name!r}") from None
        return module.PlatformConfig.from_dict({"enabled": True, **block})

    def adapter(self) -> Any:
        """Return an adapter that is not connected; received events are appended to its ``heard``."""
        entry = self.entry()
        with self.before_rule("HS908", "adapter_factory"):
            made = entry["adapter_factory"](self.config(entry))
        made.heard = []

        async def hear(event: Any) -> None:
            made.heard.append(event)

        async def fail(_: Any) -> None:
            """Do nothing: the rules check for errors themselves."""

        made.handle_message = hear
        # Adapters check whether handlers are set.
        made.set_message_handler(hear)
        made.set_fatal_error_handler(fail)
        return made

    @functools.cached_property
    def far(self) -> FarEnd:
        """The transport."""
        if not self.settings["transport"]:
            raise NotApplicable("the suite has no transport")
        made = FarEnd(self.settings["transport"])
        self.at_end(made.close)
        return made

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncGenerator[Any]:
        """Yield a connected adapter, and disconnect it at the end."""
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
        """Wait until a condition is true; return false after a timeout and a minimum number of loop iterations."""
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
        """Send a text, and raise `Broken` unless it arrives."""
        chat = chat or self.far.chat
        result = await adapter.send(chat, text)
        demand(result.success, f"{why}: send failed with {result.error!r}")
        await self.demand_arrived(text, why, chat)

    async def demand_arrived(self, text: str, why: str, chat: str) -> None:
        """Raise `Broken` unless a text arrives in a chat."""
        arrived = await self.becomes(lambda: text in self.far.texts(chat))
        demand(arrived, f"{why}: {text!r} did not arrive in {chat}")

    async def demand_heard(self, adapter: Any, text: str, why: str, chat: str = "") -> Any:
        """Deliver a text, and return the adapter's event for it; raise `Broken` if there is none."""
        chat = chat or self.far.chat
        self.far.ask("deliver", chat, text)
        await self.becomes(lambda: _find_heard(adapter, text))
        if event := _find_heard(adapter, text):
            return event
        raise Broken(f"{why}: the adapter did not receive {text!r}, which was sent in {chat}")

    async def demand_hears_again(self, adapter: Any, why: str) -> None:
        """Deliver texts repeatedly, and raise `Broken` unless the adapter receives one."""
        clock = asyncio.get_running_loop().time
        end = clock() + self.settings["patience"]
        for number in itertools.count(1):
            text = f"are you there? {number}"
            self.far.ask("deliver", self.far.chat, text)
            if await self.becomes(functools.partial(_find_heard, adapter, text), MOMENT):
                return
            demand(clock() < end, f"{why} the adapter does not receive messages")

    async def demand_tasks_ended(self, before: set[asyncio.Task[Any]], why: str) -> None:
        """Raise `Broken` unless all tasks except those in ``before`` have ended."""
        await self.becomes(lambda: not _pending(before), MOMENT)
        names = sorted(one.get_coro().__qualname__ for one in _pending(before))
        demand(not names, f"{why} these tasks are pending: {names}")

    async def demand_hung_up(self, why: str) -> None:
        """Raise `Broken` unless the adapter has closed its connections."""
        await self.becomes(lambda: not self.far.ask("connections"))
        left = self.far.ask("connections")
        demand(not left, f"{why} {left} connections are still open")


real_sleep = asyncio.sleep


def _find_heard(adapter: Any, text: str) -> Any:
    return next((event for event in adapter.heard if event.text == text), None)


def _pending(before: set[asyncio.Task[Any]]) -> set[Any]:
    return {one for one in asyncio.all_tasks() - before if not one.done()}


def tries_again(result: Any) -> bool:
    """Return whether the host resends a message: if the adapter asks for it, or if the error looks transient."""
    return bool(result.retryable) or any(one in (result.error or "").lower() for one in _TRANSIENT)


async def connects(test: Lab, adapter: Any) -> Any:
    """Return the result of ``connect``; raise `Broken` if it takes too long."""
    return await wait_in_time(adapter.connect(), CONNECT_LIMIT, "connect()", test.directory)


async def begin(adapter: Any) -> None:
    """Start connecting an adapter, and cancel it; other rules check the connection."""
    task = asyncio.ensure_future(adapter.connect())
    await asyncio.wait([task], timeout=MOMENT)
    task.cancel()
    await asyncio.wait([task], timeout=MOMENT)
    await end(adapter)


async def end(adapter: Any) -> None:
    """Disconnect an adapter; another rule reports exceptions."""
    with contextlib.suppress(Exception):
        await adapter.disconnect()


def demand_result(result: Any, said: str) -> None:
    """Raise `Broken` unless a result of ``send`` is valid."""
    demand(type(result).__name__ == "SendResult", f"{said} returned {result!r:.200}, which is not a SendResult")
    demand(result.success or (isinstance(result.error, str) and result.error), f"{said} failed without an error text")


def rule(
    rules: SuiteRules, code: str, host: str
) -> Callable[[Callable[[Lab], Coroutine[Any, Any, None]]], Callable[[Lab], None]]:
    """Return a decorator that adds a coroutine function as a rule; it runs on its own loop with short sleeps."""

    def add(body: Callable[[Lab], Coroutine[Any, Any, None]]) -> Callable[[Lab], None]:
        @functools.wraps(body)
        def check(test: Lab) -> None:
            _run(body(test))

        rules.rule(code, host)(check)
        return check

    return add


def _run(body: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine on another thread, because the host may run a loop on this one."""
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
    return await real_sleep(delay * SLEEP_SCALE, result)
