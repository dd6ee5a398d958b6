"""Advice of Hermes to the model about exit statuses of commands."""

from __future__ import annotations

import pytest

from hermes_sdk.hosts.embedded.builtins.terminal import has_advice, has_meaning


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("grep none /dev/null", 1, True),
        ("echo a | A=b grep none", 1, True),
        ("/usr/bin/test 1 = 2", 1, True),
        ("curl example.org", 7, True),
        ("curl example.org", 1, False),
        ("diff a b; false", 1, False),
        ("grep none /dev/null", 2, False),
        ("exit 3", 3, False),
    ],
)
def test_exit_status_is_explained_for_some_programs(command: str, status: int, expected: bool) -> None:
    assert has_meaning(command, status) is expected


@pytest.mark.parametrize("status", [-9, -10, 124, 126, 137, 139])
def test_signals_and_some_statuses_have_advice(status: int) -> None:
    assert has_advice("run", status, "")


@pytest.mark.parametrize("status", [-2, 1, 3, 127, 130, 200])
def test_other_statuses_have_no_advice(status: int) -> None:
    assert not has_advice("run", status, "nothing known")


@pytest.mark.parametrize(
    "output",
    [
        'Unknown JSON field: "colour"',
        "Merging\nCONFLICT (content)",
        "python: command not found",
        "my-tool.sh: command not found",
        "ModuleNotFoundError: No module named 'a.b'",
        "fatal: a branch named 'x' already exists",
        "API rate limit exceeded",
        "open: EACCES",
    ],
)
def test_recognized_failure_has_advice(output: str) -> None:
    assert has_advice("run", 7, output)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo 'Build FAILED' | cat", False),
        ("true; echo 'Build FAILED' | tail -1", True),
        ("A=1 sh -c 'exit 1' || true", True),
        ("sh -c 'exit 1'", False),
    ],
)
def test_success_that_hides_failure_has_advice(command: str, expected: bool) -> None:
    assert has_advice(command, 0, "Build FAILED") is expected
