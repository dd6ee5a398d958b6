import asyncio
import errno
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.hosts.in_worker import network_guard
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly, NetworkOffError

AWAY = ("192.0.2.1", 9)


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(lambda one: one.connect(AWAY), id="connect"),
        pytest.param(lambda one: one.sendto(b"x", AWAY), id="sendto"),
        pytest.param(lambda one: one.sendto(b"x", 0, AWAY), id="sendto-flags"),
        pytest.param(lambda one: one.sendmsg([b"x"], (), 0, AWAY), id="sendmsg"),
    ],
)
def test_connections_to_other_machines_are_blocked(leave) -> None:
    with LoopbackOnly(), socket.socket(type=socket.SOCK_DGRAM) as one, pytest.raises(NetworkOffError) as caught:
        leave(one)
    assert isinstance(caught.value, OSError)
    assert caught.value.errno == errno.ENETUNREACH
    assert "network is off: '192.0.2.1' is not on this machine, and only loopback addresses are allowed" in str(
        caught.value
    )


def test_connect_ex_returns_error_number() -> None:
    with LoopbackOnly(), socket.socket() as one:
        assert one.connect_ex(AWAY) == errno.ENETUNREACH


@pytest.mark.parametrize(
    "look_up",
    [
        lambda: socket.getaddrinfo("example.org", 443),
        lambda: socket.getaddrinfo(b"example.org", 443),
        lambda: socket.gethostbyname("example.org"),
        lambda: socket.gethostbyname_ex("example.org"),
        lambda: socket.gethostbyaddr("192.0.2.1"),
        lambda: socket.getnameinfo(("192.0.2.1", 443), 0),
        lambda: socket.create_connection(("example.org", 443)),
    ],
)
def test_lookups_of_remote_names_are_blocked(look_up) -> None:
    with LoopbackOnly(), pytest.raises(NetworkOffError):
        look_up()


def test_addresses_and_local_names_can_be_looked_up() -> None:
    with LoopbackOnly():
        assert socket.getaddrinfo("192.0.2.1", 443, type=socket.SOCK_STREAM)[0][4] == ("192.0.2.1", 443)
        assert socket.gethostbyname("localhost").startswith("127.")
        assert socket.getaddrinfo(None, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2", "0.0.0.0"])
def test_loopback_connections_are_allowed(listener, host: str) -> None:
    if host == "127.0.0.2" and sys.platform == "darwin":
        pytest.skip("macOS has one loopback address")
    server = ("0.0.0.0", 0) if host == "127.0.0.2" else None
    with LoopbackOnly(), socket.create_server(server or ("127.0.0.1", 0)) as other:
        socket.create_connection((host, other.getsockname()[1])).close()


def test_ipv4_mapped_remote_address_is_blocked() -> None:
    with LoopbackOnly(), socket.socket(socket.AF_INET6) as one, pytest.raises(NetworkOffError):
        one.connect(("::ffff:192.0.2.1", 9))


def test_unix_sockets_are_allowed(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with LoopbackOnly(), socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)


def test_guard_applies_to_asyncio(listener) -> None:
    async def reach(host: str, port: int) -> None:
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
        await writer.wait_closed()

    with LoopbackOnly():
        asyncio.run(reach(*listener))
        for host in ("192.0.2.1", "example.org"):
            with pytest.raises(NetworkOffError):
                asyncio.run(reach(host, 9))


def test_remove_restores_socket_module() -> None:
    before = {name: getattr(socket, name) for name in ("getaddrinfo", "gethostbyname")}
    methods = dict(vars(socket.socket))
    outer = LoopbackOnly()
    outer.install()
    with LoopbackOnly():
        pass
    with pytest.raises(NetworkOffError):
        socket.gethostbyname("example.org")
    outer.remove()
    outer.remove()
    assert {name: getattr(socket, name) for name in before} == before
    assert dict(vars(socket.socket)) == methods


def test_guard_can_be_loaded_by_path() -> None:
    program = (
        f"import runpy; runpy.run_path({network_guard.__file__!r}); import sys; print('hermes_sdk' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
