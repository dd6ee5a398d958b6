"""Reads YAML that is plain at first sight, as most manifests are: importing PyYAML takes longer than starting Python.

Plain are block mappings and lists whose keys are words, and whose values take one line each: words, quoted text without
escapes, whole numbers, versions, `true`, `false` and lists of words in brackets. That PyYAML reads the same is tested.
"""

from __future__ import annotations

import re
import sys
from typing import Any

_MAX_CHARACTERS = 5_000
"""In so few no document is too deep, nor has it too many values."""

_SPECIAL_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null"})
# Texts, of which a document needs some compiled.
_ENTRY = r"(?a)([A-Za-z_][\w-]{0,99}):(?: +(.*))?"
_TEXT = r"/?[A-Za-z](?!.*(?:: | #|:$)).*|[0-9]+\.[0-9]+\.[0-9]+"
_QUOTED = r"""'[^']*'|"[^"\\]*\""""
_NUMBER = r"0|[1-9][0-9]{0,8}"
_WORDS = r"(?a)\[\w+(?:, \w+)*\]"


class _NotPlainError(Exception):
    pass


def read_plain(text: str) -> dict[str, Any] | None:
    """Return the value of a plain document; None for any other document, and for an empty one."""
    if len(text) > _MAX_CHARACTERS or not text.replace("\n", "").isprintable():
        return None
    try:
        return _Reader(text).read()
    except _NotPlainError:
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        lines = [(len(line) - len(line.lstrip(" ")), line.strip(" ")) for line in text.split("\n")]
        self._lines = [(indent, content) for indent, content in lines if content and content[0] != "#"]
        self._at = 0

    def read(self) -> dict[str, Any]:
        found = self._mapping(0)
        if not found or self._at < len(self._lines):
            raise _NotPlainError
        return found

    def _next(self) -> tuple[int, str]:
        """Return the indentation and the content of the next line."""
        return self._lines[self._at] if self._at < len(self._lines) else (-1, "")

    def _mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._next()[0] == indent and (entry := re.fullmatch(_ENTRY, self._next()[1])):
            key, value = entry.groups()
            if key in found or key.lower() in _SPECIAL_WORDS:
                raise _NotPlainError
            self._at += 1
            # Each document has the same keys, which need memory once.
            found[sys.intern(key)] = _read_scalar(value) if value else self._block(indent)
        return found

    def _block(self, outer: int) -> dict[str, Any] | list[Any] | None:
        """Read what stands below a key: more indented, but for lists."""
        indent, content = self._next()
        if content.startswith("- ") and indent >= outer:
            return self._list(indent)
        return self._mapping(indent) if indent > outer else None

    def _list(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while self._next()[0] == indent and (content := self._next()[1]).startswith("- "):
            item = content[2:]
            if re.fullmatch(_ENTRY, item):
                self._lines[self._at] = (indent + 2, item)
                found.append(self._mapping(indent + 2))
            else:
                self._at += 1
                found.append(_read_scalar(item))
        return found


def _read_scalar(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if text.lower() not in _SPECIAL_WORDS and re.fullmatch(_TEXT, text):
        return text
    if re.fullmatch(_QUOTED, text):
        return text[1:-1]
    if re.fullmatch(_NUMBER, text):
        return int(text)
    if text == "[]":
        return []
    if re.fullmatch(_WORDS, text):
        return [_read_scalar(word) for word in text[1:-1].split(", ")]
    raise _NotPlainError
