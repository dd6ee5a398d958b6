"""Keeps compiled code in the server, so that no child reads it again; each child runs it itself.

It is the code of modules, and of the methods that `dataclasses` writes for classes. A child that read something new
leaves a list of the files in the server's directory, and the server takes it up.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sysconfig
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from . import paths

_LISTS = "read-*.txt"

_read = SourceFileLoader.get_code
_kept: dict[str, CodeType | None] = {}
_new: list[str] = []
_written: dict[str, CodeType] = {}


def install() -> None:
    """Let imports and classes take what is kept."""
    SourceFileLoader.get_code = _get_code  # type: ignore[method-assign, assignment]
    # A name of the module comes before the built-in one.
    module: Any = dataclasses
    module.exec = _execute


def keep(files: Iterable[str]) -> None:
    """Keep the code of modules that do not change."""
    for file in files:
        if file.endswith(".py") and file not in _kept:
            name = Path(file).parent.name if file.endswith("__init__.py") else Path(file).stem
            with contextlib.suppress(OSError, SyntaxError):
                _kept[file] = _read(SourceFileLoader(name, file), name)


def keep_written(texts: Iterable[str]) -> None:
    """Keep the code of methods that `dataclasses` writes."""
    for text in texts:
        _written[text] = compile(text, "<string>", "exec", dont_inherit=True)


def written() -> list[str]:
    """Return the texts that `dataclasses` has written."""
    return list(_written)


def take_up(folder: Path) -> None:
    """Keep what children have listed in a folder."""
    installed = (paths.host_root(), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))
    for one in folder.glob(_LISTS):
        listed = one.read_text(encoding="utf-8", errors="replace").splitlines()
        keep(file for file in listed if file.startswith(installed))
        one.unlink()


def list_new(folder: Path) -> None:
    """List what this child has read since the last time; one that may not write there lists nothing."""
    if _new:
        half = folder / f"half-{os.getpid()}"
        with contextlib.suppress(OSError):
            half.write_text("\n".join(_new), encoding="utf-8")
            half.rename(folder / _LISTS.replace("*", str(os.getpid())))
        _new.clear()


def _get_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
    if loader.path in _kept:
        return _kept[loader.path]
    _new.append(loader.path)
    return _read(loader, fullname)


def _execute(text: str, *namespaces: dict[str, Any]) -> None:
    if text not in _written:
        keep_written([text])
    exec(_written[text], *namespaces)
