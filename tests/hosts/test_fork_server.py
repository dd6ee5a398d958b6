"""Children of a fork server are as isolated from each other, and from the server, as separate programs."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hermes_sdk.hosts.processes import fork_server
from hermes_sdk.hosts.processes.process import Finished, child_environment

ROOM = """
import os, sys
from hermes_sdk.hosts.processes import fork_server, process
SEEN, READY = [], []
def answer(request):
    SEEN.append(request)
    exec(request)
    return [os.getppid(), len(SEEN), dict(os.environ), os.getcwd(), sorted(os.listdir("/dev/fd"))]
def main():
    fork_server.serve(lambda: process.serve(answer), lambda: READY.append(1))
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"room_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(ROOM)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def run(module: str, code: str, tmp_path: Path, *, time_limit: float = 20, **extra: str) -> Finished:
    return fork_server.run(
        module,
        code,
        environment=child_environment(tmp_path, tmp_path, extra),
        cwd=tmp_path,
        time_limit=time_limit,
    )


def test_children_of_server_do_not_share_state(module, tmp_path):
    first = run(module, "os.environ['MINE'] = 'x'; print('one'); sys.path.clear()", tmp_path, OTHER="1")
    second = run(module, "print(len(sys.path) > 0, file=sys.stderr)", tmp_path)
    assert first.value[:2] == [second.value[0], 1]
    assert second.value[1] == 1
    assert second.value[2] == child_environment(tmp_path, tmp_path)
    assert second.value[3] == str(tmp_path)
    assert (first.stdout, second.stdout, second.stderr) == ("one\n", "", "True\n")
    # The standard streams, the channel, and the descriptor that lists the directory.
    assert len(second.value[4]) <= 5


def test_server_warms_up_before_second_fork(module, tmp_path):
    assert [run(module, "print(READY)", tmp_path).stdout for _ in range(3)] == ["[]\n", "[1]\n", "[1]\n"]


def test_prepared_server_forks_first_child(module, tmp_path):
    started = tmp_path / "started"
    room = tmp_path / f"{module}.py"
    room.write_text(f"{ROOM}open({str(started)!r}, 'a').write(f'{{os.getpid()}}\\n')\n")
    fork_server.prepare(module)
    fork_server.prepare(module)
    server = run(module, "pass", tmp_path).value[0]
    assert started.read_text() == f"{server}\n"


@pytest.mark.parametrize(
    ("code", "ended", "status"),
    [
        ("sys.exit(3)", "exited", 3),
        ("os._exit(7)", "exited", 7),
        ("1 / 0", "exited", 1),
        ("import signal; os.kill(os.getpid(), signal.SIGTERM)", "signal", signal.SIGTERM),
        ("import time; time.sleep(60)", "time limit", signal.SIGKILL),
    ],
)
def test_result_describes_end_of_child(code, ended, status, module, tmp_path):
    done = run(module, code, tmp_path, time_limit=0.5 if ended == "time limit" else 20)
    assert (done.ended, done.status, done.value) == (ended, status, None)
    assert ("ZeroDivisionError" in done.stderr) == ("/" in code)
    assert run(module, "pass", tmp_path).ended == "answered"


def test_killed_server_is_replaced(module, tmp_path):
    server = run(module, "pass", tmp_path).value[0]
    os.kill(server, signal.SIGKILL)
    assert run(module, "pass", tmp_path).value[0] != server


def test_concurrent_children_share_server(module, tmp_path):
    os.mkfifo(tmp_path / "gate")
    servers = []

    def note(code):
        servers.append(run(module, code, tmp_path).value[0])

    # Each child waits for the other.
    threads = [threading.Thread(target=note, args=[f"open('gate', {mode!r}).close()"]) for mode in "wr"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(servers)) == 1
    assert len(servers) == 2


def test_server_outlives_thread_that_started_it(module, tmp_path):
    os.mkfifo(tmp_path / "gate")
    servers = []

    def note(code):
        servers.append(run(module, code, tmp_path).value[0])

    waiting = threading.Thread(target=note, args=["open('gate').close()"])

    def start_both():
        note("pass")
        waiting.start()

    starting = threading.Thread(target=start_both)
    starting.start()
    starting.join()
    note("pass")
    with (tmp_path / "gate").open("w"):
        waiting.join()
    assert len(servers) == 3
    assert len(set(servers)) == 1


def test_children_end_with_server(module, tmp_path):
    os.mkfifo(tmp_path / "gate")
    ends = []
    thread = threading.Thread(
        target=lambda: ends.append(run(module, "open('gate', 'w'); os.read(0, 1); open('gate')", tmp_path))
    )
    thread.start()
    with (tmp_path / "gate").open():
        fork_server.prepare(module).close()
        thread.join()
    assert (ends[0].ended, ends[0].status) == ("signal", signal.SIGKILL)


def test_error_names_module_that_does_not_serve(tmp_path, monkeypatch):
    (tmp_path / "room_without_door.py").write_text("def main(): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Exception, match="room_without_door ended during startup"):
        run("room_without_door", "pass", tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
@pytest.mark.parametrize("end", ["pass", "os.kill(os.getpid(), 9)"])
def test_server_ends_with_its_process(end, module, tmp_path):
    program = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(tmp_path)!r})
from hermes_sdk.hosts.processes import fork_server, process
here = Path({str(tmp_path)!r})
done = fork_server.run({module!r}, "pass", environment=process.child_environment(here, here), cwd=here, time_limit=20)
print(done.value[0], flush=True)
{end}
"""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=end == "pass")
    assert done.stderr == ""
    # The process no longer exists, or is a zombie.
    stat = Path("/proc", done.stdout.strip(), "stat")
    deadline = threading.Event()
    for _ in range(500):
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            break
        deadline.wait(0.01)
    else:
        pytest.fail("the server outlives the process that used it")
