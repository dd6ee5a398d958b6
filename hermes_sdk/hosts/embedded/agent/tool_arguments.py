"""What the host makes of the arguments that a model wrote for a tool, when they are not quite JSON (C17)."""

from __future__ import annotations

import json
import re


def repaired(text: str) -> str | None:
    """Bring the arguments of a call into JSON.

    Args:
        text: What the model wrote.

    Returns:
        The text as it is when it is JSON or blank, else with its small mistakes put right: line breaks in strings,
        commas before a closing bracket, brackets that are missing or too many at the end. None when that is not
        enough, which counts as an answer that was cut off.
    """
    if not text.strip() or _is_json(text):
        return text
    bare = text.strip()
    try:
        return json.dumps(json.loads(bare, strict=False), separators=(",", ":"))
    except ValueError:
        return _balanced(re.sub(r",\s*([}\]])", r"\1", bare))


def _balanced(text: str) -> str | None:
    text += "}" * (text.count("{") - text.count("}"))
    text += "]" * (text.count("[") - text.count("]"))
    while not _is_json(text):
        last = text[-1:]
        opening = {"}": "{", "]": "["}.get(last)
        if opening is None or text.count(last) <= text.count(opening):
            return None
        text = text[:-1]
    return text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
