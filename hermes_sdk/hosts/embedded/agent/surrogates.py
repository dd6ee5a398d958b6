"""Lone surrogates: halves of characters, which no encoding can write."""

from __future__ import annotations

import re
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")


def replace_surrogates(value: Any) -> Any:
    """Replace the lone surrogates in a text, or in all texts of a list or mapping; anything else stays."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [replace_surrogates(item) for item in value]
    return {key: replace_surrogates(item) for key, item in value.items()} if isinstance(value, dict) else value
