"""Text output of `compat` in terminals of several widths."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from compat.matrices import make_matrix
from rich.console import Console

from hermes_sdk.compat.outcomes import Matrix
from hermes_sdk.compat.report.text import write, write_table

VERDICTS = {
    "0.19.0": "fails",
    "0.20.2": "passes",
    "0.20.6": "passes",
    "0.22.2": "lacks",
    "real:0.22.2": "passes",
    "real:0.20.2": "broken",
}


def print_matrix(matrix: Matrix, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    write([[matrix]], console)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_each_release_is_on_one_line_with_its_notes_below(width: int) -> None:
    lines = print_matrix(make_matrix(VERDICTS), width)
    assert max(map(len, lines)) <= width
    rows = [line.split(maxsplit=1) for line in lines if line.startswith(" 0.")]
    assert [release for release, _ in rows] == [name.removeprefix("real:") for name in VERDICTS]
    first, second, measured, lacking, real, broken = (" ".join(rest.split()) for _, rest in rows)
    host = " embedded" if width > 60 else ""
    tests = " 1 passed, 1 failed" if width > 80 else ""
    assert first == f"proven{host} ✗ loads · 1 test fails{tests}"
    assert second.startswith(f"proven on a fork{host} ✓ passes")
    assert measured.startswith("measured 1271/1278")
    assert lacking.startswith(f"proven on a fork{host} ◐ lacks")
    assert real.startswith("proven on a fork real 3.11 ✓" if width > 60 else "proven on a fork ✓")
    assert "✗ does not load" in broken
    below = {lines[number].split()[0]: lines[number + 1].strip() for number, line in enumerate(lines[:-1]) if line}
    assert below["0.19.0"] == ("1 passed, 1 failed; " if width < 100 else "") + "tests/test_it.py::test_it"
    assert below["0.20.2"] == ("real 3.11; " if width == 60 else "") + "no <register>"


def test_host_is_in_the_notes_if_it_has_no_column() -> None:
    lines = print_matrix(make_matrix(VERDICTS), 60)
    assert [line.strip() for line in lines].count("real 3.11") == 1


@pytest.mark.parametrize("width", [80, 100])
def test_path_of_the_users_hermes_is_below_its_row(width: int) -> None:
    place = "/home/someone/with/a/long/name/.local/bin/hermes"
    lines = print_matrix(make_matrix({"0.19.0": "passes", f"real:0.22.2.post1@{place}": "passes"}), width)
    row = next(number for number, line in enumerate(lines) if line.startswith(" 0.22.2.post1 (yours)"))
    assert "✓ passes" in lines[row]
    below = "".join(line.strip() for line in lines[row + 1 :])
    assert "Hermes 0.22.2.post1(nearest known: 0.22.2)" in below.replace(" (", "(")
    assert place in below


def test_long_notes_wrap_below_their_release() -> None:
    matrix = make_matrix({"0.19.0": "broken"})
    error = "ImportError: " + "no module named tides " * 8
    matrix = replace(matrix, outcomes=tuple(replace(one, error=error) for one in matrix.outcomes))
    lines = print_matrix(matrix, 60)
    notes = [line for line in lines if "tides" in line]
    assert len(notes) > 2
    assert all(line.startswith(" " * 11) and len(line) <= 60 for line in notes)


def test_workspace_table_fits_a_narrow_terminal_and_lists_problems_below() -> None:
    console = Console(file=io.StringIO(), width=60, highlight=False, markup=False)
    write_table(
        [[make_matrix({"0.19.0": "fails"}, requires=">=0.19.0")], [make_matrix({"0.19.0": "passes"}, plugin="tides")]],
        console,
    )
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert [line.split()[0] for line in lines if line.rstrip().endswith((" —", " 0.19.0"))] == ["mine", "tides"]
    assert "mine: embedded:0.19.0: tests/test_it.py::test_it" in lines
