"""Paired users and pending pairing codes (``platforms/pairing`` in the home)."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import CliResult

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8

_CODE_SECONDS = 3600
_LIMIT_SECONDS = 600
_MOST_PENDING = 3


class PairingStore:
    """The pairing files of a home."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @property
    def _folder(self) -> Path:
        # Homes of earlier releases keep their directory.
        older = self._home / "pairing"
        return older if older.is_dir() else self._home / "platforms" / "pairing"

    def _read(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads((self._folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, name: str, value: dict[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / name).write_text(json.dumps(value, indent=2), encoding="utf-8")

    def is_approved(self, platform: str, user_id: str) -> bool:
        """Return whether a user is paired."""
        return user_id in self._read(f"{platform}-approved.json")

    def approve(self, platform: str, code: str) -> str | None:
        """Pair the user with a code; return the user's id, or None if the code is unknown."""
        name = f"{platform}-pending.json"
        pending = self._read(name)
        for key, one in pending.items():
            if _hash(code.strip().upper(), bytes.fromhex(one["salt"])) == one["hash"]:
                self._write(name, {other: value for other, value in pending.items() if other != key})
                approval = {"user_name": one["user_name"], "approved_at": time.time()}
                approved = f"{platform}-approved.json"
                self._write(approved, {**self._read(approved), one["user_id"]: approval})
                return str(one["user_id"])
        return None

    def is_rate_limited(self, platform: str, user_id: str) -> bool:
        """Return whether a user requested a code recently."""
        return bool(time.time() - self._read("_rate_limits.json").get(f"{platform}:{user_id}", 0) < _LIMIT_SECONDS)

    def record_rate_limit(self, platform: str, user_id: str) -> None:
        """Store the time of a user's request."""
        self._write("_rate_limits.json", {**self._read("_rate_limits.json"), f"{platform}:{user_id}": time.time()})

    def generate_code(self, platform: str, user_id: str, user_name: str = "") -> str | None:
        """Create a code for a user; return None if too many codes are pending."""
        name, now = f"{platform}-pending.json", time.time()
        pending = {key: one for key, one in self._read(name).items() if now - one["created_at"] <= _CODE_SECONDS}
        if len(pending) >= _MOST_PENDING:
            return None
        code, salt = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH)), os.urandom(16)
        pending[secrets.token_hex(8)] = {
            "hash": _hash(code, salt),
            "salt": salt.hex(),
            "user_id": user_id,
            "user_name": user_name,
            "created_at": now,
        }
        self._write(name, pending)
        self.record_rate_limit(platform, user_id)
        return code


def _hash(code: str, salt: bytes) -> str:
    return hashlib.sha256(salt + code.encode()).hexdigest()


def run_command(home: Path, argv: Sequence[str]) -> CliResult:
    """Run ``hermes pairing approve <platform> <code>``."""
    if len(argv) != 3 or argv[0] != "approve":
        raise UsageError(
            f"`hermes pairing {' '.join(argv)}` is not available on the embedded host.",
            fix="Use `hermes pairing approve <platform> <code>`, or the real host.",
        )
    _, platform, code = argv
    user = PairingStore(home).approve(platform, code)
    output = f"Approved: {user} on {platform}" if user else f"There is no code {code} on {platform}, or it is too old."
    return CliResult(0, f"{output}\n", "")
