"""Nix for tests, which are skipped without it, but fail in CI."""

import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from nix.running import Nix, environment


def require_program(program: str) -> None:
    """Skip the test if a program is missing; fail it in CI on Linux, where `make ci-deps` installs it."""
    if shutil.which(program):
        return
    if os.environ.get("CI") == "true" and sys.platform == "linux":
        pytest.fail(f"in CI {program} must be there: make ci-deps", pytrace=False)
    pytest.skip(f"no {program} on PATH: make ci-deps installs it")


@pytest.fixture(scope="session")
def nix(tmp_path_factory: pytest.TempPathFactory) -> Generator[Nix]:
    """Yield Nix with a private store for each process, because a store cannot be created twice at the same time."""
    require_program("nix-instantiate")
    root = tmp_path_factory.mktemp("nix")
    yield Nix(environment(root))
    # Files in a store are read-only, and pytest could not remove them.
    for folder, _, _ in os.walk(root / "store"):
        Path(folder).chmod(0o755)
