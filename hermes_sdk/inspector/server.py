"""The process behind `hermes-sdk dev`: the server of the pages, and the watch over the plugin's files."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import uvicorn
from starlette.applications import Starlette
from watchfiles import Change, DefaultFilter, awatch

from hermes_sdk.errors import UnavailableError
from hermes_sdk.inspector.access import Gate
from hermes_sdk.inspector.models import Models
from hermes_sdk.inspector.pages import GRACE, PATHS, Pages
from hermes_sdk.inspector.workbench import Workbench

if TYPE_CHECKING:
    from anyio import Event


_QUIET = 30
"""Milliseconds without a change after which a burst of saves is over."""

_LONGEST = 400
"""Milliseconds after which a burst counts as over although changes go on."""

_WRITTEN = (".log", ".db", ".sqlite", ".sqlite3", "-journal", "-wal", "-shm", ".pid", ".lock", ".tmp")
_FOLDERS = {".cache", ".ruff_cache", ".pyright", "cache", "logs", "state", "build", "dist"}


class Sources(DefaultFilter):
    """Passes what an author edits; logs, caches, databases and other files that programs write stay out."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether a change of a path calls for a new load."""
        place = Path(path)
        within = place.relative_to(self._root) if place.is_relative_to(self._root) else place
        written = place.name.endswith(_WRITTEN) or (place.suffix != ".py" and not _FOLDERS.isdisjoint(within.parts))
        return not written and super().__call__(change, path)


async def watch(root: Path, stop: Event) -> AsyncIterator[None]:
    """Yield once for each burst of changes below a directory, until `stop` is set."""
    root = root.resolve()
    async for _ in awatch(root, watch_filter=Sources(root), debounce=_LONGEST, step=_QUIET, stop_event=stop):
        yield


_LAST_MOMENT = 2 * int(GRACE)


def listen(port: int) -> socket.socket:
    """Bind a port of the loopback interface; 0 picks one.

    Raises:
        UnavailableError: The port is in use.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise UnavailableError(
            f"port {port} cannot be used: {error.strerror or error}.", fix="Name another one, or --port 0 for any."
        ) from None
    return listener


def make_application(workbench: Workbench, pages: Pages, port: int, on_enter: Callable[[], None]) -> Gate:
    """Make the application, with its gate and its watch over the files."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        stop = anyio.Event()

        async def reload_on_change() -> None:
            async for _ in watch(workbench.located.project, stop):
                await pages.reload()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(reload_on_change)
            yield
            stop.set()

    return Gate(Starlette(routes=pages.routes, lifespan=lifespan), port, pages.shell, PATHS, on_enter)


def serve(
    workbench: Workbench,
    models: Models,
    listener: socket.socket,
    on_ready: Callable[[str], None],
    on_enter: Callable[[str], None],
) -> None:
    """Serve the inspector until the process is asked to end.

    Args:
        models: The real models that a page can choose for a chat.
        on_ready: Called with the address once it can be opened. It works once.
        on_enter: Called with the next address when a browser has used the one before.
    """
    port = listener.getsockname()[1]

    def enter() -> None:
        # A terminal that is gone stops nobody who has the page.
        with contextlib.suppress(OSError):
            on_enter(make_address())

    def make_address() -> str:
        return f"http://127.0.0.1:{port}/?token={gate.token}"

    pages = Pages(workbench, models)
    gate = make_application(workbench, pages, port, enter)
    config = uvicorn.Config(
        gate,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=_LAST_MOMENT,
    )
    listener.listen()
    with contextlib.suppress(KeyboardInterrupt):
        on_ready(make_address())
        _Server(config, pages).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that ends the connections of open pages before it waits for them."""

    def __init__(self, config: uvicorn.Config, pages: Pages) -> None:
        super().__init__(config)
        self._pages = pages

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """End the server on SIGHUP too; one that is ignored, as by nohup, stays so."""
        with super().capture_signals():
            before = signal.getsignal(signal.SIGHUP)
            if before != signal.SIG_IGN:
                signal.signal(signal.SIGHUP, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(signal.SIGHUP, before)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop serving."""
        self._pages.end()
        await super().shutdown(sockets)
