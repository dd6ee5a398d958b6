"""Limits for the results of tools, and where the full results are saved (C27)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

_log = logging.getLogger("tools.tool_result_storage")

_PREVIEW = 1500
_RECOVERY = (
    "Recovery: page through the saved file with read_file (offset/limit) or process it with execute_code — do NOT"
    " re-request the same data from the remote API; the full result is already on disk.\n"
)
_UNLIMITED = frozenset({"read_file"})
"""Tools whose results have no limit, because the model reads saved results with them."""
_MARK = "<persisted-output>"
_CHARACTERS_PER_TOKEN = 4
_ENVELOPE = {"result", "structuredContent", "_meta"}


class Budget(NamedTuple):
    """The most characters in the result of one call, and in all results of one answer."""

    result: int = 100_000
    answer: int = 200_000

    @classmethod
    def for_context(cls, context_length: int) -> Budget:
        """Scale the budget to a model's context in tokens."""
        window = context_length * _CHARACTERS_PER_TOKEN
        most = cls()
        return cls(
            max(8_000, min(int(window * 0.15), most.result)),
            max(16_000, min(int(window * 0.30), most.answer)),
        )


class Storage(NamedTuple):
    """Where full results are saved; `unwraps`: only the text of a JSON object with a ``result`` is saved."""

    directory: Path | None
    in_home: bool = False
    unwraps: bool = False


def limit_result(text: str, tool: str, call_id: str, budget: Budget, storage: Storage) -> str:
    """Return a result, or a preview if it is too long; the full result goes to a file."""
    if tool in _UNLIMITED or len(text) <= budget.result:
        return text
    return _shorten(text, tool, call_id, storage)


def fit_messages(messages: Sequence[dict[str, Any]], budget: Budget, storage: Storage) -> None:
    """Shorten the longest tool messages of one answer, in place, until they fit together; only text is shortened."""
    total = sum(len(message["content"]) for message in messages)
    texts = [message for message in messages if isinstance(message["content"], str) and _MARK not in message["content"]]
    for message in sorted(texts, key=lambda one: len(one["content"]), reverse=True):
        if total <= budget.answer:
            return
        long = message["content"]
        message["content"] = _shorten(long, "__budget_enforcement__", message["tool_call_id"], storage)
        total += len(message["content"]) - len(long)


def find_saved(content: str) -> str | None:
    """Return the file with the full result of a call, or None if the result is complete."""
    found = re.search(r"^Full output saved to: (.+)$", content, re.MULTILINE) if content.startswith(_MARK) else None
    return found and found[1]


def _shorten(text: str, tool: str, call_id: str, storage: Storage) -> str:
    full = _unwrap(text) if storage.unwraps else text
    preview = full[:_PREVIEW]
    line = preview.rfind("\n")
    if line > _PREVIEW // 2 and len(full) > _PREVIEW:
        preview = preview[: line + 1]
    file = storage.directory and _save(full, call_id, storage.directory)
    if not file:
        _log.info("Inline-truncating large tool result: %s (%d chars, no sandbox write)", tool, len(text))
        lost = f"tool response was {len(text):,} chars. Full output could not be saved to sandbox."
        return f"{preview}\n\n[Truncated: {lost}]"
    _log.info("Persisted large tool result: %s (%s, %d chars -> %s)", tool, call_id, len(full), file)
    kilobytes = len(full) / 1024
    size = f"{kilobytes:.1f} KB" if kilobytes < 1024 else f"{kilobytes / 1024:.1f} MB"
    more = "\n..." if len(full) > len(preview) else ""
    recovery = _RECOVERY if storage.in_home else ""
    return (
        f"{_MARK}\nThis tool result was too large ({len(full):,} characters, {size}).\nFull output saved to: {file}\n"
        "Use the read_file tool with offset and limit to access specific sections of this output.\n"
        f"{recovery}\nPreview (first {len(preview)} chars):\n{preview}{more}\n</persisted-output>"
    )


def _unwrap(text: str) -> str:
    """Return the text in a result of the form that MCP servers use, or any other result as it is."""
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    if not isinstance(fields, dict) or not fields.keys() <= _ENVELOPE or not isinstance(fields.get("result"), str):
        return text
    inner: str = fields.pop("result")
    if not inner or not fields:
        return inner or text
    more = json.dumps(fields, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{inner}\n\n<mcp-result-metadata>\n{more}\n</mcp-result-metadata>\n"


def _save(text: str, call_id: str, directory: Path) -> Path | None:
    """Write a result to a file; return None if that fails."""
    file = directory / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', call_id)}.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        _log.warning("Sandbox write failed for %s: %s", call_id, error)
        return None
    return file
