"""Operations that are killed before any writing system call leave the old or the new state of the home."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from operate.conftest import Repository, write
from operate.tools import state

from hermes_sdk.home import Home
from hermes_sdk.operate.install import install, link, remove, source_of
from hermes_sdk.operate.origins import find_origin
from hermes_sdk.operate.place import workplace
from hermes_sdk.operate.state import disable, enable, enable_installed
from hermes_sdk.operate.updates import update

WRITES = (
    "write,pwrite64,sendfile,copy_file_range,ftruncate,chmod,fchmod,fchmodat,utimensat",
    "fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,symlink,symlinkat,link,linkat",
)
"""System calls that change files, and those that change names; strace counts each call separately."""
KILLED = -9
FILES = {"plugins", "config.yaml", ".env", ".hermes-sdk.lock", ".hermes-sdk-origins.json"}

# Code of each operation for a separate process; `home` is a Home, `source` the argument of the program.
OPERATIONS = {
    "install": "install(home, source_of(source))",
    "replace": "install(home, source_of(source), force=True)",
    "update": "update(home, 'demo')",
    "remove": "remove(home, 'demo')",
    "enable": "enable(home, 'demo', allow_tool_override=True)",
    "disable": "disable(home, 'demo')",
    "set a variable": "home.set_env('DEMO_KEY', 'new')",
    "link": "link(home, Path(source), force=True)",
    "install and enable": "enable_installed(home, install(home, source_of(source)).name)",
}
IMPORTS = """
import sys
from pathlib import Path
from hermes_sdk.home import Home
from hermes_sdk.operate.install import install, link, remove, source_of
from hermes_sdk.operate.updates import update
from hermes_sdk.operate.state import disable, enable, enable_installed
home, source = Home(Path(sys.argv[1])), sys.argv[2]
"""


@pytest.fixture(scope="module", autouse=True)
def strace() -> None:
    """Skip the tests if strace does not work, as outside of Linux and in some containers; fail in CI on Linux."""
    if shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"], check=False).returncode == 0:
        return
    reason = "strace is not installed or not allowed; on Debian: apt-get install strace"
    if os.environ.get("CI") == "true" and sys.platform == "linux":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def source(repository: Repository) -> str:
    """Create a repository; `old` adds a commit to it after installing the plugin."""
    return repository("demo", {"plugin.yaml": "name: demo\n", "__init__.py": "old = 1\n", "a.conf.example": "1"})


@pytest.fixture
def old(home: Home, source: str, repository: Repository) -> Home:
    """Return a home with an older version of the plugin."""
    install(home, source_of(source))
    enable_installed(home, "demo")
    home.set_env("DEMO_KEY", "old")
    repository("demo", {"__init__.py": "new = 1\n", "more/module.py": ""})
    return home


def kill_at_each_write(
    home: Home, source: str, operation: str, *options: str, follow: bool = False
) -> Iterator[tuple[int, Home]]:
    """Run an operation on copies of the home, and kill it before its first, second, … write, until it completes."""
    for calls in WRITES:
        for number in itertools.count(1):
            copy = home.path.with_name(f"killed-{number}")
            shutil.copytree(home.path, copy, symlinks=True)
            trace = ["strace", "-o", os.devnull, *(["-f"] if follow else []), *options]
            inject = ["-e", f"trace={calls}", "-e", f"inject={calls}:signal=KILL:when={number}"]
            program = [sys.executable, "-c", f"{IMPORTS}\n{OPERATIONS[operation]}", str(copy), source]
            done = subprocess.run(
                [*trace, *inject, *program],
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True,
                check=False,
            )
            yield number, Home(copy)
            shutil.rmtree(copy)
            if done.returncode == 0:
                break
            # With `follow`, strace may kill Git instead, which the operation reports as an error.
            assert done.returncode in (KILLED, *([1] if follow else [])), done.stderr


def find_outcome(home: Home, source: str, operation: str) -> dict[str, Any]:
    """Return the state after an operation that is not killed."""
    copy = Home(home.path.with_name("expected"))
    shutil.copytree(home.path, copy.path, symlinks=True)
    names = {"home": copy, "source": source, "Path": Path}
    functions: dict[str, Callable[..., Any]] = {
        each.__name__: each for each in (install, link, remove, source_of, update, disable, enable, enable_installed)
    }
    exec(OPERATIONS[operation], {**names, **functions})
    found = observe(copy)
    shutil.rmtree(copy.path)
    return found


def observe(home: Home) -> dict[str, Any]:
    """Return the state of a home with the recorded commit of its plugin."""
    origin = find_origin(home, home.plugins_dir / "demo")
    return {**state(home.path), "commit": origin and origin.commit}


def assert_old_or_new(home: Home, source: str, operation: str, *options: str, follow: bool = False) -> None:
    """Assert that a killed operation leaves the old or the new state, and that the next process cleans up."""
    allowed = [observe(home), find_outcome(home, source, operation)]
    if operation == "install and enable":
        allowed.insert(1, find_outcome(home, source, "install"))
    reached = set()
    for number, killed in kill_at_each_write(home, source, operation, *options, follow=follow):
        if options:
            with workplace(killed):
                pass
        found = observe(killed)
        assert found in allowed, f"killed before write {number}"
        reached.add(allowed.index(found))
        with workplace(killed):
            pass
        killed.set_env("AFTERWARDS", "1")
        assert {path.name for path in killed.path.iterdir()} <= FILES
    assert reached == set(range(len(allowed)))


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["replace", "update", "remove"])
def test_file_changes_are_atomic(old: Home, source: str, operation: str) -> None:
    assert_old_or_new(old, source, operation)


@pytest.mark.parametrize(
    "operation", ["enable", *(pytest.param(one, marks=pytest.mark.slow) for one in ("disable", "set a variable"))]
)
def test_configuration_changes_are_atomic(old: Home, source: str, operation: str) -> None:
    assert_old_or_new(old, source, operation)


def test_installation_is_atomic(home: Home, tmp_path: Path) -> None:
    source = write(tmp_path / "demo", {"plugin.yaml": "name: demo\n", "__init__.py": "", "a.conf.example": "1"})
    assert_old_or_new(home, str(source), "install and enable")


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["replace", "update"])
def test_changing_a_subdirectory_plugin_is_atomic(home: Home, repository: Repository, operation: str) -> None:
    source = f"{repository('many', {'demo/plugin.yaml': 'name: demo', 'demo/__init__.py': 'old = 1'})}#demo"
    install(home, source_of(source))
    repository("many", {"demo/__init__.py": "new = 1"})
    assert_old_or_new(home, source, operation)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-e", "inject=renameat2:error=EINVAL")])
def test_replacing_a_plugin_with_a_link_is_atomic(old: Home, tmp_path: Path, options: tuple[str, ...]) -> None:
    checkout = write(tmp_path / "checkout", {"plugin.yaml": "name: demo\n"})
    assert_old_or_new(old, str(checkout), "link", *options)


@pytest.mark.slow
def test_replacing_a_link_without_exchange_is_atomic(home: Home, tmp_path: Path) -> None:
    link(home, write(tmp_path / "checkout", {"plugin.yaml": "name: demo\n"}))
    source = write(tmp_path / "demo", {"plugin.yaml": "name: demo\n", "__init__.py": ""})
    assert_old_or_new(home, str(source), "replace", "-e", "inject=renameat2:error=EINVAL")


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["replace", "update"])
def test_operation_is_atomic_when_git_is_killed(old: Home, source: str, operation: str) -> None:
    assert_old_or_new(old, source, operation, follow=True)


@pytest.mark.slow
def test_killed_replacement_without_exchange_is_undone(old: Home, tmp_path: Path) -> None:
    source = write(tmp_path / "demo", {"plugin.yaml": "name: demo\n"})
    assert_old_or_new(old, str(source), "replace", "-e", "inject=renameat2:error=EINVAL")


def test_plugin_that_cannot_be_moved_is_removed_in_place(old: Home) -> None:
    """Simulate a container image in which an earlier layer has the plugin: renaming fails with EXDEV."""
    program = [sys.executable, "-c", f"{IMPORTS}\n{OPERATIONS['remove']}", str(old.path), ""]
    subprocess.run(["strace", "-o", os.devnull, "-e", "inject=renameat:error=EXDEV", *program], check=True)
    assert list(old.plugins_dir.iterdir()) == []
