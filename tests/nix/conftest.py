"""Nix for tests: left out honestly where it is missing, obligatory in CI."""

import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from nix.running import Nix, environment


def require_program(program: str) -> None:
    """Leave the test out where a program is missing; in CI on Linux, where `make ci-deps` installs it, fail it."""
    if shutil.which(program):
        return
    if os.environ.get("CI") == "true" and sys.platform == "linux":
        pytest.fail(f"in CI {program} must be there: make ci-deps", pytrace=False)
    pytest.skip(f"no {program} on PATH: make ci-deps installs it")


@pytest.fixture(scope="session")
def nix(tmp_path_factory: pytest.TempPathFactory) -> Generator[Nix]:
    """Nix with a private store, one for each process: two that make one at the same time can meet a busy database."""
    require_program("nix-instantiate")
    root = tmp_path_factory.mktemp("nix")
    yield Nix(environment(root))
    # A store is read-only, and pytest could not remove it later.
    for folder, _, _ in os.walk(root / "store"):
        Path(folder).chmod(0o755)
