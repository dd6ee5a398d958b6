"""A user whose home and variables an attack would like to have."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from operate.conftest import home, ours, repository, surroundings

__all__ = ["home", "ours", "repository", "surroundings"]


@pytest.fixture
def tmp_path() -> Generator[Path]:
    """On the disk, where plugins of most users are; the sandbox replaces the shared memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)


@pytest.fixture
def marker(surroundings: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the user's home that exists when code of the content has run, with what it saw of a secret."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    return Path.home() / "owned"
