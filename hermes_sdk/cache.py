"""The user's cache: folders that are there completely or not at all, and that nobody changes afterwards."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Generator
from pathlib import Path

from hermes_sdk import links
from hermes_sdk.errors import UnavailableError
from hermes_sdk.system import is_root

_HALF = ".half"


def cache_dir() -> Path:
    """Return where environments are kept: ``$HERMES_SDK_CACHE``, else ``hermes-sdk`` in the user's cache directory.

    Raises:
        UnavailableError: Root runs this, and another user can change the directory.
    """
    own = os.environ.get("HERMES_SDK_CACHE")
    beside = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(own).absolute() if own else beside / "hermes-sdk"
    if is_root() and _is_open_to_others(folder):
        raise UnavailableError(
            "another user can change the cache directory, from which root runs programs",
            where=str(folder),
            fix="Set HERMES_SDK_CACHE to a directory that belongs to root and that only root can write.",
        )
    return folder


def _is_open_to_others(folder: Path) -> bool:
    try:
        with links.directory(folder) as descriptor:
            status = os.fstat(descriptor)
    except links.LinkError:
        return True
    except OSError:  # It is not there yet.
        return False
    by_group = status.st_mode & stat.S_IWGRP and status.st_gid != 0
    return bool(status.st_uid != 0 or status.st_mode & stat.S_IWOTH or by_group)


def make_once(
    folder: Path, make: Callable[[Path], None], *, what: str, fix: str, is_usable: Callable[[Path], bool] = Path.is_dir
) -> None:
    """Make a folder of the cache unless it is there, once, also when several processes want it at the same time.

    What processes left that were killed while they made a folder beside it is deleted.

    Args:
        make: Makes it under the path that it is given; raises OSError when it cannot.
        what: What the folder holds, for the message.
        fix: What to do when it cannot be made, for the message.
        is_usable: Tells whether the folder is there and nothing in it that matters is gone.

    Raises:
        UnavailableError: It is not there, and could not be made.
    """
    _clear(folder.parent)
    if is_usable(folder):
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock_file(_lock_of(folder)):
            if not is_usable(folder):
                _replace(folder, make)
    except OSError as error:
        if isinstance(error, PermissionError):
            fix = f"Set HERMES_SDK_CACHE to a directory that you can write, instead of {cache_dir()}."
        raise UnavailableError(f"{what} is not on this machine and could not be installed: {error}", fix=fix) from None


def remove(folder: Path) -> None:
    """Remove a folder of the cache, when nobody makes it."""
    if folder.exists():
        with _lock_file(_lock_of(folder)):
            links.remove_tree(folder)


def _replace(folder: Path, make: Callable[[Path], None]) -> None:
    import shutil

    half = folder.with_name(f".{folder.name}{_HALF}")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    try:
        make(half / "made")
        shutil.rmtree(folder, ignore_errors=True)
        (half / "made").rename(folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _clear(parent: Path) -> None:
    """Delete what was half made by processes that are no more: they have no lock."""
    for half in parent.glob(f".*{_HALF}"):
        import shutil

        folder = parent / half.name.removeprefix(".").removesuffix(_HALF)
        with contextlib.suppress(OSError), _lock_file(_lock_of(folder), wait=False):
            shutil.rmtree(half, ignore_errors=True)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.lock")


@contextlib.contextmanager
def _lock_file(path: Path, *, wait: bool = True) -> Generator[None]:
    import fcntl

    descriptor = links.open_file(path, flags=links.LOCK_FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
