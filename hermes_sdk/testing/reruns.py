"""`pytest --hermes-host auto`: reruns a test in the real Hermes if the embedded host does not model what it needs.

Pytest reports each phase of a test from its `CallInfo`. Before pytest makes the report of the first run, `Reruns` tears
the test down, runs it again in a real host, and stores that outcome in the `CallInfo`, so that all other pytest plugins
see a single run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import pytest

from hermes_sdk import contract
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts import default_release
from hermes_sdk.hosts.installed import list_places
from hermes_sdk.hosts.interface import Host, HostKind, NotSupported, Unsupported
from hermes_sdk.hosts.staging import find_real_host, require_host
from hermes_sdk.manifest import Located

RERUN = "hermes_rerun"
"""User property of a test that ran again: the release of the real Hermes."""

REASON = "hermes_rerun_reason"
"""User property of a test that ran again, for each reason."""

_NAME = "hermes-reruns"
_ISOLATION = "It runs in its own process: patches made in the test process, `caplog` and coverage do not reach it."


@dataclass
class _Run:
    """State of a test that runs in the embedded host, and maybe again in a real one.

    Attributes:
        wanted: The requested release, if any.
        release: The release of the embedded host.
        places: Possible paths of the user's own Hermes.
        plugins: The plugins under test.
        hosts: The open embedded hosts.
        reached: Unsupported features that the test used in closed hosts.
        real: The release of the real host to run in; empty if there is none, None if undecided.
        is_repeated: Whether the test is running in the real host.
        is_called: Whether the test function is running.
        is_reported: Whether a failure of a subtest has been reported.
        notes: Titles and texts to add to the first report of a failure.
    """

    wanted: str | None
    release: str
    places: Sequence[Path]
    plugins: Sequence[Located]
    hosts: list[Host] = field(default_factory=list)
    reached: list[Unsupported] = field(default_factory=list)
    real: str | None = None
    is_repeated: bool = False
    is_called: bool = False
    is_reported: bool = False
    notes: list[tuple[str, str]] = field(default_factory=list)

    def list_reached(self, error: BaseException | None) -> list[Unsupported]:
        """List the unsupported features that the test has used, including those in the exception that it raised."""
        found = list(self.reached)
        for host in self.hosts:
            # An invalid pattern of the test fails the test when its host closes.
            with suppress(re.error):
                found += host.unexpected_unsupported()
        return list(dict.fromkeys([*found, *list_refusals(error)]))


_RUN = pytest.StashKey[_Run]()


def choose_host(item: pytest.Item, plugins: Sequence[Located]) -> tuple[HostKind, str]:
    """Return the kind and the release of the host for this run of a test.

    Raises:
        UsageError: The release is unknown, or it needs a real host that is not on this machine.
    """
    option, release = item.config.getoption("--hermes-host"), item.config.getoption("--hermes-release")
    if option != "auto":
        kind = cast("HostKind", option)
        return kind, release or default_release(kind)
    modelled = release or default_release("embedded")
    if not contract.is_modelled(modelled):
        require_host("auto", modelled, plugins)
        return "real", modelled
    reruns = item.config.pluginmanager.get_plugin(_NAME)
    if reruns is None:
        reruns = Reruns(tuple(list_places()))
        item.config.pluginmanager.register(reruns, _NAME)
    run = item.stash.setdefault(_RUN, _Run(release, modelled, reruns.places, plugins))
    return ("real", run.real) if run.is_repeated and run.real else ("embedded", run.release)


@contextmanager
def watch(item: pytest.Item, host: Host) -> Generator[None]:
    """Record the unsupported features that a test uses in a host while the context is open."""
    run = item.stash.get(_RUN, None)
    if run is None or run.is_repeated:
        yield
        return
    run.hosts.append(host)
    try:
        yield
    finally:
        run.hosts.remove(host)
        note(item, host.unexpected_unsupported())


def note(item: pytest.Item, reached: Iterable[Unsupported]) -> None:
    """Record unsupported features of the embedded host that a test used."""
    run = item.stash.get(_RUN, None)
    if run is not None:
        run.reached += reached


def list_refusals(error: BaseException | None) -> list[Unsupported]:
    """List the unsupported features in an exception, its causes and contexts, and the members of its groups."""
    found: list[Unsupported] = []
    pending, seen = [error], set[int]()
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, NotSupported) and one.kind == "embedded":
            found.append(Unsupported(one.action, ""))
        pending += [one.__cause__, one.__context__, *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]
    return found


class Reruns:
    """Pytest plugin that the first test with a host registers.

    Args:
        places: Possible paths of the user's own Hermes. They are found early, because a test has another home.
    """

    def __init__(self, places: Sequence[Path]) -> None:
        self.places = places

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # Runs before other wrappers, so that they see only the final run.
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Run a test again if necessary, before pytest makes its report."""
        run = item.stash.get(_RUN, None)
        if run is None:
            return (yield)
        if run.is_called:  # This is the report of a subtest.
            report = yield
            run.is_reported = run.is_reported or report.failed
            return report
        error = _find_error(item, call)
        reached = run.list_reached(error.value if error else None)
        if reached and run.real is None and (error or call.when == "call"):
            _choose_real_host(run)
        if run.real and not run.is_repeated:
            _describe_first_run(item, error, run, reached)
            _run_again(item, call, run)
            reasons = dict.fromkeys(one.what.removeprefix("model ") for one in reached)
            item.user_properties += [(RERUN, run.real), *((REASON, reason) for reason in reasons)]
        if run.is_repeated:
            _refuse_skip(item, call)
        when = call.when
        report = yield
        if report.failed:
            for title, text in run.notes:
                _add_section(report, title, text)
            run.notes.clear()
        if when == "teardown":
            del item.stash[_RUN]
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Mark reports from within the test function."""
        run = item.stash.get(_RUN, None)
        if run is None:
            return (yield)
        run.is_called = True
        try:
            return (yield)
        finally:
            run.is_called = False

    @pytest.hookimpl(wrapper=True, trylast=True)  # Runs while pytest captures output.
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Tear down the fixtures of all scopes if the end of the session makes a rerun necessary."""
        try:
            return (yield)
        finally:
            run = item.stash.get(_RUN, None)
            if run is not None and run.real is None and run.reached:
                _choose_real_host(run)
                if run.real:
                    cast("Any", item.session)._setupstate.teardown_exact(None)


