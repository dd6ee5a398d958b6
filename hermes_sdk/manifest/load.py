"""YAML read the way the host reads it, within limits; a YAML library is imported only for what is not plain.

Plain, as most manifests are, are block mappings and lists whose keys are words, and whose values take one line each:
words, quoted text without escapes, whole numbers, versions, `true`, `false` and lists of words in brackets. They are
read here, since importing a library takes longer than starting Python. That every reader reads the same is tested.
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
"""What reads a document: PyYAML with the parser libyaml, PyYAML with its parser in Python, or ruamel.yaml.

The parsers of PyYAML differ in what they reject and in its errors. ruamel.yaml also rejects duplicate keys, and takes
`y`, `n` and numbers for something else.
"""

_MAX_CHARACTERS = 5_000
"""In so few no document is too deep, nor has it too many values."""

_SPECIAL_WORDS = frozenset({"yes", "no", "true", "false", "on", "off", "null", "y", "n"})
# Texts, of which a document needs some compiled.
_ENTRY = r"(?a)([A-Za-z_][\w-]{0,99}):(?: +(.*))?"
_TEXT = r"/?[A-Za-z](?!.*(?:: | #|:$)).*|[0-9]+\.[0-9]+\.[0-9]+"
_QUOTED = r"""'[^']*'|"[^"\\]*\""""
_NUMBER = r"0|[1-9][0-9]{0,8}"
_WORDS = r"(?a)\[\w+(?:, \w+)*\]"


def choose_reader(behaviour: Behaviour, *, in_python: bool = False) -> YamlReader:
    """Return what reads a document in a release.

    Args:
        in_python: Whether releases that use PyYAML read it with the parser in Python.
    """
    if behaviour.yaml_read_by_ruamel:
        return "ruamel"
    return "libyaml" if behaviour.libyaml and not in_python else "pyyaml"


def load_yaml(text: str | TextIO, reader: YamlReader = "libyaml") -> Any:
    """Read one YAML document.

    Args:
        text: The document, or an open file that holds it and nothing was read of; errors of PyYAML then name the file.
        reader: What reads it.

    Returns:
        Its value; None for an empty document.

    Raises:
        YAMLError: The text is not one YAML document of plain types; one of `reading_errors`, of the library that reads.
        RefusedError: It is too large, too deep or refers to itself.
        ValueError: A scalar looks like a date or a number and is none, such as ``2026-13-01``.
    """
    content = text if isinstance(text, str) else text.read(MAX_BYTES + 1)
    if (known := _frozen(content, reader)) is not None:
        return marshal.loads(known)
    if not isinstance(text, str):
        text.seek(0)
    return _load(text, content, reader)


def reading_errors() -> tuple[type[Exception], ...]:
    """Return what reading a YAML file raises, for `except` clauses, which Python evaluates only after an error."""
    libraries = (sys.modules.get(name) for name in ("yaml", "ruamel.yaml.error"))
    return (OSError, ValueError, RecursionError, *(library.YAMLError for library in libraries if library))


def _load(text: str | TextIO, content: str, reader: YamlReader) -> Any:
    if reader == "ruamel":
        from hermes_sdk.manifest.ruamel_loader import load_document as load_by_ruamel

        return load_by_ruamel(content)
    from hermes_sdk.manifest.safe_loader import load_document

    return load_document(text, content, pure=reader == "pyyaml")


@functools.lru_cache(maxsize=64)
def _frozen(text: str, reader: YamlReader) -> bytes | None:
    """The value of a document as bytes, from which each reader gets one of its own; None where that cannot be.

    The tests of a plugin read the same manifest and the same configuration over and over.
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
