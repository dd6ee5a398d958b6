"""Replacement of lone surrogates, which cannot be encoded."""

from __future__ import annotations

import re
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")


def replace_surrogates(value: Any) -> Any:
    """Replace lone surrogates in a string, or in all strings of a list or mapping."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [replace_surrogates(item) for item in value]
    return {key: replace_surrogates(item) for key, item in value.items()} if isinstance(value, dict) else value
