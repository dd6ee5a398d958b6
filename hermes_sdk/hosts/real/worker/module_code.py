"""Cache of compiled code in the server, so that children do not read it again; each child still executes it.

The cache contains the code of modules and of the methods that `dataclasses` generates. Children list additional code in
the server's directory, and the server adds it to the cache.
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
    """Make imports and `dataclasses` use the cache."""
    SourceFileLoader.get_code = _get_code  # type: ignore[method-assign, assignment]
    # A global of the module takes precedence over the built-in function.
    module: Any = dataclasses
    module.exec = _execute


def keep(files: Iterable[str]) -> None:
    """Cache the code of modules, if they do not change."""
    for file in files:
        if file.endswith(".py") and file not in _kept:
            name = Path(file).parent.name if file.endswith("__init__.py") else Path(file).stem
            with contextlib.suppress(OSError, SyntaxError):
                _kept[file] = _read(SourceFileLoader(name, file), name)


def keep_written(texts: Iterable[str]) -> None:
    """Cache the code of methods that `dataclasses` generates."""
    for text in texts:
        _written[text] = compile(text, "<string>", "exec", dont_inherit=True)


def list_written() -> list[str]:
    """Return the source code that `dataclasses` has generated."""
    return list(_written)


def take_up(folder: Path) -> None:
    """Cache the code that children have listed in a directory."""
    installed = (paths.host_root(), sysconfig.get_path("purelib"), sysconfig.get_path("stdlib"))
    for one in folder.glob(_LISTS):
        files, texts = json.loads(one.read_bytes())
        one.unlink()
        keep(file for file in files if file.startswith(installed))
        keep_written(texts)
    # Children do not need the code of modules that this process has imported.
    _new_files.clear()
    _new_texts.clear()


def list_new(folder: Path) -> None:
    """List the modules and generated code of this child since the last call, if it can write to the directory."""
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
