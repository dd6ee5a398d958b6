"""The test that `pytest --hermes-check` adds to a project."""

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
    """Test that checks the project's plugin and fails with the report."""

    def runtest(self) -> None:
        """Check the plugin."""
        plugin = self.config.rootpath / str(self.config.getini("hermes_plugin"))
        named = self.config.getoption("--hermes-release")
        # There may be no contract for the release of the user's own Hermes.
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
        """Return the path and the name of the test for pytest's reports."""
        return self.path, None, self.name
