"""Preparation of the fork server for children that call tools, run an agent or a gateway."""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import re
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from . import module_code, paths

Load = Callable[[ssl.SSLContext], None]

_NEEDED_BY = ("wrap_socket", "wrap_bio", "get_ca_certs", "cert_store_stats")


@functools.cache
def load_certificates_late() -> None:
    """Load the certificates of `certifi` and of the system into SSL contexts only on demand.

    Reading them takes 15 ms per client. A host creates several clients for a turn, and its connections to this machine
    do not need them.
    """
    bundle = None
    with contextlib.suppress(ImportError):
        bundle = importlib.import_module("certifi").where()
    waiting: WeakKeyDictionary[ssl.SSLContext, list[Load]] = WeakKeyDictionary()
    load, load_default = ssl.SSLContext.load_verify_locations, ssl.SSLContext.set_default_verify_paths

    def load_unless_bundle(context: ssl.SSLContext, cafile: Any = None, capath: Any = None, cadata: Any = None) -> None:
        if cafile is not None and cafile == bundle and capath is cadata is None:
            waiting.setdefault(context, []).append(lambda context: load(context, bundle))
        else:
            load(context, cafile, capath, cadata)

    def load_default_late(context: ssl.SSLContext) -> None:
        waiting.setdefault(context, []).append(load_default)

    def load_before(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(context: ssl.SSLContext, *args: Any, **options: Any) -> Any:
            for load_now in waiting.pop(context, ()):
                load_now(context)
            return method(context, *args, **options)

        return call

    replaced = {name: load_before(getattr(ssl.SSLContext, name)) for name in _NEEDED_BY}
    replaced |= {"load_verify_locations": load_unless_bundle, "set_default_verify_paths": load_default_late}
    for name, method in replaced.items():
        setattr(ssl.SSLContext, name, method)


# Libraries that the host's modules use, and modules of the host that only define pydantic models. `child.become` resets
# the values that they read from the environment.
_LIBRARIES = {
    "tools": (
        "requests",
        "websockets.sync.client",
        "httpcore",
        "snowballstemmer",
        "tools.connectors.gateway.wire",
    ),
    "agent": (
        "openai.resources.chat",
        "fire",
        "netrc",
        "rich.console",
        "sqlite3",
        "unittest.mock",
        "nemo_relay",
        "truststore",
    ),
    "gateway": ("_strptime", "xml.etree.ElementTree", "tui_gateway.contracts"),
    "cli": (),
}

# Modules of the host that children import, with their dependencies; some releases do not have all of them.
_SCOUTED = {
    "tools": ("model_tools", "agent.shell_hooks"),
    "agent": ("run_agent",),
    "gateway": ("gateway.run",),
    "cli": ("hermes_cli.main",),
}

_registers: dict[str, bool] = {}


def preload(what: str, notes: Path) -> None:
    """Do work that children share: import libraries, read the code of the host's modules, and compile patterns.

    Args:
        what: The use to prepare for: ``tools`` (with a list of the host's files that contain tools), ``agent`` after
            ``tools``, ``gateway`` after ``agent``, or ``cli`` for the program ``hermes``.
        notes: The file with the report of the scout process; created if it does not exist.
    """
    for name in _LIBRARIES[what]:
        _import(name)
    # Raise the size of a private cache: with its 512 entries, children would compile evicted patterns again.
    patterns: Any = re
    patterns._MAXCACHE = 1 << 14
    seen = _load_notes(what, notes)
    hosts = paths.host_names()
    for name in seen["modules"]:
        if name.partition(".")[0] not in hosts:
            _import(name)
    module_code.keep(seen["files"])
    module_code.keep_written(seen["written"])
    for pattern, flags in seen["patterns"]:
        re.compile(pattern, flags)
    if what == "tools":
        _registers.update(seen["registers"])
        know_files_with_tools()
    if what in ("agent", "cli"):
        load_certificates_late()


def know_files_with_tools() -> None:
    """Tell the host which of its files contain tools, so that it does not parse them.

    A reload of the host's module loses the list.
    """
    if not _registers:
        return
    registry: Any = importlib.import_module("tools.registry")
    look = registry._module_registers_tools

    def registers_tools(path: Path) -> Any:
        return _registers[str(path)] if str(path) in _registers else look(path)

    registry._module_registers_tools = registers_tools


def forget_host() -> None:
    """Remove the host's modules, so that the next import runs them again, as in a new process.

    Their import runs the home's model providers (statement G21) and reads ``HERMES_PLUGINS_DEBUG`` (A45).
    """
    for name in [name for name in sys.modules if name.partition(".")[0] in paths.host_names()]:
        del sys.modules[name]


def _import(name: str) -> None:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


def _load_notes(what: str, notes: Path) -> dict[str, Any]:
    """Return the report about the imports; empty if they fail, as they do in each child."""
    with contextlib.suppress(OSError, ValueError):
        seen = dict(json.loads(notes.read_bytes()))
        if "written" in seen:
            return seen
    text = _run_scout(what)
    if not text:
        return {"modules": [], "files": [], "written": [], "patterns": [], "registers": {}}
    with contextlib.suppress(OSError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        half = notes.with_name(f".{notes.name}.{os.getpid()}")
        half.write_bytes(text)
        half.replace(notes)
    return dict(json.loads(text))


def _run_scout(what: str) -> bytes:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            pid = os.fork()
            if not pid:
                with contextlib.suppress(BaseException):
                    theirs.sendall(json.dumps(_scout(what)).encode())
                os._exit(0)
        with ours.makefile("rb") as answer:
            text = answer.read()
    os.waitpid(pid, 0)
    return text


def _scout(what: str) -> dict[str, Any]:
    before = set(sys.modules)
    registry: Any = importlib.import_module("tools.registry")
    look, registers = registry._module_registers_tools, dict[str, bool]()

    def note(path: Path) -> bool:
        registers[str(path)] = look(path)
        return registers[str(path)]

    registry._module_registers_tools = note
    for name in _SCOUTED[what]:
        _import(name)
    new = [name for name in sys.modules if name not in before]
    files = [getattr(sys.modules[name], "__file__", None) for name in new]
    # Read the private cache, so that children do not compile these patterns themselves.
    patterns = [(text, flags) for kind, text, flags in getattr(re, "_cache", ()) if kind is str]
    return {
        "modules": new,
        "files": list(filter(None, files)),
        "written": module_code.list_written(),
        "patterns": patterns,
        "registers": registers,
    }