def _choose_real_host(run: _Run) -> None:
    """Choose the real host for a test, or record the reason why there is none."""
    real = run.release
    try:
        real, missing = find_real_host(run.wanted, run.plugins, run.places)
    except UsageError as error:
        missing = str(error)
    if run.is_reported:
        missing = "its subtests have already failed in the embedded host"
    run.real = "" if missing else real
    if missing:
        name = contract.format_release(real, "real")
        run.notes = [(f"this test did not run in the real Hermes {name}", missing)]


def _find_error(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.ExceptionInfo[BaseException] | None:
    """Return the error of a phase. A `unittest.TestCase` stores its error in the item until the report is made."""
    stored: list[pytest.ExceptionInfo[BaseException]] = getattr(item, "_excinfo", None) or []
    return stored[0] if stored else call.excinfo


def _describe_first_run(
    item: pytest.Item, error: pytest.ExceptionInfo[BaseException] | None, run: _Run, reached: Iterable[Unsupported]
) -> None:
    """Describe the outcome in the embedded host, in case the test fails in the real one too."""
    if error is None:
        outcome = "The test passed."
    elif isinstance(error.value, pytest.skip.Exception):
        outcome = f"The test was skipped: {error.value}"
    else:
        outcome = str(item.repr_failure(error))
    run.notes = [
        (f"the result above is from the real Hermes {contract.format_release(run.real or '', 'real')}", _ISOLATION),
        ("result in the embedded host", "\n".join([outcome, "", *map(str, reached)])),
    ]


def _run_again(item: pytest.Item, call: pytest.CallInfo[None], run: _Run) -> None:
    """Run a test in the real host up to the phase of `call`, and replace the outcome of the phase."""
    when = call.when
    if when != "teardown":
        _run_phase(item, "teardown", nextitem=None)
    run.is_repeated = True
    recorded = list(item.user_properties)
    item.user_properties.clear()
    _reset(item)
    done = _run_phase(item, "setup")
    if when != "setup" and not done.excinfo:
        done = _run_phase(item, "call")
    if when == "teardown":
        ended = _run_phase(item, "teardown", nextitem=None)
        done = done if done.excinfo else ended
    vars(call).update({**vars(done), "when": when})
    again = {name for name, _ in item.user_properties}
    # Keep properties from before the first run, except ours, which describe that run.
    earlier = [(name, value) for name, value in recorded if name not in again and not name.startswith("hermes_")]
    item.user_properties[:0] = earlier


def _refuse_skip(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Fail a test that is skipped in the real host, since it then ran in neither host."""
    from unittest import SkipTest

    error = _find_error(item, call)
    if error and isinstance(error.value, (pytest.skip.Exception, SkipTest)):
        text = f"not supported, and not run: {error.value}"
        vars(item).pop("_excinfo", None)
        call.excinfo = pytest.CallInfo.from_call(lambda: pytest.fail(text, pytrace=False), "call").excinfo


def _reset(item: pytest.Item) -> None:
    """Reset a test: clear captured output and errors, and recreate its request and the instance of its class."""
    vars(item)["_report_sections"].clear()
    vars(item).pop("_excinfo", None)
    if getattr(item, "cls", None) is not None:
        vars(item).pop("_instance", None)
        vars(item).pop("_obj", None)
    if hasattr(item, "_initrequest"):
        cast("Any", item)._initrequest()


def _run_phase(item: pytest.Item, when: Literal["setup", "call", "teardown"], **more: Any) -> pytest.CallInfo[None]:
    hook = getattr(item.ihook, f"pytest_runtest_{when}")
    stops = (pytest.exit.Exception,) if item.config.getoption("usepdb") else (pytest.exit.Exception, KeyboardInterrupt)
    return pytest.CallInfo.from_call(lambda: hook(item=item, **more), when=when, reraise=stops)


def _add_section(report: pytest.TestReport, title: str, text: str) -> None:
    longrepr: Any = report.longrepr
    if hasattr(longrepr, "addsection"):
        longrepr.addsection(title, text)
    else:
        report.longrepr = f"{longrepr}\n----- {title} -----\n{text}"


def summarize(reports: Iterable[Any]) -> list[str]:
    """Summarise the tests that ran in the real Hermes, with reasons, in one line for each release.

    Args:
        reports: Reports of pytest; a test may have several.
    """
    releases: dict[str, set[str]] = {}
    reasons: dict[str, set[str]] = {}
    for report in reports:
        properties = report.user_properties
        for release in (value for name, value in properties if name == RERUN):
            releases.setdefault(release, set()).add(report.nodeid)
            reasons.setdefault(report.nodeid, set()).update(value for name, value in properties if name == REASON)
    lines = []
    for release, tests in releases.items():
        counted = Counter(reason for test in tests for reason in reasons[test])
        listed = ", ".join(f"{reason} ({number})" for reason, number in sorted(counted.items(), key=_sort_by_count))
        number = f"{len(tests)} test{'s' if len(tests) > 1 else ''}"
        real = contract.format_release(release, "real")
        lines.append(f"{number} ran in the real Hermes {real}; the embedded host does not model: {listed}")
    return lines


def _sort_by_count(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]
