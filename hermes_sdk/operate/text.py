"""Text of strangers on the user's terminal: manifests, notes of plugins, messages of git."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


def printable(text: object) -> str:
    """Return text without what could steer a terminal; each such character becomes U+FFFD, line breaks stay."""
    return "".join(character if character.isprintable() or character == "\n" else "�" for character in str(text))


def redact(text: str) -> str:
    """Return text in which URLs have lost their user names and passwords."""
    return _CREDENTIALS.sub("***@", text)
