"""Result of a verification."""

from __future__ import annotations

from typing import Literal, NamedTuple

StepName = Literal["load", "check", "types", "tests", "contract suite", "minimum version", "real Hermes"]

State = Literal["passed", "failed", "not run"]


class Failure(NamedTuple):
    """One reason not to ship a plugin.

    Attributes:
        path: The file, POSIX and relative to what was verified.
        line: 1-based.
        column: 1-based.
        code: Of a rule; empty if no rule says it.
        message: What is wrong, on one line.
        command: Shows this failure only, or what is nearest to that.
    """

    step: StepName
    path: str
    line: int
    column: int
    code: str
    message: str
    fix: str
    command: str

    @property
    def place(self) -> str:
        """The place as ``file:line:column``."""
        return f"{self.path}:{self.line}:{self.column}"


class Step(NamedTuple):
    """One thing that must be true before a plugin is shipped.

    Attributes:
        detail: What was run, or why it was not.
    """

    name: StepName
    state: State
    detail: str


class Verdict(NamedTuple):
    """Result of a verification.

    Attributes:
        path: What was verified, as the caller named it.
        steps: In the order in which to fix them.
        failures: In the order in which to fix them.
        log: The file with the full output of the tests and the type checker; empty if neither failed.
    """

    path: str
    steps: tuple[Step, ...]
    failures: tuple[Failure, ...]
    log: str = ""

    @property
    def passed(self) -> bool:
        """Return whether nothing failed."""
        return not self.failures
