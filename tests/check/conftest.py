from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.check.rule import Example, Rule, example
from hermes_sdk.contract import api_releases, load, releases


def newest_release(rule: Rule) -> str | None:
    """Return the newest release that a rule concerns, preferably a proven one; None if no flag or release limits it."""
    if not (rule.behaviour or rule.until):
        return None
    return next(release for release in reversed((*api_releases(), *releases())) if rule.concerns(load(release)))


def write_files(directory: Path, files: Example) -> None:
    """Write the files of an example below a directory."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Example], Path]:
    """Write the files of a plugin, and return its directory."""

    def write_example(files: Example) -> Path:
        write_files(tmp_path / "example", files)
        return tmp_path / "example"

    return write_example


@pytest.fixture
def plugin(write: Callable[[Example], Path]) -> Callable[[Example], Path]:
    """Write a plugin that has nothing wrong but what the given files say."""
    return lambda files: write({**example(), **files})
