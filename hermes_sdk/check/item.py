"""The check as a test: what `pytest --hermes-check` adds to the tests of a project."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.report import text
from hermes_sdk.errors import HermesSdkError


class CheckItem(pytest.Item):
    """One test that runs the check on the plugin of the project, and fails with its report."""

    def runtest(self) -> None:
        """Check the plugin."""
        plugin = self.config.rootpath / str(self.config.getini("hermes_plugin"))
        named = self.config.getoption("--hermes-release")
        # A Hermes that the user has installed may be of a release without a contract.
        release = contract.find_nearest(named) if named and contract.split_location(named)[1] else named
        try:
            result = check(plugin, Options(release=release))
        except HermesSdkError as error:
            pytest.fail(str(error), pytrace=False)
        if not result.passes():
            report = io.StringIO()
            text.write(result, report)
            pytest.fail(report.getvalue(), pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return what pytest calls the test."""
        return self.path, None, self.name
