"""Servers that keep running between runs: permissions, replacement and end."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.environments import Environment, environment
from hermes_sdk.hosts.real import servers, warm
from hermes_sdk.hosts.real.host import Isolated as IsolatedHost
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.hosts.real.servers import Server, server
from hermes_sdk.hosts.staging import StagedHome

pytestmark = pytest.mark.real_host

RELEASE = "0.19.0"
NOBODY = 65534
PLUGIN = """
import json, os

def register(ctx):
    ctx.register_command("ask", lambda line: json.dumps(eval(line)))
"""

Connect = Callable[[], Server]


@pytest.fixture
def host_environment(real_python) -> Environment:
    real_python(RELEASE)
    return environment(RELEASE)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Create a directory for servers with a short path."""
    with tempfile.TemporaryDirectory(dir="/tmp") as parent:
        place = Path(parent, "servers")
        yield place
        warm.stop(place)


@pytest.fixture
def connect(host_environment: Environment, folder: Path) -> Iterator[Connect]:
    connected: list[Server] = []

    def start_server() -> Server:
        connected.append(Server(host_environment, folder))
        return connected[-1]

    yield start_server
    for one in connected:
        one.stop()


def find_pid(folder: Path) -> int:
    (running,) = warm.list_running(folder)
    return running.pid


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def ask(question: str, monkeypatch: pytest.MonkeyPatch, started: Server, **variables: str) -> object:
    """Evaluate an expression in a plugin on a host of a server."""
    import json

    monkeypatch.setattr("hermes_sdk.hosts.real.host.server", lambda *_, **__: started)
    with Home.temporary() as home:
        folder = home.plugins_dir / "p"
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text("name: p\n")
        (folder / "__init__.py").write_text(PLUGIN)
        home.enable("p")
        with RealHost(home, RELEASE, environment=variables) as host:
            return json.loads(host.command(f"/ask {question}") or "")


@pytest.mark.parametrize(
    ("variables", "user", "allowed"), [({}, 1000, True), ({}, 0, False), ({"CI": "1"}, 1000, False)]
)
def test_servers_do_not_keep_running_in_ci_or_for_root(variables: dict[str, str], user: int, allowed: bool) -> None:
    assert warm.is_allowed(variables, user) is allowed


