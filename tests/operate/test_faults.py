"""Killed before any system call that writes, an operation leaves the old state of the home or the new one."""

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
"""What changes files, and what changes names; strace counts each of the calls for itself."""
KILLED = -9
FILES = {"plugins", "config.yaml", ".env", ".hermes-sdk.lock", ".hermes-sdk-origins.json"}

# What each operation does in a process of its own; `home` is a Home, `source` the argument of the program.
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
    """strace: for Linux only, obligatory in CI, and not allowed in some containers."""
    if shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"], check=False).returncode == 0:
        return
    reason = "strace is not installed or not allowed; on Debian: apt-get install strace"
    if os.environ.get("CI") == "true" and sys.platform == "linux":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def source(repository: Repository) -> str:
    """A repository with one commit more than what is installed in `old`."""
    return repository("demo", {"plugin.yaml": "name: demo\n", "__init__.py": "old = 1\n", "a.conf.example": "1"})


@pytest.fixture
def old(home: Home, source: str, repository: Repository) -> Home:
    """A home with an older version of the plugin."""
    install(home, source_of(source))
    enable_installed(home, "demo")
    home.set_env("DEMO_KEY", "old")
    repository("demo", {"__init__.py": "new = 1\n", "more/module.py": ""})
    return home


def killed_states(
    home: Home, source: str, operation: str, *options: str, follow: bool = False
) -> Iterator[tuple[int, Home]]:
    """Run an operation on copies of a home, killed before the first, the second, ... write, until it ends by itself."""
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
            # With `follow` a git may have been killed, which is an error of the operation.
            assert done.returncode in (KILLED, *([1] if follow else [])), done.stderr


def find_outcome(home: Home, source: str, operation: str) -> dict[str, Any]:
    """The state that an operation leaves when nothing is in its way."""
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
    """The state of a home, with the commit that its plugin is recorded to come from."""
    origin = find_origin(home, home.plugins_dir / "demo")
    return {**state(home.path), "commit": origin and origin.commit}


def assert_old_or_new(home: Home, source: str, operation: str, *options: str, follow: bool = False) -> None:
    """Kill an operation everywhere: the state is one of the two, and the next process clears away what else is left."""
    allowed = [observe(home), find_outcome(home, source, operation)]
    if operation == "install and enable":
        allowed.insert(1, find_outcome(home, source, "install"))
    reached = set()
    for number, killed in killed_states(home, source, operation, *options, follow=follow):
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
def test_killed_while_files_change(old: Home, source: str, operation: str) -> None:
    assert_old_or_new(old, source, operation)


@pytest.mark.parametrize(
    "operation", ["enable", *(pytest.param(one, marks=pytest.mark.slow) for one in ("disable", "set a variable"))]
)
def test_killed_while_the_configuration_changes(old: Home, source: str, operation: str) -> None:
    assert_old_or_new(old, source, operation)


def test_killed_while_a_new_plugin_comes(home: Home, tmp_path: Path) -> None:
    source = write(tmp_path / "demo", {"plugin.yaml": "name: demo\n", "__init__.py": "", "a.conf.example": "1"})
    assert_old_or_new(home, str(source), "install and enable")


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["replace", "update"])
def test_killed_while_a_plugin_of_a_subdirectory_changes(home: Home, repository: Repository, operation: str) -> None:
    source = f"{repository('many', {'demo/plugin.yaml': 'name: demo', 'demo/__init__.py': 'old = 1'})}#demo"
    install(home, source_of(source))
    repository("many", {"demo/__init__.py": "new = 1"})
    assert_old_or_new(home, source, operation)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-e", "inject=renameat2:error=EINVAL")])
def test_killed_while_a_link_replaces_a_plugin(old: Home, tmp_path: Path, options: tuple[str, ...]) -> None:
    checkout = write(tmp_path / "checkout", {"plugin.yaml": "name: demo\n"})
    assert_old_or_new(old, str(checkout), "link", *options)


@pytest.mark.slow
def test_killed_while_a_plugin_replaces_a_link_where_they_cannot_be_exchanged(home: Home, tmp_path: Path) -> None:
    link(home, write(tmp_path / "checkout", {"plugin.yaml": "name: demo\n"}))
    source = write(tmp_path / "demo", {"plugin.yaml": "name: demo\n", "__init__.py": ""})
    assert_old_or_new(home, str(source), "replace", "-e", "inject=renameat2:error=EINVAL")


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["replace", "update"])
def test_killed_with_git(old: Home, source: str, operation: str) -> None:
    assert_old_or_new(old, source, operation, follow=True)


@pytest.mark.slow
def test_where_trees_cannot_be_exchanged_the_next_process_undoes_half_a_replacement(old: Home, tmp_path: Path) -> None:
    source = write(tmp_path / "demo", {"plugin.yaml": "name: demo\n"})
    assert_old_or_new(old, str(source), "replace", "-e", "inject=renameat2:error=EINVAL")


def test_where_trees_cannot_be_moved_they_are_removed_in_place(old: Home) -> None:
    """As in the build of a container image, when the plugin came with an earlier layer."""
    program = [sys.executable, "-c", f"{IMPORTS}\n{OPERATIONS['remove']}", str(old.path), ""]
    subprocess.run(["strace", "-o", os.devnull, "-e", "inject=renameat:error=EXDEV", *program], check=True)
    assert list(old.plugins_dir.iterdir()) == []
