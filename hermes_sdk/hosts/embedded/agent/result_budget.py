"""Limits for the results of tools, and where the full results are saved (C27)."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

_log = logging.getLogger("tools.tool_result_storage")

_PREVIEW = 1500
_FOLDER = "hermes-results"
_UNLIMITED = frozenset({"read_file"})
"""Tools whose results have no limit, because the model reads saved results with them."""
_MARK = "<persisted-output>"
_CHARACTERS_PER_TOKEN = 4


class Budget(NamedTuple):
    """The most characters in the result of one call, and in all results of one answer."""

    result: int = 100_000
    answer: int = 200_000

    @classmethod
    def for_context(cls, context_length: int) -> Budget:
        """Scale the budget to a model's context in tokens; releases before 0.18 have one budget for all models."""
        window = context_length * _CHARACTERS_PER_TOKEN
        most = cls()
        return cls(
            max(8_000, min(int(window * 0.15), most.result)),
            max(16_000, min(int(window * 0.30), most.answer)),
        )


def limit_result(text: str, tool: str, call_id: str, budget: Budget, directory: Path | None) -> str:
    """Return a result, or a preview if it is too long; the full result goes to a file in the directory, if any."""
    if tool in _UNLIMITED or len(text) <= budget.result:
        return text
    return _shorten(text, tool, call_id, directory)


def fit_messages(messages: Sequence[dict[str, Any]], budget: Budget, directory: Path | None) -> None:
    """Shorten the longest tool messages of one answer, in place, until they fit together; only text is shortened."""
    total = sum(len(message["content"]) for message in messages)
    texts = [message for message in messages if isinstance(message["content"], str) and _MARK not in message["content"]]
    for message in sorted(texts, key=lambda one: len(one["content"]), reverse=True):
        if total <= budget.answer:
            return
        long = message["content"]
        message["content"] = _shorten(long, "__budget_enforcement__", message["tool_call_id"], directory)
        total += len(message["content"]) - len(long)


def _shorten(text: str, tool: str, call_id: str, directory: Path | None) -> str:
    preview = text[:_PREVIEW]
    line = preview.rfind("\n")
    if line > _PREVIEW // 2 and len(text) > _PREVIEW:
        preview = preview[: line + 1]
    file = directory and _save(text, call_id, directory)
    if not file:
        _log.info("Inline-truncating large tool result: %s (%d chars, no sandbox write)", tool, len(text))
        lost = f"tool response was {len(text):,} chars. Full output could not be saved to sandbox."
        return f"{preview}\n\n[Truncated: {lost}]"
    _log.info("Persisted large tool result: %s (%s, %d chars -> %s)", tool, call_id, len(text), file)
    kilobytes = len(text) / 1024
    size = f"{kilobytes:.1f} KB" if kilobytes < 1024 else f"{kilobytes / 1024:.1f} MB"
    more = "\n..." if len(text) > len(preview) else ""
    return (
        f"{_MARK}\nThis tool result was too large ({len(text):,} characters, {size}).\nFull output saved to: {file}\n"
        "Use the read_file tool with offset and limit to access specific sections of this output.\n\n"
        f"Preview (first {len(preview)} chars):\n{preview}{more}\n</persisted-output>"
    )


def _save(text: str, call_id: str, directory: Path) -> Path | None:
    """Write a result to a file; return None if that fails."""
    file = directory / _FOLDER / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', call_id)}.txt"
    try:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        _log.warning("Sandbox write failed for %s: %s", call_id, error)
        return None
    return file
