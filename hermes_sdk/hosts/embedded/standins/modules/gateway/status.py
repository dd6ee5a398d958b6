"""Stands in for ``gateway.status``: which process has the account of a platform."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = [
    "acquire_scoped_lock",
    "get_running_pid",
    "is_gateway_running",
    "read_runtime_status",
    "release_scoped_lock",
    "write_runtime_status",
]

_state = find_plugin_manager(__spec__).state
get_running_pid = refused(__spec__, "get_running_pid")
is_gateway_running = refused(__spec__, "is_gateway_running")
read_runtime_status = refused(__spec__, "read_runtime_status")
write_runtime_status = refused(__spec__, "write_runtime_status")


def acquire_scoped_lock(
    scope: str, identity: str, metadata: dict[str, Any] | None = None
) -> tuple[bool, dict[str, Any] | None]:
    """Lock an account; tells whether that worked, and whose lock there was.

    Raises:
        NotSupported: Another process may have it.
    """
    file = _file(scope, identity)
    before = _read(file)
    if before is not None and before.get("pid") != os.getpid():
        raise _state.unsupported("report whether the process that locked an account is running")
    now = datetime.now(UTC).isoformat()
    owner = {"pid": os.getpid(), "kind": "hermes-gateway", "argv": sys.argv, "scope": scope}
    named = {"identity_hash": file.stem.rpartition("-")[2], "metadata": metadata or {}, "updated_at": now}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**owner, **named}), encoding="utf-8")
    return True, before


def release_scoped_lock(scope: str, identity: str) -> None:
    """Unlock an account that this process locked."""
    file = _file(scope, identity)
    if (_read(file) or {}).get("pid") == os.getpid():
        file.unlink()


def _file(scope: str, identity: str) -> Path:
    given = os.environ.get("HERMES_GATEWAY_LOCK_DIR")
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    folder = Path(given) if given else state / "hermes" / "gateway-locks"
    return folder / f"{scope}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.lock"


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
