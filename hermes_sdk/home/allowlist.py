"""The file `shell-hooks-allowlist.json` with the shell hooks that the user has allowed (statements I8 and I12)."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_sdk import links
from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.files import write_file
from hermes_sdk.home.lock import lock_file
from hermes_sdk.journal import recover

FILE_NAME = "shell-hooks-allowlist.json"

_PRIVATE = 0o600
_SCRIPTS = (".sh", ".bash", ".zsh", ".fish", ".py", ".pyw", ".rb", ".pl", ".lua", ".js", ".mjs", ".cjs", ".ts")


class Allowlist:
    """Approvals of shell hooks in a home. Edits are atomic and locked, since running hosts share the file.

    An approval is for a hook and the exact text of a command; it is a mapping with ``event``, ``command``,
    ``approved_at`` and ``script_mtime_at_approval``, the times as in ``2026-01-31T12:00:00.123456Z``.

    Args:
        path: The file; created by the first approval.
        durable: Whether edits are synced to disk.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self.path = path
        self._durable = durable

    @property
    def lock_path(self) -> Path:
        """The lock file for edits, which the host uses too."""
        return self.path.with_name(f"{self.path.name}.lock")

    @property
    def problem(self) -> str:
        """One line that says why the file cannot be read and therefore approves nothing, or an empty string."""
        return self._read()[1]

    def approval(self, event: str, command: str) -> dict[str, Any] | None:
        """Return the approval of a command for a hook, or None."""
        entries = self._read()[0]["approvals"]
        return next((one for one in entries if _matches_command(one, command) and one.get("event") == event), None)

    def approve(self, event: str, command: str) -> None:
        """Allow a hook to run a command as of now, replacing an earlier approval.

        Raises:
            UnavailableError: The file cannot be locked or written; `where` names it.
        """
        entry = {
            "event": event,
            "command": command,
            "approved_at": _format_time(datetime.now(UTC)),
            "script_mtime_at_approval": modification_time(command),
        }
        with self._editing() as entries:
            entries[:] = [one for one in entries if not (_matches_command(one, command) and one.get("event") == event)]
            entries.append(entry)

    def revoke(self, command: str) -> int:
        """Revoke all approvals of a command; running hosts keep the hook until they restart.

        Returns:
            The number of revoked approvals.

        Raises:
            UnavailableError: The file cannot be locked or written.
        """
        if not any(_matches_command(one, command) for one in self._read()[0]["approvals"]):
            return 0
        with self._editing() as entries:
            remaining = [one for one in entries if not _matches_command(one, command)]
            removed = len(entries) - len(remaining)
            entries[:] = remaining
        return removed

    @contextlib.contextmanager
    def _editing(self) -> Generator[list[Any]]:
        """Yield the approvals to edit in place, and write them if the block succeeds."""
        with lock_file(self.lock_path):
            recover()
            content = self._read()[0]
            yield content["approvals"]
            text = json.dumps(content, indent=2, sort_keys=True)
            write_file(self.path, text.encode(), mode=_PRIVATE, durable=self._durable, journalled=self._durable)

    def _read(self) -> tuple[dict[str, Any], str]:
        problem = ""
        content: Any = {}
        try:
            content = parse_json(read_text(links.open_file(self.path)))
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            problem = " ".join(str(error).split())
        if not isinstance(content, dict):
            content, problem = {}, "the file is not a JSON object"
        if not isinstance(content.setdefault("approvals", []), list):
            content["approvals"], problem = [], "`approvals` is not a list"
        return content, problem


def is_executable(command: str) -> bool:
    """Return whether a command's script is executable itself, or readable by the interpreter before it."""
    word, is_first = script_word(command)
    path = _expand_path(word)
    return path.is_file() and os.access(path, os.X_OK if is_first else os.R_OK)


def modification_time(command: str) -> str | None:
    """Return the modification time of a command's script, or None if there is no such file."""
    try:
        return _format_time(datetime.fromtimestamp(_expand_path(script_word(command)[0]).stat().st_mtime, UTC))
    except (OSError, ValueError):
        return None


def script_word(command: str) -> tuple[str, bool]:
    """Return the word of a command that the host treats as its script, and whether it is the first word."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command, True
    named = [word for word in words if word.lower().endswith(_SCRIPTS)]
    paths = [word for word in words if "/" in word or word.startswith("~")]
    word = [*named, *paths, *words][0]
    return word, word == words[0]


def _expand_path(word: str) -> Path:
    return Path(os.path.expanduser(word))  # noqa: PTH111 - unlike Path.expanduser, it leaves an unknown user alone.


def _matches_command(entry: Any, command: str) -> bool:
    return isinstance(entry, dict) and entry.get("command") == command


def _format_time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
