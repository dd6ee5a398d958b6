"""Isolation on machines that lack a layer, and limits on all processes of a plugin together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from hermes_sdk.hosts.processes import isolation, process

FILTERED = """
    from hermes_sdk.hosts.processes.isolation.seccomp import filter_calls
    filter_calls()
    from hermes_sdk.cli.main import run
    run()
"""


@pytest.fixture(autouse=True)
def require_isolation() -> None:
    if missing := set(isolation.FULL) - set(process.find_layers()):
        pytest.skip(f"this machine has no {', '.join(sorted(missing))}")


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: example\nversion: '1.0'\nkind: standalone\n", encoding="utf-8")
    (folder / "__init__.py").write_text("def register(ctx): ctx.register_command('a', print)\n", encoding="utf-8")
    return folder


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", dedent(program), *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)


def test_full_isolation_fails_without_namespaces(plugin):
    done = run(FILTERED, "check", "--require-isolation=full", plugin)
    assert done.returncode == 3
    assert "missing: pidns, ipcns, netns, mountns." in done.stderr


def test_other_layers_apply_without_namespaces(plugin):
    done = run(FILTERED, "check", "--format=json", plugin)
    layers = json.loads(done.stdout)["isolation"]
    assert layers[:3] == ["env", "tmp", "rlimit"]
    assert {"landlock", "seccomp"} <= set(layers)
    assert not {"pidns", "ipcns", "netns", "mountns"} & set(layers)


def test_memory_of_all_processes_is_limited(tmp_path):
    program = """
        import os, sys, time
        from hermes_sdk.hosts.processes.isolation import enter, supervision
        supervision.MEMORY = 300 * 1024**2
        enter([sys.argv[1]], 30)
        for _ in range(4):
            if not os.fork():
                held = b"x" * 100 * 1024**2
                time.sleep(50)
        time.sleep(50)
    """
    done = run(program, tmp_path)
    assert done.returncode == -signal.SIGKILL
    assert "were stopped: more than" in done.stderr


def test_unmapped_shared_memory_is_limited(tmp_path):
    program = """
        import ctypes, sys, time
        from hermes_sdk.hosts.processes.isolation import enter, supervision
        supervision.MEMORY = int(sys.argv[2]) * 1024**2
        enter([sys.argv[1]], 30)
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        size, page = 20 * 1024**2, 4096
        for _ in range(20):
            start = libc.mmap(None, ctypes.c_size_t(size), 3, 0x21, -1, 0)
            ctypes.memset(start, 1, size)
            libc.munmap(ctypes.c_void_p(start + page), ctypes.c_size_t(size - page))
            time.sleep(0.02)
        print("kept")
    """
    done = run(program, tmp_path, 300)
    assert done.returncode == -signal.SIGKILL
    assert "of shared memory" in done.stderr
    assert run(program, tmp_path, 8192).stdout == "kept\n"


def test_sockets_and_pipes_work(tmp_path):
    program = """
        import asyncio, os, socket, subprocess, sys, time
        from hermes_sdk.hosts.processes.isolation import enter
        enter([sys.argv[1]], 30)
        pairs = [socket.socketpair() for _ in range(150)]
        pipes = [os.pipe() for _ in range(50)]
        for one, other in pairs:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1024**2)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            one.sendall(bytes(50_000))
        children = [subprocess.Popen(["sleep", "1"]) for _ in range(50)]

        async def answer(reader, writer):
            writer.write(await reader.readexactly(1_000_000))
            await writer.drain()
            writer.close()

        async def converse(port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(bytes(1_000_000))
            return len(await reader.read(-1))

        async def main():
            server = await asyncio.start_server(answer, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            print(sum(await asyncio.gather(*[converse(port) for _ in range(50)])))

        asyncio.run(main())
        print({child.wait() for child in children})
    """
    done = run(program, tmp_path)
    assert (done.stdout, done.stderr) == ("50000000\n{0}\n", "")


def test_writable_directories_are_copies(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "given").write_text("as it was", encoding="utf-8")
    program = """
        import sys, pathlib
        from hermes_sdk.hosts.processes.isolation import enter
        enter([sys.argv[1]], 30)
        given = pathlib.Path(sys.argv[1], "given")
        print(given.read_text())
        given.write_text("changed")
        given.with_name("new").touch()
        print(*sorted(path.name for path in given.parent.iterdir()))
    """
    assert run(program, own).stdout == "as it was\ngiven new\n"
    assert [path.name for path in own.iterdir()] == ["given"]
    assert (own / "given").read_text(encoding="utf-8") == "as it was"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_unprivileged_user_gets_all_layers():
    program = """
        import encodings.ascii, os, tempfile
        from hermes_sdk.hosts.processes.isolation import FULL, enter, kernel
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        # As after the start of a program.
        kernel.call("prctl", 4, 1, 0, 0, 0)
        assert enter([tempfile.mkdtemp()], 30) == FULL
        assert os.getuid() == 65534
    """
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")
