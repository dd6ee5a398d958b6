from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_sdk.check.rule import Example, Rule, example
from hermes_sdk.contract import api_releases, load, releases


def newest_release(rule: Rule) -> str | None:
    """Return the newest release that a rule applies to, preferably a proven one; None if it applies to all."""
    if not (rule.behaviour or rule.until):
        return None
    return next(release for release in reversed((*api_releases(), *releases())) if rule.concerns(load(release)))


def write_files(directory: Path, files: Example) -> None:
    """Write the files of an example to a directory."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Example], Path]:
    """Return a function that writes the files of a plugin, and returns its directory."""

    def write_example(files: Example) -> Path:
        write_files(tmp_path / "example", files)
        return tmp_path / "example"

    return write_example


@pytest.fixture
def plugin(write: Callable[[Example], Path]) -> Callable[[Example], Path]:
    """Return a function that writes a plugin without findings, with some files replaced."""
    return lambda files: write({**example(), **files})
