"""Files that a turn changed, and those that it could not change, which its reply lists at the end (D35)."""

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
_MOST = 10
_LONGEST = 180
_OFF = frozenset({"0", "false", "no", "off"})
_SWITCH = "file_mutation_verifier"
_NAME = r"[\w.-]+"
_ROOT = r"~?/|[a-zA-Z]:[\\/]"
_BARE_PATH = re.compile(rf"(?<![\w`.:/])(?:{_ROOT})(?:{_NAME}[\\/])*{_NAME}\.\w+")
"""A path that an adapter of a chat would send as a file."""


@dataclass
class _Failure:
    """A change that failed: the tool, its error, and the file with its state at that time."""

    tool: str
    error: str
    file: Path
    state: tuple[int, int] | None


@dataclass
class FileChanges:
    """The changes of files in one turn; `edited` are the files that built-in tools changed."""

    context: ToolContext
    edited: set[str] = field(default_factory=set)
    _failed: dict[str, _Failure] = field(default_factory=dict)

    def note(self, tool: str, args: Mapping[str, Any], result: Any, answer: Any) -> None:
        """Note what a call did, from its result and from what the model gets of it."""
        if is_file_change(tool, answer):
            self.edited.update(json.loads(answer).get("files_modified", ()))
        path = args.get("path")
        if tool not in _TOOLS or not path or (args.get("mode") or "replace") != "replace":
            return
        file = self.find_file(str(path))
        if find_failure(tool, result, self.context.behaviour) is None:
            self._forget(str(path), file)
        else:
            self._failed.setdefault(str(path), _Failure(tool, _shorten(answer), file, _read_state(file)))

    def find_file(self, path: str) -> Path:
        """Return the file that a path from the model names."""
        return resolve_path(path, self.context)

    def _forget(self, path: str, file: Path) -> None:
        """Forget failures to change a file that was changed in the end; earlier releases go by its name in calls."""
        if self.context.behaviour.changed_files_resolved:
            self._failed = {name: one for name, one in self._failed.items() if one.file != file}
        else:
            self._failed.pop(path, None)

    def complete_reply(self, reply: str) -> str:
        """Add the files that were not changed to a reply."""
        behaviour, wording = self.context.behaviour, self.context.state.wording
        failed = self._failed
        if behaviour.changed_files_resolved:
            failed = {name: one for name, one in failed.items() if _read_state(one.file) == one.state}
        if not reply or not failed or not self._is_enabled():
            return reply
        lines = [wording("explainer.file_mutation.header", count=len(failed))]
        for path, one in [*failed.items()][:_MOST]:
            lines.append(wording("explainer.file_mutation.entry", path=f"`{path}`", tool=one.tool, preview=one.error))
        if len(failed) > _MOST:
            lines.append(wording("explainer.shared.and_more", count=len(failed) - _MOST))
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
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _read_state(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
