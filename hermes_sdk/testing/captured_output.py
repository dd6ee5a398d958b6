"""Output of failed tests: redacted, since CI logs are often public, with a shortened log for programs."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import hermes_sdk
from hermes_sdk import manifest
from hermes_sdk.manifest import Located
from hermes_sdk.terminal import QUIET

if TYPE_CHECKING:
    from hermes_sdk.redaction import Redactor

FULL_LOGS = pytest.StashKey[bool]()
"""Set for a run of pytest whose output is saved instead of shown."""

_NAME = "hermes-captured-output"
_CAPTURED = "Captured log"
_OURS = Path(hermes_sdk.__file__).parent


@dataclass
class _Watched:
    """State of a test with a host.

    Attributes:
        plugins: The plugins under test.
        variables: The variables of their host, in addition to the environment.
        log: Their log; None if the whole log is shown.
        has_failed: Whether a phase of the test has failed.
    """

    plugins: Sequence[Located]
    variables: Mapping[str, str]
    log: PluginLog | None
    has_failed: bool = False

    def make_redactor(self) -> Redactor:
        """Return a redactor for the secrets of the host."""
        from hermes_sdk.redaction import Redactor, list_secrets

        required = [manifest.required_variables(one) for one in self.plugins]
        names = {name for one in required for name, may_be_secret in one.items() if may_be_secret}
        return Redactor(list_secrets({**os.environ, **self.variables}, names))


_WATCHED = pytest.StashKey[_Watched]()


class PluginLog(logging.Handler):
    """Log of the plugins under test: their records, and the warnings about them.

    The embedded host runs no other plugins, so that all its warnings are about them.

    Args:
        plugins: The plugins.
        formatter: The formatter of pytest.
        directories: Factory of directories for full logs.
    """

    def __init__(
        self, plugins: Sequence[Located], formatter: logging.Formatter, directories: pytest.TempPathFactory
    ) -> None:
        super().__init__()
        self.formatter = formatter
        self._projects = [one.project.resolve() for one in plugins]
        self._names = _match_names(plugins)
        self._directories = directories
        self._lines: list[str] = []
        self._reported = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Store a record if it is from or about the plugins."""
        # A record that cannot be formatted fails the test in the handler of pytest.
        with contextlib.suppress(Exception):
            text = self.format(record)
            file = Path(os.path.realpath(record.pathname))  # The home of a host has links to plugins.
            is_own = self._names.search(record.name) or self._is_in_project(file)
            is_about = file.is_relative_to(_OURS) or self._names.search(text)
            if is_own or (is_about and record.levelno >= logging.WARNING):
                self._lines.append(text)

    def _is_in_project(self, file: Path) -> bool:
        return "site-packages" not in file.parts and any(file.is_relative_to(one) for one in self._projects)

    def cut(self, report: pytest.TestReport, when: str, redactor: Redactor) -> None:
        """Replace the captured log in a report with its new lines and the path of a file with the full log."""
        logs = [one for one in report.sections if one[0].startswith(_CAPTURED)]
        new = logs[self._reported :]
        lines = [redactor.text(line) for line in self._lines]
        if new and "\n".join(lines) != "\n".join(text for _, text in new):
            file = self._directories.mktemp("hermes-log") / "full.log"
            file.write_text("".join(f"{title}\n{text}\n" for title, text in logs), encoding="utf-8")
            new = [(f"{_CAPTURED} {when}", "\n".join([*lines, f"full log: {file}"]))]
        report.sections = [one for one in report.sections if one not in logs] + new
        self._reported = len(logs)
        self._lines.clear()


def _match_names(plugins: Sequence[Located]) -> re.Pattern[str]:
    """Return a pattern for the names and modules of plugins; a host writes some of them with underscores."""
    modules = [one.entry_point.value.partition(":")[0].partition(".")[0] for one in plugins if one.entry_point]
    names = {*(one.name for one in plugins), *modules}
    either = ["[-_]".join(map(re.escape, re.split("[-_]", name))) for name in names]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(either)})(?![^\W_])" if either else r"\Z.")


class CapturedOutput:
    """The plugin of pytest that the first test with a host registers."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Redact captured output and failures of our fixtures. Assertions of the test stay unchanged."""
        watched = item.stash.get(_WATCHED, None)
        # For a failed test, pytest also shows what was logged during its teardown.
        if watched is None or (call.excinfo is None and not watched.has_failed):
            return (yield)
        redactor = watched.make_redactor()
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, pytest.fail.Exception) and not error.pytrace:
            redactor.learn(error.msg)
            error.msg = redactor.text(error.msg or "")
        report = yield
        redactor.learn(report.sections)
        report.sections = [(title, redactor.text(text)) for title, text in report.sections]
        watched.has_failed |= report.failed
        if watched.log and watched.has_failed:
            watched.log.cut(report, call.when, redactor)
        return report


@contextlib.contextmanager
def watch_output(
    request: pytest.FixtureRequest, plugins: Sequence[Located], variables: Mapping[str, str]
) -> Generator[None]:
    """Redact the output of a test if it fails, and cut its log to that of the plugins unless a person reads it.

    Args:
        request: The test, which logs while the context is open.
        plugins: The plugins under test.
        variables: The variables of their host, in addition to the environment.
    """
    config = request.config
    if not config.pluginmanager.has_plugin(_NAME):
        config.pluginmanager.register(CapturedOutput(), _NAME)
    capturing: Any = config.pluginmanager.get_plugin("logging-plugin")
    log = None
    if capturing and is_quiet(config):
        directories = cast("pytest.TempPathFactory", request.getfixturevalue("tmp_path_factory"))
        directories.getbasetemp()  # Choose the directory now: while a host is open, temporary files may be elsewhere.
        log = PluginLog(plugins, capturing.formatter, directories)
        logging.getLogger().addHandler(log)
    request.node.stash[_WATCHED] = _Watched(plugins, variables, log)
    try:
        yield
    finally:
        if log:
            logging.getLogger().removeHandler(log)


def is_quiet(config: pytest.Config) -> bool:
    """Return whether a program reads the output, so that logs are shortened; not in CI, where it cannot read files."""
    if FULL_LOGS in config.stash or os.environ.get("CI"):
        return False
    terminal = config.pluginmanager.get_plugin("terminalreporter")  # Workers of pytest-xdist have no reporter.
    is_asked = config.option.verbose < 0 or QUIET in os.environ
    return is_asked or terminal is None or not terminal.isatty
