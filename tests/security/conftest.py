"""A user whose home and variables an attack would like to have."""

from __future__ import annotations

from pathlib import Path

import pytest
from on_disk import tmp_path
from operate.conftest import home, ours, repository, surroundings

__all__ = ["home", "ours", "repository", "surroundings", "tmp_path"]


@pytest.fixture
def marker(surroundings: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the user's home that exists when code of the content has run, with what it saw of a secret."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    return Path.home() / "owned"
