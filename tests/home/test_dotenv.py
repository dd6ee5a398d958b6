"""`.env` is read and written as the host does, and other lines are unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.errors import UsageError
from hermes_sdk.home.dotenv import parse_env, set_in_env

NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{0,6}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=20)
LINES = st.lists(st.text(st.sampled_from("AB=#'\" \\\té"), max_size=10), max_size=6)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("A=1", {"A": "1"}),
        ("  A = 1  ", {"A": "1"}),
        ("export A=1", {"A": "1"}),
        ("# A=1", {}),
        ("A", {}),
        ("A=", {"A": ""}),
        ('A="x \\"y\\" \\\\ \\n"', {"A": 'x "y" \\ \\n'}),
        ("A='x \\'", {"A": "x \\"}),
        ("A=x # y", {"A": "x # y"}),
        ("A=1\nA=2", {"A": "2"}),
        ("A=1\r\nB=2\rC=3", {"A": "1", "B": "2", "C": "3"}),
    ],
)
def test_env_file_is_parsed(line: str, expected: dict[str, str]) -> None:
    assert parse_env(line) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "A=new\n"),
        ("B=1", "B=1\nA=new\n"),
        ("# A=\nA=old\nB=1\n", "# A=\nA=new\nB=1\n"),
        ("export A='old'\r\nB=1\r\n", "A=new\r\nB=1\r\n"),
        ("A=first\nA=last", "A=first\nA=new"),
    ],
)
def test_variable_is_set_in_env_file(before: str, after: str) -> None:
    assert set_in_env(before, "A", "new") == after


@given(LINES, NAMES, VALUES)
def test_set_value_is_read_back_and_other_lines_are_kept(lines: list[str], name: str, value: str) -> None:
    before = "\n".join(lines)

    after = set_in_env(before, name, value)

    assert parse_env(after) == {**parse_env(before), name: value}
    kept = [line for line in lines if name not in parse_env(line)]
    assert [line for line in after.split("\n") if name not in parse_env(line) and line] == [
        line for line in kept if line
    ]


@pytest.mark.parametrize(
    ("name", "value"), [("", "x"), ("1A", "x"), ("A B", "x"), ("A=", "x"), ("A", "x\ny"), ("A", "\0")]
)
def test_value_that_dotenv_cannot_represent_is_rejected(name: str, value: str) -> None:
    with pytest.raises(UsageError):
        set_in_env("", name, value)
