"""Parsing of identifiers of plugin sources."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operate.tools import Real

from hermes_sdk.errors import UsageError
from hermes_sdk.operate.install import source_of
from hermes_sdk.operate.source import Repository

GITHUB = "https://github.com/owner/repo.git"

# Results of the real installer; `[]` where it rejects the identifier.
REPOSITORIES = {
    "owner/repo": [GITHUB, ""],
    "owner/repo/": [GITHUB, ""],
    "owner//repo/a//b/": [GITHUB, "a/b"],
    "owner/repo.git": ["https://github.com/owner/repo.git.git", ""],
    "https://github.com/owner/repo": ["https://github.com/owner/repo", ""],
    "https://github.com/owner/repo.git/a/b/": [GITHUB, "a/b"],
    "https://github.com/owner/repo/tree/main/a/b": [GITHUB, "a/b"],
    "https://github.com/owner/repo.git/tree/main": [GITHUB, ""],
    "https://github.com/owner/repo/blob/main/plugin.yaml": [GITHUB, ""],
    "https://github.com/owner/repo/issues/3?x#y": [GITHUB, ""],
    "https://github.com/owner/repo/other/3": ["https://github.com/owner/repo/other/3", ""],
    "https://github.com//repo/tree/main/a": ["https://github.com//repo/tree/main/a", ""],
    "https://example.org/x.git#a/b": ["https://example.org/x.git", "a/b"],
    "http://example.org/x#": ["http://example.org/x", ""],
    "git@example.org:owner/x.git/a": ["git@example.org:owner/x.git", "a"],
    "ssh://git@example.org/x#/a/": ["ssh://git@example.org/x", "a"],
    "file:///srv/x.git": ["file:///srv/x.git", ""],
    "ftp://example.org/x": ["https://github.com/ftp:/example.org.git", "x"],
    "word": [],
    "": [],
    "word/": [],
}


@pytest.mark.parametrize("identifier", REPOSITORIES)
def test_identifier_of_repository_is_parsed_or_rejected(identifier: str) -> None:
    if not REPOSITORIES[identifier]:
        with pytest.raises(UsageError, match="Invalid plugin identifier"):
            source_of(identifier)
        return
    found = source_of(identifier)
    assert isinstance(found, Repository)
    assert [found.url, found.subdirectory] == REPOSITORIES[identifier]


RESOLVE = """
import json, sys
from hermes_cli.plugins_cmd import _repo_name_from_url, _resolve_git_url
def resolve(identifier):
    try:
        url, inside = _resolve_git_url(identifier)
    except ValueError:
        return []
    return [url, inside or "", inside.rsplit("/", 1)[-1] if inside else _repo_name_from_url(url)]
print(json.dumps([resolve(identifier) for identifier in json.load(sys.stdin)]))
"""


STARTS = st.sampled_from(["https://github.com/", "https://x.org/", "git@x:", "ssh://", "file://", "http://", "o/"])
WORDS = st.sampled_from(
    ["o", "repo", "tree", "blob", "main", ".git", "a.git", "/", "//", "#", "?", "x", "é", "..", ":"]
)
IDENTIFIERS = st.builds(lambda start, rest: start + "".join(rest), STARTS, st.lists(WORDS, max_size=8))


@pytest.mark.real_host
def test_parsed_identifiers_equal_those_of_the_real_installer(real: Real, tmp_path: Path) -> None:
    drawn: list[str] = []

    @settings(max_examples=300, database=None, derandomize=True)
    @given(IDENTIFIERS)
    def draw(identifier: str) -> None:
        drawn.append(identifier)

    draw()
    identifiers = [*REPOSITORIES, *drawn]
    done = subprocess.run(
        [real.python, "-P", "-c", RESOLVE],
        env=real.variables(tmp_path),
        input=json.dumps(identifiers),
        capture_output=True,
        text=True,
        check=True,
    )
    assert {one: _parse(one) for one in identifiers} == dict(zip(identifiers, json.loads(done.stdout), strict=True))


def _parse(identifier: str) -> list[str]:
    try:
        found = source_of(identifier)
    except UsageError:
        return []
    assert isinstance(found, Repository)
    return [found.url, found.subdirectory, found.name]


@pytest.mark.parametrize("identifier", [".", "./plugin", "../here/plugin", "~/plugin", "/abs", "plugin-1.0.whl"])
def test_path_is_resolved(identifier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / "plugin").mkdir(parents=True)
    (tmp_path / "here" / "plugin-1.0.whl").touch()
    (tmp_path / "user" / "plugin").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    if identifier == "/abs":
        identifier = str(tmp_path / "here")
    found = source_of(identifier)
    assert isinstance(found, Path)
    assert found.is_absolute()
    assert found.exists()


@pytest.mark.parametrize(
    "identifier", ["./missing", "/missing/at/all", "missing.whl", "~nobody-of-that-name/x", "./\0"]
)
def test_invalid_path_is_rejected(identifier: str) -> None:
    with pytest.raises(UsageError):
        source_of(identifier)


def test_ref_in_browser_address_is_ignored_and_reported() -> None:
    found = source_of("https://github.com/owner/repo/tree/v1/a")
    assert isinstance(found, Repository)
    assert found.ignored_ref == "v1"


@given(st.text(max_size=12))
def test_any_text_is_parsed_or_rejected(identifier: str) -> None:
    with contextlib.suppress(UsageError):
        found = source_of(identifier)
        assert isinstance(found, Path) or found.url


@pytest.mark.parametrize(
    ("url", "insecure"), [("https://x/y", False), ("git@x:y", False), ("http://x/y", True), ("file:///y", True)]
)
def test_http_and_file_urls_are_insecure(url: str, insecure: bool) -> None:
    found = source_of(url)
    assert isinstance(found, Repository)
    assert found.is_insecure is insecure
