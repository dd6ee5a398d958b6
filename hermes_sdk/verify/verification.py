"""Run all steps of a verification in parallel."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.cache import cache_dir
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options, Settings, prefer_default
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat.cells import Job, parse
from hermes_sdk.compat.matrix import TIME_LIMIT
from hermes_sdk.compat.testing import Tested, run_tests
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.files import write_file
from hermes_sdk.hosts.processes.isolation.kernel import end_with_parent
from hermes_sdk.hosts.staging import HostChoice, Ran, default_choice, find_real_host, preload, run_on_host, to_clause
from hermes_sdk.manifest import Located, find_plugins, portable
from hermes_sdk.verify.judgement import Project, Runs, judge
from hermes_sdk.verify.notes import find_notes
from hermes_sdk.verify.types import check_types
from hermes_sdk.verify.verdict import StepName, Verdict

_CONTEXT = get_context("fork")


def verify(path: Path, *, real: bool = False) -> Verdict:
    """Verify the plugin at a path, or all plugins of a workspace.

    The tests run in forks of this process, as in `compat`, while the type checker and the check run.

    Args:
        path: The plugin, its project or a directory of plugins.
        real: Whether to run all tests also in a real Hermes of this machine.

    Raises:
        UsageError: There is no plugin at the path, or the project's settings are wrong.
        UnavailableError: pytest is not installed, or there is no real Hermes that can run the plugin.
    """
    if find_spec("pytest") is None:
        raise UnavailableError("pytest, which runs the tests, is not installed.", fix="Install hermes-sdk[test].")
    base = path if path.is_dir() else path.parent
    projects = [*_list_projects(path, base)]
    real_host = _require_real_host([one.plugin for one in projects]) if real else ""
    with ExitStack() as stack:
        runs = stack.enter_context(_run_tests(projects, real_host))
        types = [stack.enter_context(check_types(one.plugin.project)) for one in projects]
        target = projects[0].target if len(projects) == 1 else ""
        result = check(path, Options(cache=cache_dir() / "check", target=target or None))
        typed = [finish() for finish in types]
        ran: list[Runs] = [{name: run.result() for name, run in one.items()} for one in runs]
    steps, failures, output = judge(path, projects, result, typed, ran)
    notes = () if failures else tuple(find_notes(base, projects))
    return Verdict(path.as_posix(), steps, failures, _write_log(path, output) if output else "", notes)


def _list_projects(path: Path, base: Path) -> Iterator[Project]:
    """Yield the projects of the plugins at a path, each once."""
    seen = set[Path]()
    for found in find_plugins(path):
        located = found.forms[0]
        if located.project in seen:
            continue
        seen.add(located.project)
        plugin = Plugin(located, base)
        supported = Supported.parse(portable.supported_range()) if located.portable else plugin.supported
        admitted = [one for one in contract.releases() if supported is None or supported.admits(one)]
        newest = prefer_default(admitted)
        is_declared = plugin.supported and admitted and not Settings.load(plugin).target
        target = str(plugin.fields["requires_hermes"]) if is_declared else ""
        yield Project(located, base, newest, admitted[0] if admitted else newest, target)


def _require_real_host(plugins: Sequence[Located]) -> str:
    host, missing = find_real_host(None, plugins)
    if missing:
        raise UnavailableError(missing, fix="Drop --real to verify the plugin without a real Hermes.")
    return host


@contextmanager
def _run_tests(projects: Sequence[Project], real_host: str) -> Generator[list[dict[StepName, _Run]]]:
    """Run the tests of projects in forks of this process, which may have no other thread yet."""
    preload()
    import_module("hermes_sdk.testing.suites.kinds")  # Import the fixtures too; otherwise, each fork imports them.
    os.environ["HERMES_SDK_CACHE"] = str(cache_dir())
    turn = _CONTEXT.Semaphore(os.cpu_count() or 1)
    runs: list[dict[StepName, _Run]] = [
        {name: _Run(turn, one, *place) for name, place in _plan(one, real_host).items()} for one in projects
    ]
    try:
        yield runs
    finally:
        for run in (run for one in runs for run in one.values()):
            run.end()


def _plan(project: Project, real_host: str) -> dict[StepName, tuple[HostChoice, str]]:
    """Return the host choice and the `compat` cell of each run of the tests of a project."""
    choice = default_choice()
    places: dict[StepName, tuple[HostChoice, str]] = {"tests": (choice, f"embedded:{project.newest}")}
    if project.oldest != project.newest:
        places["minimum version"] = choice, f"embedded:{project.oldest}"
    if real_host:
        places["real Hermes"] = "real", f"real:{real_host}"
    return places


class _Run:
    """Fork of this process that runs the tests of a project when the semaphore allows it."""

    def __init__(self, turn: Semaphore, project: Project, choice: HostChoice, cell: str) -> None:
        self._receiver, sender = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_answer, args=(sender, turn, project, choice, cell))
        self._process.start()
        sender.close()

    def result(self) -> Ran[Tested]:
        """Wait for the tests, and return their result."""
        try:
            result: Ran[Tested] | HermesSdkError = self._receiver.recv()
        except EOFError:
            raise HermesSdkError(
                "The process running the tests ended unexpectedly.", fix="Run `pytest` to see why."
            ) from None
        if isinstance(result, HermesSdkError):
            raise result
        return result

    def end(self) -> None:
        """Terminate the process, including running tests."""
        self._process.terminate()
        self._process.join()
        self._receiver.close()


def _answer(sender: Connection, turn: Semaphore, project: Project, choice: HostChoice, cell: str) -> None:
    # An interrupt ends the command, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    end_with_parent(signal.SIGTERM)
    with turn:
        try:
            sender.send(_run(project, choice, cell))
        except HermesSdkError as error:
            sender.send(error)


def _stop(*_: object) -> None:
    sys.exit(1)


def _run(project: Project, choice: HostChoice, cell: str) -> Ran[Tested]:
    plugin = project.plugin
    name = plugin.name if plugin.form == "package" else ""
    job = Job(str(plugin.path), str(plugin.project), parse(cell), TIME_LIMIT, form=plugin.form, plugin=name)
    return run_on_host(
        choice,
        job.cell.release,
        lambda kind, _: run_tests(job.on(kind), add_suite=project.has_suite),
        lambda tested: map(to_clause, tested.reached),
        [plugin],
    )


def _write_log(path: Path, output: str) -> str:
    name = sha256(str(path.resolve()).encode()).hexdigest()[:16]
    file = cache_dir() / "verify" / f"{name}.log"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, output.encode(errors="replace"), durable=False, journalled=False)
    return str(file)
