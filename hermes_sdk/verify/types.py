"""The type checker that a project configures: mypy, else pyright."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.hosts.processes.process import child_environment, running
from hermes_sdk.journal import scratch_directory

_TIME_LIMIT = 300.0
_FILES = {"mypy": ("mypy.ini", ".mypy.ini"), "pyright": ("pyrightconfig.json",)}
_ARGUMENTS = {
    "mypy": ("--no-error-summary", "--hide-error-context", "--show-column-numbers", "--no-pretty", "--no-color-output"),
    "pyright": (),
}
_ERROR = re.compile(r"\s*(?P<path>[^\s:][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?(?: -|:) error: (?P<message>.+)")


class TypeProblem(NamedTuple):
    """Finding of a type checker; its path is relative to the project."""

    path: str
    line: int
    column: int
    message: str


class Typed(NamedTuple):
    """Result of a type checker.

    Attributes:
        checker: ``mypy`` or ``pyright``; empty if the project configures neither.
        missing: Reason why it did not run; empty if it did.
        log: Output of the type checker.
    """

    checker: str
    missing: str = ""
    problems: tuple[TypeProblem, ...] = ()
    log: str = ""


@contextmanager
def check_types(project: Path) -> Generator[Callable[[], Typed]]:
    """Run the type checker of a project during a ``with`` block; yield a function that waits for its result."""
    configured = [name for name in _FILES if _is_configured(project, name)]
    checker = next((name for name in configured if find_spec(name)), "")
    if not checker:
        name = configured[0] if configured else ""
        yield lambda: Typed(name, f"{name} is not installed" if name else "no type checker is configured")
        return
    with scratch_directory("hermes-sdk-types-") as scratch:
        variables = child_environment(Path(scratch), Path(scratch))
        command = [sys.executable, "-m", checker, *_ARGUMENTS[checker]]
        with running(command, environment=variables, cwd=project, time_limit=_TIME_LIMIT) as finish:

            def judge() -> Typed:
                done = finish()
                output = done.stdout + done.stderr
                if done.ended != "exited":
                    return Typed(checker, log=output, problems=(TypeProblem(".", 1, 1, f"{checker}: {done.ended}"),))
                return Typed(checker, "", tuple(_read(output, project, checker, done.status)), output)

            yield judge


def _is_configured(project: Path, checker: str) -> bool:
    if any((project / name).is_file() for name in _FILES[checker]):
        return True
    file = project / "pyproject.toml"
    try:
        tool = parse_toml(read_text(file, root=project)).get("tool") if file.is_file() else None
    except (ValueError, OSError):
        return False  # The check reports a file that cannot be read.
    return isinstance(tool, dict) and checker in tool


def _read(output: str, project: Path, checker: str, status: int) -> Generator[TypeProblem]:
    has_errors = False
    for line in output.splitlines():
        if matched := _ERROR.match(line):
            has_errors = True
            path = Path(matched["path"])
            shown = path.relative_to(project).as_posix() if path.is_relative_to(project) else path.as_posix()
            yield TypeProblem(shown, int(matched["line"]), int(matched["column"] or 1), matched["message"])
    if status and not has_errors:
        last = output.strip().splitlines()[-1:] or [f"exit code {status}"]
        yield TypeProblem(".", 1, 1, f"{checker} could not run: {last[0]}")
