"""Start times of the package, the command line, and pytest with our plugin installed but unused."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

from bench.measure import Command, Figure, ratios

ROUNDS = 15
SCRIPT = Path(sys.executable).with_name("hermes-sdk")


def figures() -> Iterator[Figure]:
    """Measure every start, relative to a start of Python on this machine."""
    yield from command_line()
    yield pytest_start()


def command_line() -> Iterator[Figure]:
    """Measure the command line, in units of `python -c pass`."""
    limits = {"import hermes_sdk": 1.5, "hermes-sdk --version": 1.25, "hermes-sdk --help": 1.25}
    cases = {
        "import hermes_sdk": Command([sys.executable, "-c", "import hermes_sdk"]),
        "hermes-sdk --version": Command([str(SCRIPT), "--version"]),
        "hermes-sdk --help": Command([str(SCRIPT), "--help"]),
    }
    measured = ratios(Command([sys.executable, "-c", "pass"]), cases, ROUNDS)
    return (Figure(name, measured[name], limit) for name, limit in limits.items())


def pytest_start() -> Figure:
    """Measure one empty test with hermes-sdk and its dependencies installed, relative to pytest alone."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "test_nothing.py").write_text("def test_nothing() -> None:\n    pass\n")
        without, with_ours = (
            Command(
                # -S excludes the development environment, so that only the packages linked into `site` are installed.
                [sys.executable, "-S", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nothing.py"],
                env={"PYTHONPATH": str(_site(scratch / requirement, requirement))},
                cwd=scratch,
            )
            for requirement in ("pytest", "hermes-sdk[test]")
        )
        measured = ratios(without, {"with": with_ours}, ROUNDS)
    return Figure("pytest start, plugin unused", measured["with"], 1.05)


def _site(directory: Path, requirement: str) -> Path:
    """Make a directory with links to an installed requirement and its dependencies."""
    directory.mkdir()
    if requirement.startswith("hermes-sdk"):
        # An editable install does not list its modules.
        for module in ("hermes_sdk", "hermes_sdk_pytest.py"):
            (directory / module).symlink_to(Path(__file__).parents[1] / module)
    for found in _closure(Requirement(requirement)).values():
        for entry in {Path(file.parts[0]) for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            target = directory / entry
            if entry.suffix != ".pth" and not target.exists():
                target.symlink_to(Path(str(found.locate_file(entry))))
    return directory


def _closure(wanted: Requirement, seen: dict[str, Distribution] | None = None) -> dict[str, Distribution]:
    seen = {} if seen is None else seen
    found = distribution(wanted.name)
    if wanted.name not in seen or wanted.extras:
        seen[wanted.name] = found
        for requirement in map(Requirement, found.requires or ()):
            extras = wanted.extras or {""}
            if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
                _closure(requirement, seen)
    return seen
