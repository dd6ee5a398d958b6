"""Server process of `hermes-sdk dev`: serves the pages and watches the plugin's files."""

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


_QUIET_PERIOD = 30
"""Milliseconds without a change that end a burst of saves."""

_MAX_BURST = 400
"""Milliseconds after which a burst ends even if changes continue."""

_GENERATED_SUFFIXES = (".log", ".db", ".sqlite", ".sqlite3", "-journal", "-wal", "-shm", ".pid", ".lock", ".tmp")
_GENERATED_FOLDERS = {".cache", ".ruff_cache", ".pyright", "cache", "logs", "state", "build", "dist"}


class Sources(DefaultFilter):
    """Filter for files that authors edit; excludes logs, caches, databases and other generated files."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether a changed path requires a reload."""
        place = Path(path)
        within = place.relative_to(self._root) if place.is_relative_to(self._root) else place
        is_generated = place.name.endswith(_GENERATED_SUFFIXES) or (
            place.suffix != ".py" and not _GENERATED_FOLDERS.isdisjoint(within.parts)
        )
        return not is_generated and super().__call__(change, path)


async def watch(root: Path, stop: Event) -> AsyncIterator[None]:
    """Yield once for each burst of changes below a directory until `stop` is set."""
    root = root.resolve()
    async for _ in awatch(root, watch_filter=Sources(root), debounce=_MAX_BURST, step=_QUIET_PERIOD, stop_event=stop):
        yield


_SHUTDOWN_TIMEOUT = 2 * int(GRACE)


def listen(port: int) -> socket.socket:
    """Bind a port of the loopback interface; 0 selects a free one.

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
            f"port {port} cannot be used: {error.strerror or error}.",
            fix="Pass another port, or --port 0 for any free one.",
        ) from None
    return listener


def make_application(workbench: Workbench, pages: Pages, port: int, on_enter: Callable[[], None]) -> Gate:
    """Create the application with its access control and file watcher."""

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
    """Serve the inspector until the process is terminated.

    Args:
        models: The real models that a page may use for a chat.
        on_ready: Called with the one-time address once it can be opened.
        on_enter: Called with the next address after a browser has used the previous one.
    """
    port = listener.getsockname()[1]

    def enter() -> None:
        # Open pages keep working after the terminal is closed.
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
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
    )
    listener.listen()
    with contextlib.suppress(KeyboardInterrupt):
        on_ready(make_address())
        _Server(config, pages).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that closes the connections of open pages before it waits for them."""

    def __init__(self, config: uvicorn.Config, pages: Pages) -> None:
        super().__init__(config)
        self._pages = pages

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop the server on SIGHUP too, unless the signal is ignored, for example by nohup."""
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
