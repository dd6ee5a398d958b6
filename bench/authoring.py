"""`python -m bench.authoring`: ten tasks for plugin authors, whose results are tested on both hosts.

A task is a directory in `subjects/authoring`. `prompt.md` is the request of a user, `start.sh` creates the initial
project, the tests in `check.py` decide whether the task is solved, and `author.sh` solves it by following the skill to
the letter. To measure another author, pass a shell command: it reads the prompt from standard input, and works in the
current directory. The commands of hermes-sdk and pytest that it runs are counted, and so are the characters that they
print.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

BIN = Path(sys.executable).parent
TASKS = {path.name: path for path in sorted(Path(__file__).with_name("subjects").joinpath("authoring").iterdir())}
HOSTS = ("embedded", "real")
COUNTED = ("hermes-sdk", "pytest")
_COUNTER = """\
#!/bin/sh
file=$(mktemp {outputs}/XXXXXX)
{program} "$@" >"$file" 2>&1
status=$?
cat "$file"
exit $status
"""


@dataclass(frozen=True)
class Result:
    """Result of an author's attempt at a task.

    Attributes:
        commands: Number of commands of hermes-sdk and pytest that the author ran.
        read: Number of characters that these commands printed.
        output: Output of the author.
        problems: The reason for each host on which the result fails; empty if it passes.
    """

    commands: int
    read: int
    output: str
    problems: Mapping[str, str]


def attempt(task: Path, author: str, hosts: Sequence[str] = HOSTS) -> Result:
    """Let an author, which is a shell command, solve a task, and test the result."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        work, outputs = Path(name, "work"), Path(name, "outputs")
        outputs.mkdir()
        begin(task, work)
        counters = _make_counters(Path(name, "bin"), outputs)
        done = _run(["sh", "-c", author], work, f"{counters}{os.pathsep}{BIN}", (task / "prompt.md").read_text())
        printed = [file.read_text(errors="replace") for file in outputs.iterdir()]
        project = find_project(work)
        problems = {host: find_failed_test(task, project, host) or find_failed_step(project, host) for host in hosts}
        return Result(len(printed), sum(map(len, printed)), done.stdout + done.stderr, problems)


def scripted_author(task: Path) -> str:
    """Return the author that follows the skill to the letter."""
    return f"sh {shlex.quote(str(task / 'author.sh'))}"


def begin(task: Path, work: Path) -> None:
    """Create a directory for a task, with the initial project if the task has one."""
    work.mkdir()
    if (task / "start.sh").exists():
        _run(["sh", str(task / "start.sh")], work).check_returncode()


def find_project(work: Path) -> Path:
    """Return the directory that the author worked in: the first one whose name does not begin with a dot."""
    return next((path for path in sorted(work.iterdir()) if path.is_dir() and not path.name.startswith(".")), work)


def find_failed_test(task: Path, project: Path, host: str) -> str:
    """Return the first test of the task that fails on a host; empty if all pass."""
    # Ignore the project's settings for pytest, and do not write to its cache.
    options = ["-c", os.devnull, "--rootdir=.", "--import-mode=importlib", "-p", "no:cacheprovider", "-q"]
    options += ["-o", f"pythonpath={project}"]  # A check may import helpers of the project's tests.
    done = _run([str(BIN / "pytest"), *options, f"--hermes-host={host}", str(task / "check.py")], project)
    failed = re.search(r"^(?:FAILED|ERROR) \S*?::(.*)", done.stdout, re.MULTILINE)
    return "" if done.returncode == 0 else failed[1] if failed else done.stdout + done.stderr


def find_failed_step(project: Path, host: str) -> str:
    """Return the first failure of `hermes-sdk verify` on a host; empty if it passes."""
    done = _run([str(BIN / "hermes-sdk"), "verify", "--json", *(["--real"] if host == "real" else [])], project)
    document = json.loads(done.stdout)
    failure = document.get("error") or document["first"]
    return f"verify: {failure['message']}" if failure else ""


def _make_counters(directory: Path, outputs: Path) -> Path:
    directory.mkdir()
    for name in COUNTED:
        file = directory / name
        file.write_text(_COUNTER.format(outputs=shlex.quote(str(outputs)), program=shlex.quote(str(BIN / name))))
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return directory


def _run(
    command: Sequence[str], cwd: Path, path: str = str(BIN), standard_input: str = ""
) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PATH": os.pathsep.join((path, os.environ["PATH"]))}
    return subprocess.run(
        command, cwd=cwd, env=variables, input=standard_input, capture_output=True, text=True, check=False
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.authoring", description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"one of {', '.join(TASKS)}")
    parser.add_argument("--author", metavar="COMMAND", help="a shell command; default: follow the skill to the letter")
    arguments = parser.parse_args()
    if unknown := set(arguments.tasks) - TASKS.keys():
        parser.error(f"unknown tasks: {', '.join(sorted(unknown))}")
    console = Console()
    table = Table("Task", "Commands", "Read", *(f"On the {host} host" for host in HOSTS))
    results = []
    for name in arguments.tasks or TASKS:
        task = TASKS[name]
        with console.status(name):
            result = attempt(task, arguments.author or scripted_author(task))
        results.append(result)
        verdicts = [escape(result.problems[host]) or "[green]passes[/]" for host in HOSTS]
        table.add_row(name, str(result.commands), str(result.read), *verdicts)
        if any(result.problems.values()):
            console.print(f"{name}: what the author printed\n{result.output}", markup=False)
    console.print(table)
    return 1 if any(any(one.problems.values()) for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
