"""Runs of Hermes' own checks of an installed host on the files of a plugin, in isolation.

The checks are `hermes plugins validate`, `hermes plugins doctor`, the scanner of `hermes plugins install`, and the
reader of catalog entries. Each runs in its own process, because the doctor runs code of the plugin.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from hermes_sdk.hosts import environments
from hermes_sdk.hosts.processes import process
from hermes_sdk.hosts.processes.answers import has_shape, invalid_answer
from hermes_sdk.hosts.real.servers import WORKER, host_variables
from hermes_sdk.journal import scratch_directory

TIME_LIMIT = 90.0
"""Seconds after which a check times out; the doctor itself stops the plugin's code after 30 seconds."""

Judge = Literal["validate", "doctor", "scan", "catalog"]


class Check(TypedDict):
    """One check of `hermes plugins validate`."""

    name: str
    ok: bool
    detail: str


class Validation(TypedDict):
    """Output of `hermes plugins validate --json`; `isolation` since 0.22."""

    ok: bool
    checks: list[Check]
    warnings: list[str]
    isolation: NotRequired[dict[str, Any] | None]


class Complaint(TypedDict):
    """One finding of `hermes plugins doctor`."""

    level: Literal["error", "warning"]
    message: str


class Examination(TypedDict):
    """Findings of `hermes plugins doctor`."""

    ok: bool
    findings: list[Complaint]
    tools: list[str]
    hooks: list[str]


class Suspicion(TypedDict):
    """One finding of the install scanner; `line` is 0 for a finding about a file or the directory."""

    name: str
    severity: str
    file: str
    line: int
    text: str


class Scan(TypedDict):
    """Decision of the install scanner; `allowed` is None when the installer asks the user."""

    verdict: str
    allowed: bool | None
    reason: str
    scanner: str
    findings: list[Suspicion]


class Entry(TypedDict):
    """Catalog entry as the host reads it; None if the host rejects it."""

    entry: dict[str, Any] | None


_SHAPES: dict[Judge, Any] = {"validate": Validation, "doctor": Examination, "scan": Scan, "catalog": Entry}


class Answer(NamedTuple):
    """Result of one check.

    Attributes:
        result: The result, with the type for the check; None if there is none.
        problem: How the process ended without a result; also empty if the release does not have the check.
    """

    result: Any
    problem: str = ""
    printed: str = ""
    layers: tuple[str, ...] = ()


def ask(
    judge: Judge, file: Path, release: str, *, packages: Sequence[Path] = (), required: Sequence[str] = ()
) -> Answer:
    """Run one of Hermes' checks of a release on a plugin directory, or on a catalog entry.

    Args:
        judge: The check.
        file: The plugin's directory, as an installation would create it; for ``catalog``, the only entry in a
            directory.
        release: The release of the host.
        packages: Directories with the requirements of the plugin.
        required: The layers of the isolation that are required to run plugin code.

    Raises:
        UsageError: There is no such release.
        UnavailableError: The environment cannot be created, or a required layer of the isolation is missing.
        HermesSdkError: The answer is not valid.
    """
    python = environments.environment(release).python
    with scratch_directory("hermes-sdk-judge-") as scratch:
        home, empty = scratch / "home", scratch / "empty"
        for folder in (home, empty):
            folder.mkdir()
        path = [str(folder) for folder in packages]
        variables = host_variables(home, empty)
        del variables["HERMES_BUNDLED_PLUGINS"]
        if path:
            # Hermes runs its capability probe in another process, which only inherits variables.
            variables["PYTHONPATH"] = ":".join(path)
        linked = [str(one) for folder in packages for one in folder.iterdir() if one.is_symlink()]
        done = process.run(
            [str(python), "-P", str(WORKER), "judge"],
            environment=process.child_environment(home, scratch, variables),
            cwd=scratch,
            time_limit=TIME_LIMIT,
            request={"judge": judge, "file": str(file), "path": path},
            isolated=process.Isolated([str(scratch)], TIME_LIMIT, required, [str(file.parent), *path, *linked]),
        )
    if done.ended != "answered":
        return Answer(None, _describe_end(done), done.stderr, done.layers)
    value = done.value
    if not has_shape(value, dict[str, Any]) or [*value] != ["said"]:
        raise invalid_answer("not the answer of a check")
    if value["said"] is not None and not has_shape(value["said"], _SHAPES[judge]):
        raise invalid_answer(f"not an answer of `{judge}`")
    return Answer(value["said"], "", done.stderr, done.layers)


def _describe_end(done: process.Finished) -> str:
    if done.ended == "time limit":
        return f"the check timed out after {TIME_LIMIT:g} s"
    if done.ended == "signal":
        return f"the process of the check was killed by signal {done.status}"
    return f"the process of the check ended with exit status {done.status}"
