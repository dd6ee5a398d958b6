"""Homes, repositories and both command lines for tests of `hermes_sdk.operate`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from conftest import RealPython
from operate.tools import RELEASE, Ours, Real

from hermes_sdk.home import Home

Repository = Callable[..., str]

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{f"GIT_{who}_DATE": "2026-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}


@pytest.fixture(autouse=True)
def isolate_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a temporary HOME, and unset the variables of Hermes."""
    (tmp_path / "user").mkdir()
    for name in [name for name in os.environ if re.match("HERMES_(?!SDK_)", name)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return an empty home, which HERMES_HOME names."""
    home = Home(tmp_path / "home")
    home.plugins_dir.mkdir(parents=True)
    monkeypatch.setenv("HERMES_HOME", str(home.path))
    return home


def git(directory: Path, *arguments: str) -> str:
    """Run Git with a fixed author and date, and return its output."""
    done = subprocess.run(
        ["git", *arguments], cwd=directory, env={**os.environ, **GIT}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def write(directory: Path, files: Mapping[str, str]) -> Path:
    """Write files below a directory."""
    for name, text in files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return directory


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a function that creates a repository, or commits to an existing one, and returns its URL."""
    return make_repository(tmp_path)


def make_repository(folder: Path) -> Repository:
    """Return the function of the fixture `repository` for a directory."""

    def make(name: str, files: Mapping[str, str]) -> str:
        directory = folder / "repositories" / name
        if not directory.exists():
            directory.mkdir(parents=True)
            git(directory, "init", "--quiet", "--initial-branch=main")
        write(directory, files)
        git(directory, "add", "--all")
        git(directory, "commit", "--quiet", "--allow-empty", "--message=change")
        return directory.as_uri()

    return make


@pytest.fixture
def ours() -> Ours:
    """Return ``hermes-sdk``, run in this process."""
    return Ours()


@pytest.fixture(scope="session")
def real(real_python: RealPython, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """Yield ``hermes`` 0.19.0; each call runs in its own process."""
    started = Real(real_python(RELEASE), tmp_path_factory.mktemp("real"))
    yield started
    started.stop()
