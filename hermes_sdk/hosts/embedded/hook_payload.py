"""Payloads of requests and responses for hooks: plain values, without secrets, of bounded size."""

from __future__ import annotations

import dataclasses
import json
import os
from types import SimpleNamespace
from typing import Any, NamedTuple

_SECRETS = frozenset({"api_key", "authorization", "proxy_authorization", "cookie", "set_cookie"})
_MAX_DEPTH = 8
_DEFAULT_CHARACTERS = 50_000
_LEAST_CHARACTERS = 1_000


class _Limits(NamedTuple):
    """Maximum number of characters of a text, and of items of a collection."""

    text: int
    items: int


_FIRST = _Limits(8_000, 200)
_SECOND = _Limits(1_000, 50)


def reduce_payload(value: dict[str, Any]) -> dict[str, Any]:
    """Copy a payload as plain values.

    If the JSON is longer than ``HERMES_PLUGIN_PAYLOAD_MAX_CHARS``, the result is a shorter copy or a preview.
    """
    limit = _read_limit()
    text = ""
    for limits in (_FIRST, _SECOND):
        reduced = _reduce(value, limits, 0)
        text = json.dumps(reduced, ensure_ascii=False, default=str)
        if len(text) <= limit:
            return dict(reduced)
    return {"_truncated": True, "original_type": type(value).__name__, "preview": text[:limit]}


def summarise_tokens(
    prompt: int, completion: int, *, read: int = 0, written: int = 0, reasoning: int = 0
) -> dict[str, int]:
    """Summarise the token counts of a request for hooks; `read` and `written` refer to the provider's cache."""
    return {
        "input_tokens": prompt - read - written,
        "output_tokens": completion,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
        "request_count": 1,
        "prompt_tokens": prompt,
        "total_tokens": prompt + completion,
    }


def _read_limit() -> int:
    try:
        return max(_LEAST_CHARACTERS, int(os.environ.get("HERMES_PLUGIN_PAYLOAD_MAX_CHARS", _DEFAULT_CHARACTERS)))
    except ValueError:
        return _DEFAULT_CHARACTERS


def _reduce(value: Any, limits: _Limits, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return f"<{type(value).__name__} depth limit>"
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        over = len(value) - limits.text
        return value if over <= 0 else f"{value[: limits.text]}...[truncated {over} chars]"
    if isinstance(value, (bytes, bytearray)):
        return f"<{len(value)} bytes>"
    if isinstance(value, dict):
        return _reduce_mapping(value, limits, depth)
    if isinstance(value, (list, tuple, set)):
        kept = [_reduce(item, limits, depth + 1) for item in list(value)[: limits.items]]
        over = len(value) - limits.items
        return [*kept, {"_truncated_items": over}] if over > 0 else kept
    fields = _read_fields(value)
    return str(value)[: limits.text] if fields is None else _reduce(fields, limits, depth + 1)


def _reduce_mapping(value: dict[Any, Any], limits: _Limits, depth: int) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for number, (key, item) in enumerate(value.items()):
        if number >= limits.items:
            kept["_truncated_items"] = len(value) - limits.items
            break
        name = str(key)
        kept[name] = "<redacted>" if _is_secret(name) else _reduce(item, limits, depth + 1)
    return kept


def _read_fields(value: Any) -> dict[str, Any] | None:
    """Return the public attributes of an object, or None if it has no attributes."""
    if hasattr(value, "model_dump"):
        return dict(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, SimpleNamespace):
        return vars(value)
    if hasattr(value, "__dict__"):
        return {name: item for name, item in vars(value).items() if not name.startswith("_")}
    return None


def _is_secret(key: str) -> bool:
    name = key.lower().replace("-", "_")
    return name in _SECRETS or name.endswith("_api_key")
