"""The exception of a cancelled coroutine, without the import of asyncio, which takes longer than that of the host."""

from __future__ import annotations


def cancelled_error() -> type[BaseException]:
    """Return `asyncio.CancelledError`; an ``except`` clause calls this only when something was raised."""
    from asyncio import CancelledError

    return CancelledError
