"""Users who asked to be let in, and those who were (``platforms/pairing`` in the home)."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from pathlib import Path
from typing import Any

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8

_CODE_SECONDS = 3600
_LIMIT_SECONDS = 600
_MOST_PENDING = 3


class PairingStore:
    """Keeps codes and users in the files of the host.

    Args:
        home: The HERMES_HOME.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    @property
    def _folder(self) -> Path:
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
        """Tell whether a user was let in."""
        return user_id in self._read(f"{platform}-approved.json")

    def is_rate_limited(self, platform: str, user_id: str) -> bool:
        """Tell whether a user asked a short while ago."""
        return bool(time.time() - self._read("_rate_limits.json").get(f"{platform}:{user_id}", 0) < _LIMIT_SECONDS)

    def record_rate_limit(self, platform: str, user_id: str) -> None:
        """Keep in mind that a user asked now."""
        self._write("_rate_limits.json", {**self._read("_rate_limits.json"), f"{platform}:{user_id}": time.time()})

    def generate_code(self, platform: str, user_id: str, user_name: str = "") -> str | None:
        """Make a code for a user; None when there are too many that wait."""
        name, now = f"{platform}-pending.json", time.time()
        pending = {key: one for key, one in self._read(name).items() if now - one["created_at"] <= _CODE_SECONDS}
        if len(pending) >= _MOST_PENDING:
            return None
        code, salt = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH)), os.urandom(16)
        pending[secrets.token_hex(8)] = {
            "hash": hashlib.sha256(salt + code.encode()).hexdigest(),
            "salt": salt.hex(),
            "user_id": user_id,
            "user_name": user_name,
            "created_at": now,
        }
        self._write(name, pending)
        self.record_rate_limit(platform, user_id)
        return code
