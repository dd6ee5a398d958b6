"""Cache for the outcomes of static rules, valid until the plugin or the rules change.

It has one file for each plugin, so that its size is limited by the number of checked plugins.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hermes_sdk.check.model import Edit, Finding, NotRun, Repair, to_json
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import Outcome
from hermes_sdk.documents import MAX_JSON_BYTES, parse_json, read_text
from hermes_sdk.errors import UnavailableError
from hermes_sdk.files import write_file

_PACKAGE = Path(__file__).parents[1]
_RULES = ("check", "contract", "manifest", "home")


def find_outcomes(
    directory: Path, plugin: Plugin, codes: Sequence[str], releases: Sequence[str], run: Callable[[], list[Outcome]]
) -> list[Outcome]:
    """Return the cached outcomes of rules for an unchanged plugin, or run them and cache the outcomes."""
    file = directory / f"{_digest([str(plugin.located.directory.resolve())])}.json"
    key = _digest([plugin.digest(), _version(), sys.version, *codes, *releases])
    found = _read(file, key)
    if found is None:
        found = run()
        _write(file, {"key": key, "outcomes": [to_json(one) for one in found]})
    return found


@cache
def _version() -> str:
    """Return a digest of the package's files, so that the cache also expires during development of rules."""
    files = (file for name in _RULES for file in sorted((_PACKAGE / name).rglob("*.*")) if file.suffix != ".pyc")
    return _digest([f"{file}:{file.stat().st_mtime_ns}" for file in files])


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="surrogateescape")).hexdigest()


def _read(file: Path, key: str) -> list[Outcome] | None:
    try:
        content = parse_json(read_text(file, max_bytes=MAX_JSON_BYTES))
        return [_outcome(one) for one in content["outcomes"]] if content["key"] == key else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _outcome(fields: dict[str, Any]) -> Outcome:
    fields["releases"] = tuple(fields["releases"])
    if "reason" in fields:
        return NotRun(**fields)
    if repair := fields["repair"]:
        fields["repair"] = Repair(tuple(Edit(**edit) for edit in repair["edits"]), repair["safe"])
    return Finding(**fields)


def _write(file: Path, content: dict[str, Any]) -> None:
    """Write the file atomically; ignore a cache directory that is not writable."""
    with contextlib.suppress(UnavailableError):
        write_file(file, json.dumps(content).encode(), durable=False)
