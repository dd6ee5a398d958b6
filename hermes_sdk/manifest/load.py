"""YAML read as the host reads it, within limits; a YAML library is imported only for documents that are not plain.

Plain documents, such as most manifests, are block mappings and lists with words as keys and one line for each value:
words, quoted text without escapes, whole numbers, versions, `true`, `false` and bracketed lists of words. A small
reader here handles them, since importing a library takes longer than starting Python. Tests verify that all readers
agree on them.
"""

from __future__ import annotations

import functools
import marshal
import re
import sys
from typing import TYPE_CHECKING, Any, Literal, TextIO

from hermes_sdk.documents import MAX_BYTES

if TYPE_CHECKING:
    from hermes_sdk.contract import Behaviour

YamlReader = Literal["libyaml", "pyyaml", "ruamel"]
"""Reader of a document: PyYAML with libyaml, PyYAML with its parser in Python, or ruamel.yaml.

The parsers of PyYAML reject different texts and raise different errors. ruamel.yaml also rejects duplicate keys, and
interprets `y`, `n` and some numbers differently.
"""

_MAX_CHARACTERS = 5_000
"""Length up to which no document can be too deep or have too many values."""

_SPECIAL_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null", "y", "n"})
# Patterns are plain strings, because a document needs only some of them compiled.
_ENTRY = r"(?a)([A-Za-z_][\w-]{0,99}):(?: +(.*))?"
_TEXT = r"/?[A-Za-z](?!.*(?:: | #|:$)).*|[0-9]+\.[0-9]+\.[0-9]+"
_QUOTED = r"""'[^']*'|"[^"\\]*\""""
_NUMBER = r"0|[1-9][0-9]{0,8}"
_WORDS = r"(?a)\[\w+(?:, \w+)*\]"


def choose_reader(behaviour: Behaviour, *, in_python: bool = False) -> YamlReader:
    """Return the reader that a release uses.

    Args:
        in_python: Whether releases that use PyYAML use its parser in Python.
    """
    if behaviour.yaml_read_by_ruamel:
        return "ruamel"
    return "libyaml" if behaviour.libyaml and not in_python else "pyyaml"


def load_yaml(text: str | TextIO, reader: YamlReader = "libyaml") -> Any:
    """Read one YAML document.

    Args:
        text: The document, or a file opened at its start; PyYAML's errors then name the file.
        reader: The reader.

    Returns:
        Its value; None for an empty document.

    Raises:
        YAMLError: The text is not a single YAML document of plain types; the class is that of the reader's library, see
            `reading_errors`.
        RefusedError: The document is too large, too deep or self-referential.
        ValueError: A scalar looks like a date or a number but is not valid, such as ``2026-13-01``.
    """
    content = text if isinstance(text, str) else text.read(MAX_BYTES + 1)
    if (known := _load_marshalled(content, reader)) is not None:
        return marshal.loads(known)
    if not isinstance(text, str):
        text.seek(0)
    return _load(text, content, reader)


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors of reading a YAML file, for `except` clauses, which Python evaluates only after an error."""
    libraries = (sys.modules.get(name) for name in ("yaml", "ruamel.yaml.error"))
    return (OSError, ValueError, RecursionError, *(library.YAMLError for library in libraries if library))


def _load(text: str | TextIO, content: str, reader: YamlReader) -> Any:
    if reader == "ruamel":
        from hermes_sdk.manifest.ruamel_loader import load_document as load_by_ruamel

        return load_by_ruamel(content)
    from hermes_sdk.manifest.safe_loader import load_document

    return load_document(text, content, pure=reader == "pyyaml")


@functools.lru_cache(maxsize=64)
def _load_marshalled(text: str, reader: YamlReader) -> bytes | None:
    """Return a document's marshalled value, so that each caller gets its own copy; None if that is impossible.

    Cached, because the tests of a plugin read the same manifest and configuration many times.
    """
    value = read_plain(text)
    if value is not None:
        return marshal.dumps(value)
    try:
        return marshal.dumps(_load(text, text, reader))
    except Exception:
        return None


class _NotPlainError(Exception):
    pass


def read_plain(text: str) -> dict[str, Any] | None:
    """Return the value of a plain document; None for an empty document or any other."""
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
        found = self._read_mapping(0)
        if not found or self._at < len(self._lines):
            raise _NotPlainError
        return found

    def _peek_line(self) -> tuple[int, str]:
        """Return the indentation and content of the next line."""
        return self._lines[self._at] if self._at < len(self._lines) else (-1, "")

    def _read_mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._peek_line()[0] == indent and (entry := re.fullmatch(_ENTRY, self._peek_line()[1])):
            key, value = entry.groups()
            if key in found or key.lower() in _SPECIAL_WORDS:
                raise _NotPlainError
            self._at += 1
            # Documents share their keys, so intern them to save memory.
            found[sys.intern(key)] = _read_scalar(value) if value else self._read_block(indent)
        return found

    def _read_block(self, outer: int) -> dict[str, Any] | list[Any] | None:
        """Read the mapping or list below a key; only a list need not be indented further."""
        indent, content = self._peek_line()
        if content.startswith("- ") and indent >= outer:
            return self._read_list(indent)
        return self._read_mapping(indent) if indent > outer else None

    def _read_list(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while self._peek_line()[0] == indent and (content := self._peek_line()[1]).startswith("- "):
            item = content[2:]
            if re.fullmatch(_ENTRY, item):
                self._lines[self._at] = (indent + 2, item)
                found.append(self._read_mapping(indent + 2))
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
