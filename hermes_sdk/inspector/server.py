"""The process behind `hermes-sdk dev`: the server of the pages, and the watch over the plugin's files."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncGenerator, Callable

import anyio
import uvicorn
from starlette.applications import Starlette

from hermes_sdk.errors import UnavailableError
from hermes_sdk.inspector.access import Gate
from hermes_sdk.inspector.changes import watch
from hermes_sdk.inspector.pages import GRACE, Pages
from hermes_sdk.inspector.workbench import Workbench

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


def make_application(workbench: Workbench, pages: Pages, port: int) -> Gate:
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

    return Gate(Starlette(routes=pages.routes, lifespan=lifespan), port)


def serve(workbench: Workbench, listener: socket.socket, on_ready: Callable[[str], None]) -> None:
    """Serve the inspector until the process is asked to end.

    Args:
        on_ready: Called with the address once it can be opened.
    """
    port = listener.getsockname()[1]
    pages = Pages(workbench)
    gate = make_application(workbench, pages, port)
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
    on_ready(f"http://127.0.0.1:{port}/?token={gate.token}")
    with contextlib.suppress(KeyboardInterrupt):
        _Server(config, pages).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that ends the connections of open pages before it waits for them."""

    def __init__(self, config: uvicorn.Config, pages: Pages) -> None:
        super().__init__(config)
        self._pages = pages

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop serving."""
        self._pages.end()
        await super().shutdown(sockets)
