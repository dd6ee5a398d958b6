"""Result of a verification."""

from __future__ import annotations

from typing import Literal, NamedTuple

StepName = Literal["load", "check", "types", "tests", "contract suite", "minimum version", "real Hermes"]

State = Literal["passed", "failed", "not run"]


class Failure(NamedTuple):
    """One reason not to ship a plugin.

    Attributes:
        path: The file, as a POSIX path relative to the verified directory; ``.`` if the failure is in no file.
        line: 1-based.
        column: 1-based.
        code: Code of the rule; empty if the failure is not a finding of a rule.
        message: What is wrong, on one line.
        fix: How to fix it; may be empty.
        command: Command that shows only this failure, or as little else as possible.
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
    def title(self) -> str:
        """The place as ``file:line:column``, if it is a file, and the code of the rule or the step."""
        place = "" if self.path == "." else f"{self.path}:{self.line}:{self.column}: "
        return f"{place}{self.code or self.step}"


class Step(NamedTuple):
    """A requirement for shipping a plugin.

    Attributes:
        detail: What ran, or the reason why it did not run.
    """

    name: StepName
    state: State
    detail: str


class Verdict(NamedTuple):
    """Result of a verification.

    Attributes:
        path: The verified path, as given by the caller.
        steps: In the order in which to fix them.
        failures: In the order in which to fix them.
        log: The file with the full output of the tests and the type checker; empty if neither failed.
        notes: What to do before publishing a plugin that passed.
    """

    path: str
    steps: tuple[Step, ...]
    failures: tuple[Failure, ...]
    log: str = ""
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether nothing failed."""
        return not self.failures
