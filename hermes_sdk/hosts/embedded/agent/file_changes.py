"""File changes of a turn; the reply ends with a list of those that failed (D35)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.file_access import resolve_path
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext
from hermes_sdk.hosts.embedded.tools.results import find_failure, is_file_change

_TOOLS = frozenset({"patch", "write_file"})
_MAX_LISTED = 10
_MAX_ERROR = 180
_OFF = frozenset({"0", "false", "no", "off"})
_SWITCH = "file_mutation_verifier"
_NAME = r"[\w.-]+"
_ROOT = r"~?/|[a-zA-Z]:[\\/]"
_BARE_PATH = re.compile(rf"(?<![\w`.:/])(?:{_ROOT})(?:{_NAME}[\\/])*{_NAME}\.\w+")
"""Matches paths that a chat adapter would send as files."""


@dataclass
class _Failure:
    """A failed change; `state` is the state of the file at that time."""

    tool: str
    error: str
    file: Path
    state: tuple[int, int] | None


@dataclass
class FileChanges:
    """File changes of one turn; `edited` are the files changed by built-in tools."""

    context: ToolContext
    edited: set[str] = field(default_factory=set)
    _failed: dict[str, _Failure] = field(default_factory=dict)

    def record(self, tool: str, args: Mapping[str, Any], result: Any, answer: Any) -> None:
        """Record the file changes of a tool call; `answer` is the result as the model receives it."""
        if is_file_change(tool, answer):
            self.edited.update(json.loads(answer).get("files_modified", ()))
        path = args.get("path")
        if tool not in _TOOLS or not path or (args.get("mode") or "replace") != "replace":
            return
        file = self.find_file(str(path))
        if find_failure(tool, result, self.context.behaviour) is None:
            self._drop_failures(str(path), file)
        else:
            self._failed.setdefault(str(path), _Failure(tool, _shorten(answer), file, _read_state(file)))

    def find_file(self, path: str) -> Path:
        """Resolve a path passed by the model."""
        return resolve_path(path, self.context)

    def _drop_failures(self, path: str, file: Path) -> None:
        """Drop the failures of a file that was changed later; earlier releases only match its path as passed."""
        if self.context.behaviour.changed_files_resolved:
            self._failed = {name: one for name, one in self._failed.items() if one.file != file}
        else:
            self._failed.pop(path, None)

    def complete_reply(self, reply: str) -> str:
        """Append the list of failed changes to a reply."""
        behaviour, wording = self.context.behaviour, self.context.state.wording
        failed = self._failed
        if behaviour.changed_files_resolved:
            failed = {name: one for name, one in failed.items() if _read_state(one.file) == one.state}
        if not reply or not failed or not self._is_enabled():
            return reply
        lines = [wording("explainer.file_mutation.header", count=len(failed))]
        for path, one in [*failed.items()][:_MAX_LISTED]:
            lines.append(wording("explainer.file_mutation.entry", path=f"`{path}`", tool=one.tool, preview=one.error))
        if len(failed) > _MAX_LISTED:
            lines.append(wording("explainer.shared.and_more", count=len(failed) - _MAX_LISTED))
        footer = _BARE_PATH.sub(r"`\g<0>`", "\n".join(lines))
        return f"{reply.rstrip()}\n\n{footer}"

    def _is_enabled(self) -> bool:
        setting = os.environ.get(f"HERMES_{_SWITCH.upper()}")
        if setting is not None:
            return setting.strip().lower() not in _OFF
        return bool(self.context.section("display").get(_SWITCH, True))


def _shorten(answer: Any) -> str:
    text = str(answer)
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict) and isinstance(parsed.get("error"), str):
        text = parsed["error"]
    text = " ".join(text.split())
    return text if len(text) <= _MAX_ERROR else f"{text[: _MAX_ERROR - 1]}…"


def _read_state(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
