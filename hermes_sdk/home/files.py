"""Files replaced as a whole: a reader sees the old text or the new one, also after a crash."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_sdk.errors import UnavailableError


def replace_file(path: Path, data: bytes, *, mode: int, durable: bool) -> None:
    """Replace a file, or make it.

    A symbolic link stays one: its target is replaced.

    Args:
        path: The file.
        data: Its new content.
        mode: Its permissions.
        durable: Whether to wait until the disk has it.

    Raises:
        UnavailableError: The file cannot be written; the old one is untouched.
    """
    import tempfile

    path = Path(os.path.realpath(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            _write(descriptor, data, mode, durable)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink()
            raise
        if durable:
            _sync_directory(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnavailableError(
            f"cannot write the file: {reason}", where=str(path), fix="Nothing was changed."
        ) from error


def remove_leftovers(*paths: Path) -> None:
    """Remove what writers of these files left behind that were killed; no other writer may be at work.

    Args:
        *paths: The files.
    """
    for path in paths:
        path = Path(os.path.realpath(path))
        for leftover in path.parent.glob(f".{path.name}.*.tmp"):
            leftover.unlink(missing_ok=True)


def _write(descriptor: int, data: bytes, mode: int, durable: bool) -> None:
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)
        file.write(data)
        file.flush()
        if durable:
            os.fsync(descriptor)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
