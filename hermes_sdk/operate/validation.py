"""Validation of untrusted names and texts, which terminals, file systems or Git could misinterpret."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from hermes_sdk.errors import UsageError

_FIX = "Use only lowercase letters, digits, '-' and '_'."
_MAX_BYTES = 255
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|__pycache__|git~\d+")
_REPOSITORY = re.compile(r"\.git|git~\d+")


def is_repository(name: str) -> bool:
    """Return whether any file system treats the name of a file or directory as ``.git``."""
    return bool(_REPOSITORY.fullmatch(_fold_name(name).partition(":")[0].rstrip(" .")))


def check_name(name: str, plugins_dir: Path) -> str:
    """Reject a name that points outside `plugins/`, or that terminals cannot display unchanged (statement J16).

    Raises:
        UsageError: The name is not valid.
    """
    if name in ("", ".", "..") or any(bad in name for bad in ("/", "\\", "..")):
        raise UsageError(f"Invalid plugin name {name!r}: it points outside {plugins_dir}", fix=_FIX)
    if not name.isprintable() or len(os.fsencode(name)) > _MAX_BYTES:
        raise UsageError(f"Invalid plugin name {name[:80]!r}: it contains control characters or is too long", fix=_FIX)
    return name


def check_new_name(name: str, plugins_dir: Path) -> str:
    """Reject names as `check_name` does, hidden and reserved names, and those too similar to existing ones.

    Raises:
        UsageError: The name is not valid.
    """
    check_name(name, plugins_dir)
    if name.startswith(".") or name != name.strip(" .") or _RESERVED.fullmatch(_fold_name(name)) or is_repository(name):
        raise UsageError(f"Invalid plugin name {name!r}: it begins with a dot or is reserved", fix=_FIX)
    others = (path.name for path in plugins_dir.iterdir()) if plugins_dir.is_dir() else ()
    for other in others:
        if other != name and _fold_name(other) == _fold_name(name):
            raise UsageError(
                f"Invalid plugin name {name!r}: some file systems cannot tell it from {other!r}, which is installed",
                fix=f"Give the plugin another name, or remove '{other}' first.",
            )
    return name


def _fold_name(name: str) -> str:
    """Normalise a name like the least strict file system does when it compares names."""
    visible = "".join(character for character in name if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


def printable(text: object) -> str:
    """Replace characters that could control a terminal by U+FFFD; line breaks stay."""
    return "".join(character if character.isprintable() or character == "\n" else "�" for character in str(text))


def redact(text: str) -> str:
    """Remove user names and passwords from URLs in a text."""
    return _CREDENTIALS.sub("***@", text)
