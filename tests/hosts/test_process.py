import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_sdk.hosts.processes import process
from hermes_sdk.hosts.processes.process import Finished, child_environment

SERVE = "from hermes_sdk.hosts.processes.process import serve\n"


def run(program: str, tmp_path: Path, *, request: object = None, time_limit: float = 20, **extra: str) -> Finished:
    return process.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        environment=child_environment(tmp_path, tmp_path, extra),
        cwd=tmp_path,
        time_limit=time_limit,
        request=request,
    )


@pytest.fixture
def is_pipe_open(tmp_path: Path) -> Iterator[Callable[[], bool]]:
    """Return a function that checks whether a process has the pipe ``held`` in the directory open for writing."""
    os.mkfifo(tmp_path / "held")
    reader = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    yield lambda: not select.select([reader], [], [], 5)[0]
    os.close(reader)


def test_result_is_separate_from_long_output(tmp_path: Path) -> None:
    program = """
        def answer(request):
            import os, sys
            print('{"forged": true}')
            os.write(1, b"raw")
            print("trouble", file=sys.stderr)
            return {"doubled": request["number"] * 2, "text": "é\\n"}
        serve(answer)
    """
    done = run(SERVE + textwrap.dedent(program), tmp_path, request={"number": 21})
    assert (done.ended, done.status) == ("answered", 0)
    assert done.value == {"doubled": 42, "text": "é\n"}
    assert "forged" in done.stdout
    assert "raw" in done.stdout
    assert done.stderr == "trouble\n"


def test_child_processes_do_not_inherit_channel(tmp_path: Path) -> None:
    program = """
        import subprocess, sys
        def answer(request):
            # The descriptor that lists the folder is 3.
            code = "import os; print(sorted(n for n in os.listdir('/proc/self/fd') if int(n) > 3))"
            return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        serve(answer)
    """
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    assert run(SERVE + textwrap.dedent(program), tmp_path, request=1).value == "[]\n"


@pytest.mark.parametrize(
    ("program", "ended", "status"),
    [
        ("pass", "exited", 0),
        ("raise SystemExit(3)", "exited", 3),
        ("import os; os._exit(7)", "exited", 7),
        ("1 / 0", "exited", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "signal", signal.SIGTERM),
        ("import time; time.sleep(60)", "time limit", signal.SIGKILL),
    ],
)
def test_result_describes_end_of_child(program: str, ended: str, status: int, tmp_path: Path) -> None:
    done = run(program, tmp_path, time_limit=0.5 if ended == "time limit" else 20)
    assert (done.ended, done.status, done.value) == (ended, status, None)


def test_incomplete_answer_is_ignored(tmp_path: Path) -> None:
    done = run("import os, sys; os.write(int(sys.argv[-1]), b'{\"half\": '); os._exit(4)", tmp_path, request=1)
    assert (done.ended, done.status) == ("exited", 4)


@pytest.mark.parametrize("time_limit", [20, 2])
def test_child_processes_of_program_are_killed(
    time_limit: int, tmp_path: Path, is_pipe_open: Callable[[], bool]
) -> None:
    program = f"""
        import subprocess, sys, time
        code = "held = open('held', 'w'); print('there', flush=True); import time; time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep({0 if time_limit == 20 else 60})
    """
    done = run(program, tmp_path, time_limit=time_limit)
    assert done.ended == ("exited" if time_limit == 20 else "time limit")
    assert not is_pipe_open()


def test_time_limit_applies_before_result_is_awaited(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with process.running(
        [sys.executable, "-c", "import time; time.sleep(60)"],
        environment=child_environment(tmp_path, tmp_path),
        cwd=tmp_path,
        time_limit=0.2,
        files=[writing],
    ) as finish:
        os.close(writing)
        assert select.select([reading], [], [], 10)[0]
        assert finish().ended == "time limit"
    os.close(reading)


def test_output_is_limited(tmp_path: Path) -> None:
    done = run("import sys; sys.stdout.write('x' * 3_000_000)", tmp_path)
    assert done.stdout.endswith("\n[2000000 more bytes were dropped]")
    assert len(done.stdout) < process.OUTPUT_LIMIT + 100


def test_environment_is_scrubbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HERMES_HOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "HTTPS_PROXY", "GH_TOKEN"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    done = run("import os, json; print(json.dumps(dict(os.environ)))", tmp_path, MINE="1")
    assert "secret" not in done.stdout
    found = child_environment(tmp_path, tmp_path, {"MINE": "1"})
    assert found["HOME"] == found["TMPDIR"] == str(tmp_path)
    assert (found["TZ"], found["NO_COLOR"], found["TERM"], found["MINE"]) == ("UTC", "1", "dumb", "1")
    assert found["PATH"] == os.environ["PATH"]


def test_standard_input_is_empty(tmp_path: Path) -> None:
    assert run("print(repr(input.__module__), __import__('sys').stdin.read())", tmp_path).stdout == "'builtins' \n"


START = """
        import signal, subprocess
        class Popen(subprocess.Popen):
            def __init__(self, *arguments, **options):
                super().__init__(*arguments, **options)
                open('begun').read()
                signal.raise_signal(signal.SIGINT)
        subprocess.Popen = Popen
"""


@pytest.mark.parametrize("start", ["", START], ids=["while it runs", "while it starts"])
def test_interrupt_ends_child(start: str, tmp_path: Path, is_pipe_open: Callable[[], bool]) -> None:
    program = f"""{start}
        from pathlib import Path
        import sys
        from hermes_sdk.hosts.processes.process import run, child_environment
        code = "import os, time; held = open('held', 'w'); open('begun', 'w').write('x'); time.sleep(60)"
        here = Path({str(tmp_path)!r})
        run([sys.executable, "-c", code], environment=child_environment(here, here), cwd=here, time_limit=50)
    """
    os.mkfifo(tmp_path / "begun")
    argv = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(argv, cwd=tmp_path, stderr=subprocess.PIPE) as parent:
        if not start:
            assert (tmp_path / "begun").read_text() == "x"
            parent.send_signal(signal.SIGINT)
        _, errors = parent.communicate()
    assert b"KeyboardInterrupt" in errors
    assert not is_pipe_open()
