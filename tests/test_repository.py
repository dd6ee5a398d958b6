"""What the repository promises about itself."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import hermes_sdk

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def tracked(*patterns: str) -> Iterator[Path]:
    """The files that git tracks, or would if they were added, below the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return (path for name in sorted(filter(None, listed.split("\0"))) if (path := ROOT / name).is_file())


def own_imports(path: Path, allowed_level: int) -> Iterator[str]:
    """The modules of ours that a file imports; relative imports of up to `allowed_level` dots stay in its package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = ["hermes_sdk" if node.level > allowed_level else node.module or ""]
        yield from (name for name in names if name.split(".")[0] == "hermes_sdk")


@pytest.fixture(autouse=True, scope="module")
def _in_a_checkout() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")


def test_the_version_is_the_same_everywhere() -> None:
    assert PROJECT["version"] == hermes_sdk.__version__


def test_the_classifiers_match_requires_python() -> None:
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))
    assert PROJECT["requires-python"] == f">=3.{named[0]}"
    assert [int(minor) for minor in named] == list(range(int(named[0]), int(named[-1]) + 1))


def test_ci_runs_every_python_that_the_classifiers_name() -> None:
    workflow = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    for version in re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"])):
        assert f'"{version}"' in workflow


def test_actions_are_pinned_to_a_commit() -> None:
    for workflow in tracked(".github/workflows"):
        for use in re.findall(r"uses: *(.+)", workflow.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", use), f"{workflow.name}: {use}"


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert sorted(re.findall(r"^ +make (\S+)", shown, re.MULTILINE)) == sorted(phony[1].split())


def test_files_stay_short() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in tracked("hermes_sdk/**.py", "hermes_sdk_pytest.py", "templates", "nix", "bench")
        if (lines := path.read_bytes().count(b"\n")) > 400
    }
    assert not long


def test_nothing_is_left_to_do_in_a_comment() -> None:
    marker = re.compile(rb"\b(?:TO" rb"DO|FIX" rb"ME|XX" rb"X)\b")
    marked = [path.relative_to(ROOT).as_posix() for path in tracked() if marker.search(path.read_bytes())]
    assert not marked


def test_every_package_says_what_it_is_for() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in tracked("hermes_sdk/**__init__.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_what_runs_in_the_hosts_own_python_imports_nothing_of_ours() -> None:
    allowed_level = {"hermes_sdk/hosts/real/worker": 1, "hermes_sdk/contract/probe": 1, "hermes_sdk/hosts/guard.py": 0}
    for where, level in allowed_level.items():
        for path in tracked(where):
            if path.suffix == ".py":
                assert not list(own_imports(path, level)), path
