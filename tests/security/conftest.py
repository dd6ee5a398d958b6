"""Fixtures for hostile content: a home, and a secret in the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from on_disk import tmp_path
from operate.conftest import home, isolate_environment, ours, repository

__all__ = ["home", "isolate_environment", "ours", "repository", "tmp_path"]


@pytest.fixture
def marker(isolate_environment: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a file to which hostile code would write a secret from the environment."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    return Path.home() / "owned"
