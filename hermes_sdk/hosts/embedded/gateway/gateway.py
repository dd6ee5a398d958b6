"""`EmbeddedGateway`: a gateway in this process, whose event loop runs in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Set
from concurrent.futures import Future
from typing import Any

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.gateway.adapter.classes import AdapterClasses
from hermes_sdk.hosts.embedded.gateway.runner import GatewayRunner
from hermes_sdk.hosts.in_worker.adapter_recording import AdapterRecorder
from hermes_sdk.hosts.interface import Gateway, Host, HostExited, Message, Sent

_SLICE = 0.002
_START_SECONDS = 30.0


class EmbeddedGateway(Gateway):
    """Gateway of an embedded host; see `Gateway`. `runtime` is a function, since restarts replace the runtime."""

    def __init__(self, host: Host, runtime: Callable[[], Runtime]) -> None:
        super().__init__(host)
        self._runtime = runtime

    def start(self) -> None:
        """Connect the adapters; see `Gateway.start`."""
        runtime = self._runtime()
        self._sends: list[Sent] = []
        self._by_chat: defaultdict[tuple[str, str], list[Sent]] = defaultdict(list)
        self._printed: list[str] = []
        self._deliveries: list[Future[None]] = []
        self._ended: BaseException | None = None
        self._raised = 0
        state = runtime.state
        self._classes = AdapterClasses.of(runtime)
        recorder = AdapterRecorder(self._classes.BasePlatformAdapter, state.recording, state.swallow, self._on_sent)
        self._runner = GatewayRunner(runtime, recorder.attach, self._print)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)
        self._thread.start()
        self._run_on_loop(self._runner.start(), _START_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        except BaseException as error:
            # Plugin code ended the host, such as with `sys.exit`, which stops the loop.
            self._ended = error
            self._loop.set_exception_handler(_ignore_error)

    def _print(self, line: str) -> None:
        print(line, flush=True)
        self._printed.append(line)

    def _on_sent(self, message: dict[str, Any]) -> None:
        sent = Sent(**message)
        self._sends.append(sent)
        self._by_chat[sent.platform, sent.chat_id].append(sent)

    @property
    def platforms(self) -> list[str]:
        """The names of the connected platforms, sorted."""
        return sorted(str(platform.value) for platform in self._runner.adapters)

    @property
    def sent(self) -> list[Sent]:
        """Every message that was passed to an adapter, in order."""
        return list(self._sends)

    def sent_to(self, platform: str, chat_id: str) -> list[Sent]:
        """Return the messages that were sent to one chat, in order."""
        return list(self._by_chat[platform, chat_id])

    @property
    def printed(self) -> list[str]:
        """The lines that the gateway printed about event hooks."""
        return list(self._printed)

    def _receive(self, message: Message) -> None:
        self._raise_end()
        self._deliveries.append(asyncio.run_coroutine_threadsafe(self._deliver(message), self._loop))

    async def _deliver(self, message: Message) -> None:
        source: dict[str, Any] = dict(message)
        platform, text, message_id = (source.pop(name) for name in ("platform", "text", "message_id"))
        adapters = {one.value: adapter for one, adapter in self._runner.adapters.items()}
        if platform not in adapters:
            raise UsageError(
                f"the platform {platform!r} is not connected",
                fix=f"Connected platforms: {', '.join(adapters) or 'none'}.",
            )
        classes, adapter = self._classes, adapters[platform]
        kind = classes.MessageType.COMMAND if text.startswith("/") else classes.MessageType.TEXT
        origin = adapter.build_source(**source)
        await adapter.handle_message(
            classes.MessageEvent(text=text, message_type=kind, source=origin, message_id=message_id)
        )

    def _list_busy(self) -> list[str]:
        return list(self._run_on_loop(self._find_busy_chats(frozenset()), _START_SECONDS))

    def _settle(self, asked: Set[str], time_limit: float) -> None:
        deadline = time.monotonic() + time_limit
        while busy := self._run_on_loop(self._find_busy_chats(asked), time_limit):
            if time.monotonic() > deadline:
                raise HermesSdkError(f"These chats are still busy after {time_limit:g} s: {', '.join(busy)}")
            time.sleep(_SLICE)
        failures, self._raised = self._runner.failures[self._raised :], len(self._runner.failures)
        if failures:
            self._runtime().state.refusals.forget(failures[0])
            raise failures[0]

    async def _find_busy_chats(self, asked: Set[str]) -> list[str]:
        """Return the keys of busy chats, without those in `asked`, which wait for their users."""
        for one in self._deliveries:
            if one.done():
                one.result()
        self._deliveries = [one for one in self._deliveries if not one.done()]
        adapters = self._runner.adapters.values()
        active = {key for adapter in adapters for key in adapter._active_sessions}
        found = active - asked
        # A chat that waits for its user also has a task.
        tasks = sum(len(adapter._background_tasks) for adapter in adapters)
        if not found and (self._deliveries or tasks > len(active & asked)):
            return ["a chat with a new message"]
        return sorted(found) or [key for key in self._runner.agents.in_thread if key not in asked]

    def _wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        deadline = time.monotonic() + time_limit
        while not self._has_arrived(chat_id, start, text):
            self._raise_end()
            if time.monotonic() > deadline:
                raise HermesSdkError(f"No message with {text!r} was sent to {chat_id} within {time_limit:g} s.")
            time.sleep(_SLICE)

    def _run_on_loop(self, coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """Run a coroutine on the loop of the gateway, and wait for its result."""
        if self._ended is not None:
            coroutine.close()
        self._raise_end()
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        while True:
            with contextlib.suppress(TimeoutError):
                return future.result(min(seconds, 0.05))
            self._raise_end()
            seconds -= 0.05
            if seconds <= 0:
                raise HermesSdkError("The gateway does not respond: something blocks its event loop.")

    def _raise_end(self) -> None:
        if isinstance(self._ended, SystemExit):
            raise HostExited("the gateway", self._ended.code) from self._ended
        if self._ended is not None:
            raise self._ended

    def stop(self) -> None:
        """Disconnect the adapters and end the event loop; do nothing if it has ended."""
        if self._loop.is_closed():
            return
        try:
            if self._ended is None:
                self._run_on_loop(self._runner.stop(), _START_SECONDS)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.run_until_complete(_cancel_others())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


def _ignore_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Suppress reports about tasks that were never awaited when the loop ended."""


async def _cancel_others() -> None:
    """Cancel the tasks that adapters left running."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
