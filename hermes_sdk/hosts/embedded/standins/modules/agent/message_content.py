"""Stands in for ``agent.message_content``: the text of messages that hold more than text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["flatten_message_text"]

_SEEN_OR_HEARD = {"audio", "image", "image_url", "input_audio", "input_image"}
_TEXTS = ("text", "content", "input_text", "output_text", "summary_text")


def flatten_message_text(content: Any, *, sep: str = "\n") -> str:
    """Return the text of a message's content: a text, a part, or a list of those."""
    if isinstance(content, list):
        return sep.join(filter(None, map(_text_of, content)))
    if content is None or isinstance(content, str):
        return content or ""
    try:
        return _text_of(content) or str(content)
    except Exception:
        return ""


def _text_of(part: Any) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if str(_field(part, "type") or "").strip().lower() in _SEEN_OR_HEARD:
        return ""
    return next((text for text in (_field(part, name) for name in _TEXTS) if isinstance(text, str)), "")


def _field(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)
