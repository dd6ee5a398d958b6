"""The fixture ``pytester``: in-process runs keep imported modules for later tests."""

from __future__ import annotations

import sys

import pytest


def test_in_process_run_removes_only_modules_of_its_project(pytester: pytest.Pytester) -> None:
    sys.modules.pop("this", None)
    pytester.makepyfile(of_project="", test_it="import this, of_project\ndef test_it(): pass")
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    assert "of_project" not in sys.modules
    assert "this" in sys.modules
