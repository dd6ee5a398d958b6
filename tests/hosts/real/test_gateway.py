"""The gateway of the real host."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from conformance.gateway_cases import platform

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import ALLOW_ALL, HostExited
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.hosts.real.worker.gateway import Gateway

pytestmark = pytest.mark.real_host

NOTES = """
    async def connect(self, **more):
        self._note("connected")
        self._mark_connected()
        return True
    async def disconnect(self):
        self._note("disconnected")
    def _note(self, what):
        with open(os.path.join(os.environ["HERMES_HOME"], "notes"), "a") as file:
            file.write(what + "\\n")
"""

Open = Callable[..., RealHost]


@pytest.fixture
def open_host(real_python: Callable[[str], Path]) -> Iterator[Open]:
    """Return a function that opens a real host with the platform ``echo``."""
    real_python("0.19.0")
    with Home.temporary() as home:
        hosts = []

        def open_it(register: str = "", adapter: str = "") -> RealHost:
            folder = home.plugins_dir / "p"
            folder.mkdir()
            for name, text in platform(register, adapter=adapter).items():
                (folder / name).write_text(text, encoding="utf-8")
            home.enable("p")
            hosts.append(RealHost(home, "0.19.0", environment=ALLOW_ALL))
            return hosts[0]

        yield open_it
        for host in hosts:
            host.close()


def read_logs(home: Path) -> str:
    """Return the content of the host's log files."""
    return "".join(file.read_text(encoding="utf-8") for file in (home / "logs").glob("*.log"))


@pytest.mark.slow
def test_gateway_disconnects_and_fails_on_sigterm(open_host: Open) -> None:
    host = open_host(adapter=NOTES)
    notes = host.home / "notes"
    ours, theirs = socket.socketpair()
    with ours, theirs, Path(os.devnull).open("wb") as nothing:
        config = {**host._config, "argv": ["gateway", "run"]}
        process = host._processes.start_program(config, nothing.fileno(), nothing.fileno(), theirs.fileno())
    try:
        # Before this output, a signal ends the gateway with status 0.
        while not process._has_ended.is_set() and "Press Ctrl+C to stop" not in read_logs(host.home):
            threading.Event().wait(0.05)
        os.kill(process.pid, signal.SIGTERM)
        assert process.end(60) == 1
    finally:
        process.end()
    assert notes.read_text() == "connected\ndisconnected\n"


def test_plugin_that_ends_process_raises_host_exited(open_host: Open) -> None:
    host = open_host("ctx.register_command('leave', lambda arguments: sys.exit(3))\nimport sys\n")
    with pytest.raises(HostExited) as caught:
        host.gateway().dm().receives("/leave")
    assert caught.value.status == 3


def test_request_raises_when_gateway_ends() -> None:
    gateway = Gateway.__new__(Gateway)
    gateway._ended = None
    # The loop ends instead of running the coroutine.
    gateway._loop = SimpleNamespace(call_soon_threadsafe=lambda _: setattr(gateway, "_ended", SystemExit(3)))
    with pytest.raises(SystemExit):
        gateway.busy(patience=0, asked=[])


def test_exception_of_adapter_propagates(open_host: Open) -> None:
    host = open_host(adapter="def build_source(self, **about): raise KeyError('chat')\n")
    with pytest.raises(HermesSdkError, match="KeyError: 'chat'"):
        host.gateway().dm().receives("hello")


def test_unknown_platform_is_rejected(open_host: Open) -> None:
    gateway = open_host().gateway()
    with pytest.raises(UsageError, match="the platform 'other' is not connected"):
        gateway.dm(platform="other").receives("hello")


def test_close_stops_gateway(open_host: Open) -> None:
    host = open_host(adapter=NOTES)
    assert host.gateway() is host.gateway()
    host.close()
    assert (host.home / "notes").read_text() == "connected\ndisconnected\n"
