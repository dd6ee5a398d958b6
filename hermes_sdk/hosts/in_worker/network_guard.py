"""A guard that limits Python's sockets to this machine.

It prevents mistakes, not attacks: code that bypasses the module `socket` bypasses the guard.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Any

_LOOKUPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getnameinfo")


class NetworkOffError(OSError):
    """Raised if code tries to connect to another machine while the guard is active."""

    def __init__(self, target: object) -> None:
        super().__init__(
            errno.ENETUNREACH,
            f"network is off: {target!r} is not on this machine, and only loopback addresses are allowed",
        )


class LoopbackOnly:
    """Guard that limits sockets to loopback addresses and Unix sockets.

    Use it as a context manager, or call `install` and `remove`. Guards can be nested: remove the last one first.
    A blocked ``connect``, ``sendto``, ``sendmsg`` or name lookup raises `NetworkOffError`; ``connect_ex``, which
    reports errors by number, returns ``ENETUNREACH``. asyncio uses the same calls.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def install(self) -> None:
        """Activate the guard."""
        for name in _LOOKUPS:
            self._replace(socket, name, _lookup(getattr(socket, name)))
        for name, position in (("connect", 0), ("sendto", -1), ("sendmsg", 3)):
            self._replace(socket.socket, name, _sender(getattr(socket.socket, name), position))
        self._replace(socket.socket, "connect_ex", _connect_ex(socket.socket.connect_ex))

    def remove(self) -> None:
        """Deactivate the guard; a second call does nothing."""
        while self._undo:
            self._undo.pop()()

    def _replace(self, owner: Any, name: str, guarded: Callable[..., Any]) -> None:
        inherited = name not in vars(owner)
        original = getattr(owner, name)
        setattr(owner, name, guarded)
        self._undo.append((lambda: delattr(owner, name)) if inherited else (lambda: setattr(owner, name, original)))

    def __enter__(self) -> LoopbackOnly:
        self.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _lookup(original: Callable[..., Any]) -> Callable[..., Any]:
    def look_up_local(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host[0] if isinstance(host, tuple) else host
        if not _is_local(name) and (original.__name__ in ("gethostbyaddr", "getnameinfo") or not _is_address(name)):
            raise NetworkOffError(name)
        return original(host, *args, **kwargs)

    return look_up_local


def _sender(original: Callable[..., Any], position: int) -> Callable[..., Any]:
    def send_locally(self: socket.socket, *args: Any, **kwargs: Any) -> Any:
        # The address of `sendmsg` is its optional fourth argument; the other functions always have one.
        if position < len(args):
            target = _target(self, args[position])
            if not _is_local(target):
                raise NetworkOffError(target)
        return original(self, *args, **kwargs)

    return send_locally


def _connect_ex(original: Callable[..., int]) -> Callable[..., int]:
    def connect_locally(self: socket.socket, address: Any) -> int:
        return original(self, address) if _is_local(_target(self, address)) else errno.ENETUNREACH

    return connect_locally


def _target(connection: socket.socket, address: Any) -> Any:
    """Return the host of an address, or None if the socket can only connect to this machine."""
    if connection.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple) or not address:
        return None
    return address[0]


def _is_local(host: Any) -> bool:
    if isinstance(host, (bytes, bytearray)):
        host = host.decode("ascii", "replace")
    if not isinstance(host, str) or host in ("", "localhost") or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback or address.is_unspecified


def _is_address(host: Any) -> bool:
    """Return whether a host is an address, which does not need a name server."""
    try:
        ipaddress.ip_address(str(host, "ascii") if isinstance(host, (bytes, bytearray)) else host)
    except ValueError:
        return False
    return True