def test_isolated_hosts_use_separate_server(
    host_environment: Environment, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_servers", {})
    monkeypatch.setattr(warm, "is_allowed", lambda *_: True)
    monkeypatch.setattr(warm, "find_folder", lambda: folder)
    stays = server(host_environment, may_stay=True)
    apart = server(host_environment, isolated=True, may_stay=True)
    try:
        assert (stays.pid, server(host_environment)) == (None, stays)
        assert apart.pid not in (None, find_pid(folder))
        with Home.temporary() as home, RealHost(home, RELEASE, isolated=IsolatedHost(10)) as host:
            assert Path(f"/proc/{host._connection.pid}/status").read_text().split("PPid:")[1].split()[0] == str(
                apart.pid
            )
    finally:
        stays.stop()
        apart.stop()


@pytest.mark.parametrize("stay", [True, False])
def test_staged_home_keeps_server_running_unless_disabled(
    stay: bool, host_environment: Environment, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_servers", {})
    monkeypatch.setattr(warm, "is_allowed", lambda *_: True)
    monkeypatch.setattr(warm, "find_folder", lambda: folder)
    monkeypatch.setattr(StagedHome, "servers_stay", stay)
    with Home.temporary() as home:
        StagedHome(home, "real", RELEASE).warm_up()
    server(host_environment).stop()
    assert len(warm.list_running(folder)) == stay


def test_server_is_shared_by_consecutive_runs(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = connect()
    pid = find_pid(folder)
    assert ask("os.getppid()", monkeypatch, started) == pid
    started.stop()
    assert ask("os.getppid()", monkeypatch, connect()) == pid
    assert warm.list_running(folder)[0].release == RELEASE


def test_server_is_shared_by_concurrent_runs(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = connect(), connect()
    assert ask("os.getppid()", monkeypatch, one) == ask("os.getppid()", monkeypatch, other) == find_pid(folder)


def test_host_has_environment_of_its_run(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_STARTER", "x")
    monkeypatch.setenv("PATH", "/of/the/starter:/usr/bin:/bin")
    started = connect()
    served = Path(f"/proc/{find_pid(folder)}/environ").read_bytes()
    assert b"SECRET_OF_THE_STARTER" not in served
    assert b"/of/the/starter" not in served
    started.stop()
    monkeypatch.setenv("PATH", "/of/the/run:/usr/bin:/bin")
    seen = dict(ask("dict(os.environ)", monkeypatch, connect(), OWN="1"))
    assert (seen["PATH"], seen["OWN"]) == ("/of/the/run:/usr/bin:/bin", "1")
    assert "SECRET_OF_THE_STARTER" not in seen
    assert str(folder) not in repr(seen)


def test_hosts_end_when_their_run_ends(connect: Connect, folder: Path) -> None:
    started = connect()
    with Home.temporary() as home:
        config = {"home": str(home.path), "cwd": str(home.path), "environment": {}, "path": []}
        connection = started.fork({**config, "record": False, "isolated": None})
        assert is_running(connection.pid)
        # This has the same effect as killing the process of the run.
        started._server._control.shutdown(socket.SHUT_RDWR)
        wait_until(lambda: not is_running(connection.pid))
        connection.close()
    assert is_running(find_pid(folder))


@pytest.mark.parametrize("change", ["own code", "host", "umask", "LANG"])
def test_change_starts_new_server(
    change: str, connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = connect()
    first = find_pid(folder)
    if change == "own code":
        (tmp_path / "new.py").touch()
        monkeypatch.setattr(warm, "_OWN_CODE", (*warm._OWN_CODE, tmp_path))
    elif change == "host":
        (tmp_path / "agent" / "deep").mkdir(parents=True)
        (tmp_path / "agent" / "deep" / "new.py").touch()
        monkeypatch.setattr(warm, "find_editable", lambda _: [str(tmp_path)])
    elif change == "umask":
        monkeypatch.setattr(os, "umask", lambda _: 0o027)
    else:
        monkeypatch.setenv("LANG", "xx_XX.UTF-8")
    other = connect()
    # The run that uses the first server continues to use it.
    assert {one.pid for one in warm.list_running(folder)} > {first}
    assert ask("os.getppid()", monkeypatch, started) == first
    assert ask("os.getppid()", monkeypatch, other) != first
    started.stop()
    wait_until(lambda: not is_running(first))
    assert find_pid(folder) != first


def test_unused_server_ends(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "IDLE_SECONDS", 0.3)
    started = connect()
    pid = find_pid(folder)
    time.sleep(0.5)
    assert is_running(pid)
    started.stop()
    wait_until(lambda: not is_running(pid))
    assert [one.name for one in folder.iterdir()] == ["lock"]


def test_server_above_memory_limit_ends_with_last_run(
    connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "MEMORY_LIMIT", 1000)
    started = connect()
    pid = find_pid(folder)
    assert ask("os.getppid()", monkeypatch, started) == pid
    started.stop()
    wait_until(lambda: not is_running(pid))


def test_stopped_server_is_removed(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect()
    pid = find_pid(folder)
    assert warm.stop(folder, "0.13.0") == []
    assert [one.pid for one in warm.stop(folder, RELEASE)] == [pid]
    wait_until(lambda: not is_running(pid))
    assert warm.list_running(folder) == []
    assert ask("os.getppid()", monkeypatch, connect()) != pid


def test_stale_socket_is_replaced(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect()
    pid = find_pid(folder)
    os.kill(pid, 9)
    wait_until(lambda: not is_running(pid))
    assert ask("os.getppid()", monkeypatch, connect()) == find_pid(folder) != pid


def test_other_users_have_no_access_to_server_directory(connect: Connect, folder: Path) -> None:
    connect()
    places = [folder, *folder.glob("*/")]
    assert {stat.S_IMODE(one.stat().st_mode) for one in places if one.is_dir()} == {0o700}
    assert all(len(os.fsencode(one)) < 104 for one in folder.glob("*/socket"))


@pytest.mark.parametrize("planted", ["open", "link", "of another user"])
def test_insecure_directory_is_not_used(planted: str, connect: Connect, folder: Path) -> None:
    if planted == "link":
        (folder.parent / "theirs").mkdir(mode=0o700)
        folder.symlink_to(folder.parent / "theirs")
    else:
        folder.mkdir(mode=0o700)
        if planted == "open":
            folder.chmod(0o701)
        elif os.getuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        else:
            pytest.skip("only root can give a directory away")
    started = connect()
    assert started.pid
    assert list(folder.iterdir()) == []
    assert warm.list_running(folder) == []
    if planted == "link":
        folder.unlink()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_connection_of_another_user_is_closed(connect: Connect, folder: Path) -> None:
    connect()
    (path,) = folder.glob("*/socket")
    for place in (folder.parent, folder, path.parent):
        place.chmod(0o711)
    path.chmod(0o777)
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setuid(NOBODY)
            with socket.socket(socket.AF_UNIX) as control:
                control.connect(str(path))
                answer = b""
                try:
                    control.sendall(b"{}\n")
                    answer = control.recv(100)
                except ConnectionError:
                    pass
                os._exit(len(answer))
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    folder.chmod(0o700)
    assert is_running(find_pid(folder))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_server_of_another_user_is_not_used(connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "peer_user", lambda _: NOBODY)
    assert connect().pid
    assert warm.list_running(folder) == []
