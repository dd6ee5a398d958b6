"""The fixture ``pytester`` of these tests: a run in this process leaves to the next test what it imported."""

from __future__ import annotations

import sys

import pytest


def test_a_run_forgets_the_modules_of_its_project_and_no_others(pytester: pytest.Pytester) -> None:
    sys.modules.pop("this", None)
    pytester.makepyfile(of_project="", test_it="import this, of_project\ndef test_it(): pass")
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    assert "of_project" not in sys.modules
    assert "this" in sys.modules
