"""Output of failed tests, redacted: logs of hosts and the exceptions that they swallowed may end up in public logs."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence

import pytest

from hermes_sdk import manifest
from hermes_sdk.manifest import Located

_NAME = "hermes-captured-output"
_HOST = pytest.StashKey[tuple[Sequence[Located], Mapping[str, str]]]()


class CapturedOutput:
    """The plugin of pytest that the first test with a host registers."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Redact what was captured, and what our fixtures fail with; assertions of the test stay as they are."""
        if call.excinfo is None or _HOST not in item.stash:
            return (yield)
        from hermes_sdk.redaction import Redactor, list_secrets

        plugins, variables = item.stash[_HOST]
        required = [manifest.required_variables(one) for one in plugins]
        names = {name for one in required for name, may_be_secret in one.items() if may_be_secret}
        redactor = Redactor(list_secrets({**os.environ, **variables}, names))
        error = call.excinfo.value
        if isinstance(error, pytest.fail.Exception) and not error.pytrace:
            redactor.learn(error.msg)
            error.msg = redactor.text(error.msg or "")
        report = yield
        redactor.learn(report.sections)
        report.sections = [(title, redactor.text(text)) for title, text in report.sections]
        return report


def redact_output(item: pytest.Item, plugins: Sequence[Located], variables: Mapping[str, str]) -> None:
    """Redact the output of a test if it fails.

    Args:
        plugins: The plugins under test.
        variables: The variables of their host, in addition to the environment.
    """
    item.stash[_HOST] = plugins, variables
    if not item.config.pluginmanager.has_plugin(_NAME):
        item.config.pluginmanager.register(CapturedOutput(), _NAME)
