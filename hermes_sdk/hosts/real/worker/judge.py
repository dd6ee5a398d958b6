"""Runs of Hermes' own checks on the files of a plugin: validation, doctor, install scanner and catalog reader."""

from __future__ import annotations

import importlib
import importlib.util
import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...in_worker.network_guard import LoopbackOnly
from ...processes.isolation import enter


def main(descriptor: str) -> None:
    """Enter the requested isolation, and answer the only request on a socket, given its file descriptor.

    The answer is null if the host does not have the check.
    """
    with socket.socket(fileno=int(descriptor)) as channel, channel.makefile("rb") as lines:
        channel.set_inheritable(False)
        isolated, request = json.loads(lines.readline())
        writable, seconds, _, readable, network = isolated
        # Isolate this process before any other thread starts, because isolation applies to the calling thread.
        layers = enter(writable, seconds, readable, network=network)
        _send(channel, layers)
        if "guard" in layers:
            LoopbackOnly().install()
        sys.path.extend(request["path"])
        module, judge = _JUDGES[request["judge"]]
        has_judge = importlib.util.find_spec(module) is not None
        _send(channel, {"said": judge(importlib.import_module(module), Path(request["file"])) if has_judge else None})


def _send(channel: socket.socket, value: Any) -> None:
    channel.sendall(json.dumps(value, default=repr).encode() + b"\n")


def _validate(module: Any, directory: Path) -> Any:
    return module.validate_plugin_dir(directory).to_dict()


def _examine(module: Any, directory: Path) -> Any:
    report = module.doctor_plugin(directory)
    return {
        "ok": report.ok,
        "findings": [{"level": found.level, "message": found.message} for found in report.findings],
        "tools": list(report.registered_tools),
        "hooks": list(report.registered_hooks),
    }


def _scan(module: Any, directory: Path) -> Any:
    result = module.scan_plugin(directory)
    allowed, reason = module.should_allow_plugin_install(result)
    return {
        "verdict": result.verdict,
        "allowed": allowed,
        "reason": reason,
        "scanner": str(getattr(module, "PLUGIN_SCANNER_VERSION", "")),
        "findings": [
            {"name": found.pattern_id, "text": found.description}
            | {name: getattr(found, name) for name in ("severity", "file", "line")}
            for found in result.findings
        ],
    }


def _read_entry(module: Any, file: Path) -> Any:
    (entry,) = module.load_catalog(file.parent) or [None]
    return {"entry": entry and entry.to_dict()}


_JUDGES: dict[str, tuple[str, Callable[[Any, Path], Any]]] = {
    "validate": ("hermes_cli.plugin_validate", _validate),
    "doctor": ("hermes_cli.plugin_dev", _examine),
    "scan": ("tools.plugin_guard", _scan),
    "catalog": ("hermes_cli.plugin_catalog", _read_entry),
}
