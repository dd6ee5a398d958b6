"""Untrusted documents, read within limits of size and nesting.

This module parses JSON and TOML, and `hermes_sdk.manifest.load` parses YAML with the same limits. No other module may
call a parser.
"""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any, NoReturn

from hermes_sdk import links

MAX_BYTES = 1024 * 1024
"""Maximum size of a YAML or TOML document."""

MAX_JSON_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 200
MAX_NODES = 100_000

# The time that `tomllib` takes for a key is quadratic in the number of its parts.
_MAX_KEY_DOTS = 100

_JSON_TOKEN = r'(?s)"(?:[^"\\]|\\.)*+"?+|[\[{]|[\]}]'


class DocumentError(ValueError):
    """The document is larger or more deeply nested than any legitimate one."""


def read_text(
    path: Path | int, *, root: Path | None = None, max_bytes: int = MAX_BYTES, encoding: str = "utf-8"
) -> str:
    """Return the text of a regular file, with its line ends unchanged.

    Args:
        path: The file, or its descriptor, which is closed.
        root: A directory out of which links must not lead; see `hermes_sdk.links`. Default: all links are followed.

    Raises:
        OSError: The file cannot be read, or is not a regular file.
        DocumentError: The file is too large.
        UnicodeDecodeError: The file has another encoding.
    """
    return read_bytes(path, root=root, max_bytes=max_bytes).decode(encoding)


def read_bytes(path: Path | int, *, root: Path | None = None, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file; see `read_text`."""
    data = read_beginning(path, max_bytes + 1, root=root)
    _refuse_large(data, max_bytes)
    return data


def read_beginning(path: Path | int, count: int, *, root: Path | None = None) -> bytes:
    """Return the first bytes of a regular file; see `read_text`."""
    if isinstance(path, int):
        descriptor = path
    elif root is not None:
        descriptor = links.open_file(path, root)
    else:
        descriptor = os.open(path, links.READ)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", str(path))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(count)


def read_user_file(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file or pipe passed by the user; waits for the writer of a pipe.

    Raises:
        OSError: The file cannot be read.
        DocumentError: The file is too large.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            _refuse_size(max_bytes)
        data = file.read(max_bytes + 1)
    _refuse_large(data, max_bytes)
    return data


def parse_json(text: str | bytes, *, max_bytes: int = MAX_JSON_BYTES) -> Any:
    """Parse a JSON document.

    Raises:
        ValueError: The text is not valid JSON; a `DocumentError` if it is too large or too deep.
    """
    _refuse_large(text, max_bytes)
    content = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
    if content.count("[") + content.count("{") > MAX_DEPTH:
        depth = 0
        for token in re.finditer(_JSON_TOKEN, content):
            depth += (token[0] in "[{") - (token[0] in "]}")
            if depth > MAX_DEPTH:
                raise DocumentError(f"nested more than {MAX_DEPTH} levels deep")
    return json.loads(content)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML document.

    Raises:
        ValueError: The text is not valid TOML; a `DocumentError` if it is too large or too deep.
    """
    import tomllib

    _refuse_large(text, MAX_BYTES)
    for line in text.splitlines():
        *keys, last = line.split("=")
        keys += [last] if line.lstrip().startswith("[") else []
        if any(key.count(".") > _MAX_KEY_DOTS for key in keys):
            raise DocumentError(f"a key has more than {_MAX_KEY_DOTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DocumentError(f"nested more than {MAX_DEPTH} levels deep") from None


def _refuse_large(text: str | bytes, max_bytes: int) -> None:
    if len(text) > max_bytes:
        _refuse_size(max_bytes)


def _refuse_size(max_bytes: int) -> NoReturn:
    shown = f"{max_bytes >> 20} MiB" if max_bytes >> 20 else f"{max_bytes >> 10} KiB"
    raise DocumentError(f"larger than {shown}")
