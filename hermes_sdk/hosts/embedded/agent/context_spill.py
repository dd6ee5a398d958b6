"""Context of a hook that is too long for the model: it goes to a file, and the model gets both its ends (D29)."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MAX_CHARACTERS = 10_000
_PREVIEW = 500


def spilled(text: str, config: Mapping[str, Any], home: Path, session_id: str) -> str:
    """Replace a text that is longer than ``hooks.output_spill`` allows.

    Args:
        text: What a callback wants to tell the model.
        config: The configuration of the home.
        home: The HERMES_HOME.
        session_id: The session, which names the directory of its files.

    Returns:
        The text, or its ends and where all of it was written.
    """
    settings = _settings(config)
    enabled = settings.get("enabled")
    if (enabled is not None and not enabled) or len(text) <= _number(settings, "max_chars", _MAX_CHARACTERS, least=1):
        return text
    directory = settings.get("directory")
    base = Path(directory).expanduser() if isinstance(directory, str) and directory else home / "hook_outputs"
    segment = session_id.replace("/", "_").replace("\\", "_").replace("..", "_")
    path = base / segment / f"{uuid.uuid4().hex}.txt"
    place = "unavailable — spill write failed"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
        place = f"saved to {path}"
    lines = [f"[plugin hook output truncated — {len(text):,} chars; full content {place}]"]
    if head := text[: _number(settings, "preview_head", _PREVIEW, least=0)]:
        lines += ["--- head ---", head]
    tail = _number(settings, "preview_tail", _PREVIEW, least=0)
    if tail and len(text) > len(head):
        lines += ["--- tail ---", text[-tail:]]
    return "\n".join(lines)


def _settings(config: Mapping[str, Any]) -> Mapping[str, Any]:
    hooks = config.get("hooks")
    settings = hooks.get("output_spill") if isinstance(hooks, Mapping) else None
    return settings if isinstance(settings, Mapping) else {}


def _number(settings: Mapping[str, Any], key: str, default: int, *, least: int) -> int:
    try:
        value = int(settings.get(key, default))
    except (TypeError, ValueError):
        return default
    return value if value >= least else default
