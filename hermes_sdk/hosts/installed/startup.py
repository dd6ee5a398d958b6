"""Startup code of the environments of `borrowing`: block writes to the borrowed Hermes, and reads of its secrets.

It runs in the Python of the installed Hermes, so it uses only the standard library.
"""

# The audit hook receives paths as text and runs for every opened file, so it uses strings, which are faster than
# `pathlib`.
# ruff: noqa: PTH100, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import errno
import importlib.util
import json
import os
import site
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from _hermes_sdk_after_import import AfterImport  # type: ignore[import-not-found] # pyright: ignore

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CHANGED = {
    **dict.fromkeys(("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime"), (0,)),
    **dict.fromkeys(("os.link", "os.symlink"), (1,)),
    "os.rename": (0, 1),
    # `shutil.rmtree` removes files relative to directory descriptors, so its other events have no full paths.
    "shutil.rmtree": (0,),
}
"""Audit events of changes to files, with the indexes of the paths among their arguments."""


class _Guard:
    """Audit hook that raises an error on a change to a protected directory, or a read of secrets next to the code.

    Args:
        protected: The directories that must not change.
        code: The directory with the code.
    """

    def __init__(self, protected: Sequence[str], code: str) -> None:
        self._protected = tuple(f"{os.path.realpath(one)}/" for one in protected)
        self._code = os.path.realpath(code)

    def __call__(self, event: str, arguments: Sequence[Any]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, (str, bytes)):
                if flags & _WRITING:
                    self._refuse_change(path)
                elif _is_secret(os.path.basename(os.fsdecode(path))):
                    self._refuse_secret(path)
        elif event in _CHANGED:
            for place in _CHANGED[event]:
                if not isinstance(arguments[place], int):
                    self._refuse_change(arguments[place])

    def _refuse_change(self, path: Any) -> None:
        # Resolve only the directory: if the last part is a link, the change replaces the link, not its target.
        folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
        if f"{os.path.realpath(folder)}/{name}/".startswith(self._protected):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    def _refuse_secret(self, path: Any) -> None:
        if os.path.dirname(os.path.realpath(path)) == self._code:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def _is_secret(name: str) -> bool:
    return name.startswith(".env") or name == "cli-config.yaml"


class _Code:
    """Finder of modules in a directory that does not list it, since a sandbox may forbid that."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: Any = None, _: Any = None) -> ModuleSpec | None:
        """Find a top-level module; see `importlib.abc.MetaPathFinder`."""
        if path is None and "." not in name:
            base = f"{self._folder}/{name}"
            if os.path.isfile(f"{base}/__init__.py"):
                return importlib.util.spec_from_file_location(name, f"{base}/__init__.py")
            if os.path.isfile(f"{base}.py"):
                return importlib.util.spec_from_file_location(name, f"{base}.py")
        return None


def _ignore_env_file(module: Any) -> None:
    """Make Hermes load only the ``.env`` of its home, and not the one next to its code."""
    load = module.load_hermes_dotenv

    def load_of_home(**arguments: Any) -> Any:
        return load(**{**arguments, "project_env": None})

    module.load_hermes_dotenv = load_of_home


def _start() -> None:
    with open(os.path.join(os.path.dirname(__file__), "_hermes_sdk_host.json"), encoding="utf-8") as file:
        host = json.load(file)
    sys.dont_write_bytecode = True
    # Set the prefix before `sysconfig` reads it; otherwise, Hermes finds the packages of our environment as plugins.
    sys.prefix = host["prefix"]
    for folder in host["sites"]:
        site.addsitedir(folder)
    sys.path += [path for path in host["path"] if path not in sys.path]
    if host["code"] not in host["sites"]:
        sys.path.insert(0, host["code"])
        place = next((n for n, one in enumerate(sys.meta_path) if one is PathFinder), len(sys.meta_path))
        sys.meta_path.insert(place, _Code(host["code"]))
    sys.meta_path.insert(0, AfterImport({"hermes_cli.env_loader": _ignore_env_file}))
    sys.addaudithook(_Guard(host["kept"], host["code"]))


_start()
