"""YAML read the way the host reads it, within limits: PyYAML is imported only for what is not plain."""

from __future__ import annotations

import functools
import marshal
from typing import Any, TextIO

from hermes_sdk.documents import MAX_BYTES
from hermes_sdk.manifest.plain import read_plain


def load_yaml(text: str | TextIO, *, pure: bool = False) -> Any:
    """Read one YAML document.

    Args:
        text: The document, or an open file that holds it and nothing was read of; errors then name the file.
        pure: Whether errors are those of the loader in Python, not those of libyaml; values are the same.

    Returns:
        Its value; None for an empty document.

    Raises:
        yaml.YAMLError: The text is not one YAML document of plain types, or `RefusedError`.
        ValueError: A scalar looks like a date or a number and is none, such as ``2026-13-01``.
    """
    content = text if isinstance(text, str) else text.read(MAX_BYTES + 1)
    if (known := _frozen(content, pure=pure)) is not None:
        return marshal.loads(known)
    from hermes_sdk.manifest.safe_loader import load_document

    if not isinstance(text, str):
        text.seek(0)
    return load_document(text, content, pure=pure)


def yaml_error() -> type[Exception]:
    """Return `yaml.YAMLError`, for `except` clauses, which Python evaluates only after an error."""
    from hermes_sdk.manifest.safe_loader import yaml

    return yaml.YAMLError


@functools.lru_cache(maxsize=64)
def _frozen(text: str, *, pure: bool) -> bytes | None:
    """The value of a document as bytes, from which each reader gets one of its own; None where that cannot be.

    The tests of a plugin read the same manifest and the same configuration over and over.
    """
    value = read_plain(text)
    if value is not None:
        return marshal.dumps(value)
    from hermes_sdk.manifest.safe_loader import load_document

    try:
        return marshal.dumps(load_document(text, text, pure=pure))
    except Exception:
        return None
