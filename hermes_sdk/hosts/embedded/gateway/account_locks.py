"""Locks on platform accounts, so that only one process connects an account."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState


class AccountLocks:
    """Acquires and releases account locks of this process."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def acquire(
        self, scope: str, identity: str, metadata: dict[str, Any] | None = None
    ) -> tuple[bool, dict[str, Any] | None]:
        """Lock an account; return whether that succeeded, and the previous owner of the lock if there was one.

        Raises:
            NotSupported: Another process may hold the lock.
        """
        file = self._find_file(scope, identity)
        before = _read(file)
        if before is not None and before.get("pid") != os.getpid():
            raise self._state.unsupported("report whether the process that locked an account is running")
        now = datetime.now(UTC).isoformat()
        owner = {"pid": os.getpid(), "kind": "hermes-gateway", "argv": sys.argv, "scope": scope}
        named = {"identity_hash": file.stem.rpartition("-")[2], "metadata": metadata or {}, "updated_at": now}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**owner, **named}), encoding="utf-8")
        return True, before

    def release(self, scope: str, identity: str) -> None:
        """Unlock an account that this process locked."""
        file = self._find_file(scope, identity)
        if (_read(file) or {}).get("pid") == os.getpid():
            file.unlink()

    def _find_file(self, scope: str, identity: str) -> Path:
        given, state = os.environ.get("HERMES_GATEWAY_LOCK_DIR"), os.environ.get("XDG_STATE_HOME", "")
        if not given and state and not Path(state).is_absolute():
            raise self._state.unsupported("lock an account in a relative XDG_STATE_HOME")
        home = Path(state or Path.home() / ".local" / "state")
        folder = Path(given) if given else home / "hermes" / "gateway-locks"
        return folder / f"{scope}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.lock"


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
