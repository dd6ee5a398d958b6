"""Prepares the fork server for children that call tools or run an agent, by doing their common work once.

`model_tools` itself cannot be imported ahead: it must come after the plugins, and it reads the home. So a scout, a fork
that ends at once, imports it and reports what the import did.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import socket
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from ...in_worker.network_guard import LoopbackOnly
from . import paths

# Libraries that tools use, and that the agent uses. `child.become` resets what they read from their surroundings.
_LIBRARIES = {
    "tools": ("requests", "websockets.sync.client", "httpcore"),
    "agent": ("openai.resources.chat",),
}


def preload(what: str, notes: Path) -> None:
    """Do the common work of children ahead.

    Args:
        what: ``tools``: import the libraries, read the code of the host's modules, compile its patterns, and know which
            files have tools. ``agent``: import what the agent needs besides.
        notes: The file that keeps the scout's report; made when it does not exist.
    """
    for name in _LIBRARIES[what]:
        _import(name)
    if what != "tools":
        return
    seen = _load_notes(notes)
    hosts = paths.host_names()
    for name in seen["modules"]:
        if name.partition(".")[0] not in hosts:
            _import(name)
    _keep_code([Path(file) for file in seen["files"]])
    for pattern, flags in seen["patterns"]:
        re.compile(pattern, flags)
    registers = seen["registers"]
    registry: Any = importlib.import_module("tools.registry")
    look = registry._module_registers_tools

    def known(path: Path) -> Any:
        return registers[str(path)] if str(path) in registers else look(path)

    registry._module_registers_tools = known


def _import(name: str) -> None:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


def _load_notes(notes: Path) -> dict[str, Any]:
    """Return what the import of `model_tools` does; empty when it fails, as it then does in every child."""
    with contextlib.suppress(OSError, ValueError):
        return dict(json.loads(notes.read_bytes()))
    text = _run_scout()
    if not text:
        return {"modules": [], "files": [], "patterns": [], "registers": {}}
    with contextlib.suppress(OSError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        half = notes.with_name(f".{notes.name}.{os.getpid()}")
        half.write_bytes(text)
        half.replace(notes)
    return dict(json.loads(text))


def _run_scout() -> bytes:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            pid = os.fork()
            if not pid:
                with contextlib.suppress(BaseException):
                    LoopbackOnly().install()
                    theirs.sendall(json.dumps(_scout()).encode())
                os._exit(0)
        with ours.makefile("rb") as answer:
            text = answer.read()
    os.waitpid(pid, 0)
    return text


def _scout() -> dict[str, Any]:
    before = set(sys.modules)
    registry: Any = importlib.import_module("tools.registry")
    look, registers = registry._module_registers_tools, dict[str, bool]()

    def note(path: Path) -> bool:
        registers[str(path)] = look(path)
        return registers[str(path)]

    registry._module_registers_tools = note
    importlib.import_module("model_tools")
    new = [name for name in sys.modules if name not in before]
    files = [getattr(sys.modules[name], "__file__", None) for name in new]
    # A private name: without it, every child compiles its patterns itself.
    patterns = [(text, flags) for kind, text, flags in getattr(re, "_cache", ()) if kind is str]
    return {"modules": new, "files": list(filter(None, files)), "patterns": patterns, "registers": registers}


def _keep_code(files: list[Path]) -> None:
    """Keep the compiled code of modules that do not change, so that a child does not read it again."""
    read = SourceFileLoader.get_code
    kept: dict[str, CodeType | None] = {}

    def get_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        if loader.path in kept:
            return kept[loader.path]
        return read(loader, fullname)

    for file in files:
        if file.suffix == ".py":
            name = file.parent.name if file.stem == "__init__" else file.stem
            kept[str(file)] = read(SourceFileLoader(name, str(file)), name)
    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
