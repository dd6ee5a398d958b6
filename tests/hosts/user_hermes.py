"""Installations of Hermes as users have them, built from links to an existing environment."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

RELEASE = "0.22.2"
COPIED = ("hermes_cli", "gateway")
"""Packages that search for files next to the real path of their code, so links do not work."""


class UserHermes:
    """A user's home with a checkout of Hermes, ``~/.hermes/hermes-agent``, and an environment with its packages.

    Args:
        home: The home to create.
        python: The interpreter of an environment with Hermes.
    """

    def __init__(self, home: Path, python: Path) -> None:
        self.home, self.source = home, python
        self.checkout = home / ".hermes" / "hermes-agent"
        self.checkout.mkdir(parents=True)
        (packages,) = python.parent.parent.glob("lib/python*/site-packages")
        names = next(packages.glob("hermes_agent*.dist-info/top_level.txt")).read_text().split()
        for name in names:
            self._place(packages, name)
        (self.checkout / "__pycache__").symlink_to(packages / "__pycache__")
        self.packages = {one for one in packages.iterdir() if one.name.partition(".py")[0] not in names}

    def _place(self, packages: Path, name: str) -> None:
        for code in (packages / name, packages / f"{name}.py"):
            if name in COPIED:
                shutil.copytree(code, self.checkout / name, symlinks=True)
                return
            if code.is_dir():
                (self.checkout / name).symlink_to(code)
            elif code.is_file():
                shutil.copy2(code, self.checkout / code.name)

    def make_environment(self, folder: Path, *, with_metadata: bool = True) -> Path:
        """Create an environment with the packages that Hermes requires, and return its Python."""
        settings = (self.source.parent.parent / "pyvenv.cfg").read_text()
        version = self.source.resolve().name
        site = folder / "lib" / version / "site-packages"
        site.mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / "pyvenv.cfg").write_text(settings)
        for name in ("python", "python3"):
            (folder / "bin" / name).symlink_to(self.source.resolve())
        for one in self.packages:
            if with_metadata or not one.name.startswith("hermes_agent"):
                (site / one.name).symlink_to(one)
        return folder / "bin" / "python"

    def make_editable(self) -> Path:
        """Create ``venv`` in the checkout, as the installer of earlier releases does, and return its Python."""
        python = self.make_environment(self.checkout / "venv")
        site = next(python.parent.parent.glob("lib/*/site-packages"))
        (site / "hermes.pth").write_text(f"{self.checkout}\n")
        return python

    def make_managed(self, release: str) -> Path:
        """Create the environment as the package manager of Hermes does, and return the Python in its store."""
        (self.checkout / "pyproject.toml").write_text(f'[project]\nname = "hermes-agent"\nversion = "{release}"\n')
        key = hashlib.sha256(str(self.checkout.resolve()).encode()).hexdigest()[:16]
        state = self.home / ".hermes" / "installs" / key
        self.make_environment(state / "environments" / "1", with_metadata=False)
        facts = {"packages": {"venv": {"environment": str(state / "environments" / "1")}}}
        (state / "facts.json").write_text(json.dumps(facts))
        (state / "inputs").mkdir()
        (state / "inputs" / ".project-root").write_text(str(self.checkout))
        store = self.home / ".hermes" / "tools" / "python" / "bin" / "python3"
        store.parent.mkdir(parents=True)
        store.symlink_to(self.source.resolve())
        return store

    def write(self, path: str, text: str) -> Path:
        """Write a program into the home, and return its path."""
        program = self.home / path
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
        return program

    def list_files(self) -> dict[str, tuple[int, int, int]]:
        """Return mode, size and modification time of all files in the home and in the linked environment."""
        found = {}
        for top in (self.home, self.source.parent.parent):
            for path in _walk(top):
                status = path.lstat()
                found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns)
        return found


def _walk(top: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(top):
        yield from (Path(folder, name) for name in ("", *names, *files))


PIP = """#!{python}
import sys
from hermes_cli.main import main
sys.exit(main())
"""
LONG = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
from hermes_cli.main import main
"""
WRAPPER = """#!/bin/bash
set -eu
ROOT="$HOME/.hermes/hermes-agent"
unset PYTHONPATH PYTHONHOME
exec "$ROOT/venv/bin/python" -I -m hermes_cli.main "$@"
"""
BESIDE = """#!/bin/sh
DIR="$(cd "$(dirname "$0")" && pwd)"
exec "$DIR/venv/bin/python" -I -m hermes_cli.main "$@"
"""
MANAGED = """#!/bin/sh
exec '{python}' -I -c 'import os, sys
os.environ.pop('"'"'PYTHONPATH'"'"', None)
sys.path.insert(0, '"'"'{checkout}'"'"')
import hermes_bootstrap' "$@"
"""


def make_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a user's home, and a project as the current directory."""
    home, project = folder / "home", folder / "project"
    for one in (home / ".local" / "bin", project / ".git"):
        one.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/.local/bin:/usr/bin:/bin")
    monkeypatch.chdir(project)
    return home


def start_by_pip(user: UserHermes) -> Path:
    return user.write(".local/bin/hermes", PIP.format(python=user.make_editable()))


def start_by_long_line(user: UserHermes) -> Path:
    return user.write(".local/bin/hermes", LONG.format(python=user.make_editable()))


def start_by_wrapper(user: UserHermes) -> Path:
    user.make_editable()
    return user.write(".local/bin/hermes", WRAPPER)


def start_beside(user: UserHermes) -> Path:
    user.make_editable()
    program = user.write(".hermes/hermes-agent/hermes", BESIDE)
    (user.home / ".local" / "bin" / "hermes").symlink_to(program)
    return user.home / ".local" / "bin" / "hermes"


def start_managed(user: UserHermes) -> Path:
    store = user.make_managed(RELEASE)
    return user.write(".local/bin/hermes", MANAGED.format(python=store, checkout=user.checkout))


def start_from_pipx(user: UserHermes) -> Path:
    python = user.make_environment(user.home / ".local/share/pipx/venvs/hermes-agent")
    next(python.parent.parent.glob("lib/*/site-packages")).joinpath("hermes.pth").write_text(f"{user.checkout}\n")
    program = user.write(".local/share/pipx/venvs/hermes-agent/bin/hermes", PIP.format(python=python))
    (user.home / ".local" / "bin" / "hermes").symlink_to(program)
    return user.home / ".local" / "bin" / "hermes"


def name_program_differently(user: UserHermes) -> Path:
    return user.write("programs/my-agent", PIP.format(python=user.make_editable()))


def name_python(user: UserHermes) -> Path:
    return user.make_editable()


def name_linked_environment(user: UserHermes) -> Path:
    user.make_editable()
    (user.home / "environment").symlink_to(user.checkout / "venv")
    return user.home / "environment"


def name_checkout(user: UserHermes) -> Path:
    user.make_editable()
    return user.checkout


def name_managed_checkout(user: UserHermes) -> Path:
    user.make_managed(RELEASE)
    return user.checkout
