"""Keeps compiled code in the server, so that no child reads it again; each child runs it itself.

It is the code of modules, and of the methods that `dataclasses` writes for classes. A child that read or wrote
something new leaves a list of it in the server's directory, and the server takes it up.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sysconfig
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from . import paths

_LISTS = "read-*.json"

_read = SourceFileLoader.get_code
_kept: dict[str, CodeType | None] = {}
_written: dict[str, CodeType] = {}
_new_files: list[str] = []
_new_texts: list[str] = []


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


def list_written() -> list[str]:
    """Return the texts that `dataclasses` has written."""
    return list(_written)


def take_up(folder: Path) -> None:
    """Keep what children have listed in a folder."""
    installed = (paths.host_root(), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))
    for one in folder.glob(_LISTS):
        files, texts = json.loads(one.read_bytes())
        one.unlink()
        keep(file for file in files if file.startswith(installed))
        keep_written(texts)
    # Children find imported what this process has imported itself.
    _new_files.clear()
    _new_texts.clear()


def list_new(folder: Path) -> None:
    """List what this child has read and written since the last time, unless it may not write there."""
    if _new_files or _new_texts:
        half = folder / f"half-{os.getpid()}"
        with contextlib.suppress(OSError):
            half.write_text(json.dumps([_new_files, _new_texts]), encoding="utf-8")
            half.rename(folder / _LISTS.replace("*", str(os.getpid())))
        _new_files.clear()
        _new_texts.clear()


def _get_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
    if loader.path in _kept:
        return _kept[loader.path]
    _new_files.append(loader.path)
    return _read(loader, fullname)


def _execute(text: str, *namespaces: dict[str, Any]) -> None:
    if text not in _written:
        keep_written([text])
        _new_texts.append(text)
    exec(_written[text], *namespaces)
