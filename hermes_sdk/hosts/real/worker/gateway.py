"""The host's gateway, which runs as in ``hermes gateway run``, with its event loop in a separate thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ...in_worker.adapter_recording import AdapterRecorder
from ...in_worker.recording import Recording
from . import retry_delays

_POLL = 0.002

# Printed by Hermes when it swallows an exception of an event hook.
_HIDDEN = re.compile(r"\[hooks\] Error (?:in handler for '(?P<event>.*?)'|loading hook (?P<directory>.*?)):")


class Gateway:
    """A running gateway. Each public method handles one request."""

    def __init__(self, recording: Recording, swallow: Callable[[str, BaseException], None]) -> None:
        self._recording = recording
        self._swallow = swallow
        self._sent: list[dict[str, Any]] = []
        self._printed: list[str] = []
        self._received: list[Any] = []
        self._working: set[int] = set()
        self._ended: BaseException | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)

    def start(self) -> None:
        """Start the gateway, and return when it accepts messages."""
        self._thread.start()
        self._started.wait()
        self._raise_end()

    def _run(self) -> None:
        self._loop = asyncio.new_event_loop()
        try:
            # Not `asyncio.run`, which would wait for all threads that were started from the loop.
            self._loop.run_until_complete(self._serve())
        except BaseException as error:
            self._ended = error
        finally:
            self._started.set()

    async def _serve(self) -> None:
        self._stopped, self._order = asyncio.Event(), asyncio.Lock()
        self._runner: Any = importlib.import_module("gateway.run").GatewayRunner()
        # Before 0.22.2, importing the module sets this; since then, the main function does, which is not called here.
        if not os.environ.get("TERMINAL_CWD"):
            os.environ["TERMINAL_CWD"] = os.environ.get("MESSAGING_CWD") or str(Path.home())
        self._watch_adapters()
        self._watch_hooks()
        self._watch_agents()
        with retry_delays.skip_gateway_delays():
            await self._runner.start()
        self._started.set()
        await self._stopped.wait()
        await self._runner.stop()

    def _watch_agents(self) -> None:
        """Count the gateway's worker threads, because a stopped agent may still run when its chat is idle."""
        agent, work = self._runner._run_agent, self._runner._run_in_executor_with_context

        async def connect_without_delay(*args: Any, **kwargs: Any) -> Any:
            # Import the agent only now: the import takes half a second, and many tests do not use it.
            retry_delays.skip_agent_delays()
            return await agent(*args, **kwargs)

        async def run_counted(function: Callable[..., Any], *args: Any) -> Any:
            def counting() -> Any:
                self._working.add(threading.get_ident())
                try:
                    return function(*args)
                finally:
                    self._working.discard(threading.get_ident())

            return await work(counting)

        self._runner._run_agent = connect_without_delay
        self._runner._run_in_executor_with_context = run_counted

    def _watch_adapters(self) -> None:
        base = importlib.import_module("gateway.platforms.base").BasePlatformAdapter
        adapters = AdapterRecorder(base, self._recording, self._swallow, self._sent.append)
        create = self._runner._create_adapter

        def create_adapter(platform: Any, config: Any) -> Any:
            adapter = create(platform, config)
            if adapter is not None:
                adapters.attach(str(platform.value), adapter)
            return adapter

        self._runner._create_adapter = create_adapter

    def _watch_hooks(self) -> None:
        hooks: Any = importlib.import_module("gateway.hooks")
        hooks.print = self._print
        registry = self._runner.hooks
        discover = registry.discover_and_load

        def record_discovery() -> None:
            discover()
            # Later releases have one registry per profile, and choose one for each event.
            chosen = registry._active() if hasattr(registry, "_active") else registry
            for handlers in chosen._handlers.values():
                handlers[:] = map(self._record_handler, handlers)

        registry.discover_and_load = record_discovery

    def _print(self, text: str, **options: Any) -> None:
        """Capture output about event hooks; replaces ``print`` in the host's module."""
        print(text, **options)
        self._printed.append(text)
        error = sys.exc_info()[1]
        if error is not None and (found := _HIDDEN.match(text)):
            self._swallow(f"gateway hook {found['event'] or found['directory']}", error)

    def _record_handler(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        """Record calls of an event hook's handler by the name of the event instead of its pattern."""

        def handler(event_type: str, context: Any) -> Any:
            if not self._recording.active:
                return handle(event_type, context)
            return self._recording.call("gateway_hook", event_type, handle, (event_type, context), {})

        return handler

    def platforms(self) -> list[str]:
        """Return the connected platforms."""
        return sorted(str(platform.value) for platform in self._runner.adapters)

    def sent_messages(self) -> list[dict[str, Any]]:
        """Return the messages that were passed to adapters, in the order in which the calls returned."""
        return list(self._sent)

    def printed_lines(self) -> list[str]:
        """Return the output about event hooks."""
        return list(self._printed)

    def receive(self, message: dict[str, Any]) -> None:
        """Pass a message to its adapter."""
        self._received.append(asyncio.run_coroutine_threadsafe(self._take(message), self._loop))

    async def _take(self, message: dict[str, Any]) -> None:
        base: Any = importlib.import_module("gateway.platforms.base")
        source = dict(message)
        platform, text, message_id = source.pop("platform"), source.pop("text"), source.pop("message_id")
        adapter = next(one for name, one in self._runner.adapters.items() if name.value == platform)
        kind = base.MessageType.COMMAND if text.startswith("/") else base.MessageType.TEXT
        made = adapter.build_source(**source)
        async with self._order:
            await self._wait_for_agent(self._runner._session_key_for_source(made))
        await adapter.handle_message(
            base.MessageEvent(text=text, message_type=kind, source=made, message_id=message_id)
        )

    async def _wait_for_agent(self, key: str) -> None:
        """Wait until the host can stop the agent of a chat; the host looks for it every 50 ms."""
        running = self._runner._running_agents
        while self._working and key in running and not hasattr(running[key], "interrupt"):
            await asyncio.sleep(_POLL)

    def busy(self, patience: float, asked: list[str]) -> list[str]:
        """Wait at most `patience` seconds until all chats except those in `asked` are idle; return the busy chats."""
        deadline = time.monotonic() + patience
        found: list[str] = self._on_loop(self._busy(set(asked)))
        while found and time.monotonic() < deadline:
            time.sleep(_POLL)
            found = self._on_loop(self._busy(set(asked)))
        return found

    async def _busy(self, asked: set[str]) -> list[str]:
        pending = [one for one in self._received if not one.done()]
        for one in self._received:
            if one.done():
                one.result()
        self._received = pending
        active = {key for adapter in self._runner.adapters.values() for key in adapter._active_sessions}
        tasks = [task for adapter in self._runner.adapters.values() for task in adapter._background_tasks]
        found = active - asked
        # A chat that waits for its user still has a task and a thread.
        waits = len(active & asked)
        running = len([task for task in tasks if not task.done()])
        if not found and (pending or len(self._working) > waits or running > waits):
            return ["what a chat has left behind"]
        return sorted(found)

    def _on_loop(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the thread of the gateway, so that no other code runs there meanwhile."""
        self._raise_end(coroutine)
        asked = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        # If the loop ends meanwhile, the coroutine never runs.
        while not concurrent.futures.wait([asked], _POLL).done:
            self._raise_end(coroutine)
        return asked.result()

    def _raise_end(self, unused: Coroutine[Any, Any, Any] | None = None) -> None:
        if self._ended is not None:
            if unused is not None:
                unused.close()
            raise self._ended

    def stop(self) -> None:
        """Stop the gateway; a second call does nothing."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()
        self._raise_end()
