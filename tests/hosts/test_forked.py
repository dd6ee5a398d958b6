"""Functions in forks. Each test starts a Python process with one thread, which `fork.run` requires."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

_PROGRAM = """
import json, os, sys, time
from pathlib import Path
from hermes_sdk.hosts.processes import fork
{function}
done = fork.run(work, {{"n": 2}}, environment={{"A": "1"}}, cwd=Path({cwd!r}), time_limit={limit}, grace={grace})
print(json.dumps(vars(done)))
"""


def ran(function: str, cwd: Path, *, limit: float = 20, grace: float = 0) -> dict[str, Any]:
    """Run a function called ``work`` in a fork, and return the result."""
    program = _PROGRAM.format(function=dedent(function), cwd=str(cwd), limit=limit, grace=grace)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    finished: dict[str, Any] = json.loads(done.stdout)
    return finished


def test_fork_has_own_directory_and_environment(tmp_path):
    done = ran(
        """
        def work(request):
            print("out"); os.system("echo from a child")
            return [request["n"] * 2, os.getcwd(), dict(os.environ), sys.stdin.read()]
        """,
        tmp_path,
    )
    value = done["value"]
    assert (done["ended"], done["status"]) == ("answered", 0)
    assert value[:2] == [4, str(tmp_path)]
    assert value[2]["A"] == "1"
    assert "HOME" not in value[2]
    assert value[3] == ""
    assert sorted(done["stdout"].splitlines()) == ["from a child", "out"]


@pytest.mark.parametrize(
    ("body", "ended", "status"),
    [
        ("os._exit(3)", "exited", 3),
        ("sys.exit(4)", "exited", 4),
        ("sys.exit()", "exited", 0),
        ("sys.exit('no')", "exited", 1),
        ("os.kill(os.getpid(), 9)", "signal", 9),
        ("time.sleep(60)", "time limit", 9),
        ("while True:\n        try: time.sleep(60)\n        except BaseException: pass", "time limit", 9),
    ],
)
def test_result_describes_end_without_answer(body, ended, status, tmp_path):
    done = ran(f"def work(request):\n    {body}\n", tmp_path, limit=1, grace=0.2)
    assert (done["ended"], done["status"], done["value"]) == (ended, status, None)


def test_exception_is_printed(tmp_path):
    done = ran("def work(request): raise KeyError('lost')\n", tmp_path)
    assert (done["ended"], done["status"]) == ("exited", 70)
    assert "KeyError: 'lost'" in done["stdout"]


def test_answer_returned_after_time_limit_is_kept(tmp_path):
    done = ran(
        """
        def work(request):
            try: time.sleep(60)
            except KeyboardInterrupt: return "half"
        """,
        tmp_path,
        limit=0.5,
        grace=10,
    )
    assert (done["ended"], done["value"]) == ("time limit", "half")


def test_child_processes_of_fork_are_killed(tmp_path):
    done = ran(
        """
        import subprocess
        def work(request): return subprocess.Popen(["sleep", "60"]).pid
        """,
        tmp_path,
    )
    assert (
        not Path(f"/proc/{done['value']}/cmdline").exists()
        or b"sleep" not in Path(f"/proc/{done['value']}/cmdline").read_bytes()
    )


def test_end_of_long_output_is_kept(tmp_path):
    done = ran("def work(request): print('x' * 1_500_000); print('the end')\n", tmp_path)
    assert done["stdout"].endswith("the end\n")
    assert done["stdout"].startswith("[")
    assert len(done["stdout"]) < 1_001_000
