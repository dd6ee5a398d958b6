"""A `tmp_path` on the disk, because the sandbox replaces `/dev/shm`, which other tests use."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Generator[Path]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)
