"""The first pages work for a reader who follows only their instructions."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from docs.blocks import ROOT
from docs.running import NETWORK, Page, follow
from publication import add, build, install, run

NAMES = ["README", *(f"docs/how-to/{name}" for name in ("create-a-plugin", "migrate-fakes", "test-a-turn"))]
PAGES = [ROOT / f"{name}.md" for name in NAMES]
TUTORIAL = ROOT / "docs/tutorial/first-plugin.md"
FIRST_PAGES = [*PAGES, TUTORIAL]
TOOLS = ["hatchling", "mypy", "ruff"]
"""Additional packages that the tutorial installs."""

SYSTEM = [folder for folder in ("/usr/local/bin", "/usr/bin", "/bin") if not Path(folder, "uv").exists()]


class Newcomer(Page):
    """Reader with the default configuration of Git, without uv, and with an empty cache.

    Args:
        directory: An empty directory.
        folder: Directory of the environment with hermes-sdk, and of the cache.
        slow: Whether to run blocks that need a network.
    """

    def __init__(self, directory: Path, folder: Path, *, slow: bool = False) -> None:
        self.folder = folder
        super().__init__(directory, slow=slow)

    def environment(self) -> dict[str, str]:
        """Return the environment variables of a shell with the virtual environment activated."""
        return {
            "PATH": os.pathsep.join([str(self.folder / "environment/bin"), *SYSTEM]),
            "HOME": str(self.home),
            "HERMES_SDK_CACHE": str(self.folder / "cache"),
            "LANG": "C.UTF-8",
            "COLUMNS": "120",
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
            **(NETWORK if self.slow else {"PIP_NO_INDEX": "1"}),
        }


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an environment with the wheel and its extra `test`, and return its parent directory."""
    made = tmp_path_factory.mktemp("newcomer")
    try:
        install(build(ROOT, made / "dist", "--wheel"), made / "environment", "[test]")
    except AssertionError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no environment without a network: {error}")
    return made


def read(page: Path, folder: Path, directory: Path, *, slow: bool = False) -> None:
    """Follow a page in a new directory."""
    place = directory / page.stem
    place.mkdir()
    follow(page, Newcomer(place, folder, slow=slow))


# Use a single test, because creating the environment is slow.
def test_first_pages_work_in_an_empty_environment(folder: Path, tmp_path: Path) -> None:
    reader = Newcomer(tmp_path, folder)
    assert shutil.which("git", path=reader.environment()["PATH"])
    assert not shutil.which("uv", path=reader.environment()["PATH"])
    assert reader.command("git config --list --show-scope | grep global")[0] == 1
    for page in PAGES:
        read(page, folder, tmp_path)
    assert reader.command(f"python -c 'import {TOOLS[0]}'")[0] == 1, "the pages before the tutorial name no tools"
    add(folder / "environment", *TOOLS)
    read(TUTORIAL, folder, tmp_path)


@pytest.mark.slow
def test_first_pages_work_with_a_network(tmp_path: Path) -> None:
    """Follow the pages that download packages and a real host."""
    python = str(tmp_path / "environment/bin/python")
    run(sys.executable, "-m", "venv", str(tmp_path / "environment"), cwd=tmp_path)
    run(python, "-m", "pip", "install", f"{build(ROOT, tmp_path / 'dist', '--wheel')}[test]", cwd=tmp_path)
    for page in FIRST_PAGES:
        read(page, tmp_path, tmp_path, slow=True)
