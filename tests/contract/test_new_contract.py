"""The script of the daily workflow that checks for new upstream releases."""

from __future__ import annotations

import runpy
import subprocess
import tomllib
from pathlib import Path

import pytest

from hermes_sdk.contract.sources import find_source, find_version

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / ".ci/new_contract.py"))
SOURCES = (ROOT / "hermes_sdk/contract/sources.toml").read_text(encoding="utf-8")


def git(folder: Path, *arguments: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "tag.gpgSign=false"]
    subprocess.run(["git", "-C", str(folder), *own, *arguments], check=True, capture_output=True)


def test_newest_release_has_the_highest_tag(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--allow-empty", "-m", "first")
    for tag in ("v2026.9.21", "v0.22.10", "v0.22.9", "v0.23.0-rc1", "0.24.0", "v0.9.0"):
        git(tmp_path, "tag", "-a", tag, "-m", tag)
    assert SCRIPT["find_newest"](str(tmp_path)) == "0.22.10"


def test_new_release_gets_its_tag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SCRIPT["add_source"](SOURCES, "0.24.0")
    before, after = tomllib.loads(SOURCES), tomllib.loads(text)
    assert after == {
        **before,
        "tag": {**before["tag"], "0.24.0": "v0.24.0"},
    }
    assert SCRIPT["add_source"](text, "0.24.0") == text
    (tmp_path / "sources.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(tmp_path / "sources.toml"))
    source = find_source("0.24.0")
    assert source is not None
    assert (source.address, source.revision) == (before["repository"]["address"], "v0.24.0")


def test_redistribution_version_maps_to_its_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sources.toml").write_text('[requirement]\n"0.20.2" = "hermes-agent-other==0.20.4.post1"\n')
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(tmp_path / "sources.toml"))
    assert find_version("0.20.4.post1") == "0.20.2"
    assert find_version("0.20.4") is None
