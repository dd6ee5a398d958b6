"""User cache: directories that are created atomically and never modified."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Generator
from pathlib import Path

from hermes_sdk import links
from hermes_sdk.errors import UnavailableError
from hermes_sdk.system import is_root

_PARTIAL_SUFFIX = ".half"


def cache_dir() -> Path:
    """Return the cache directory: ``$HERMES_SDK_CACHE``, else ``hermes-sdk`` in the user's cache directory.

    Raises:
        UnavailableError: The process runs as root, and another user can change the directory.
    """
    own = os.environ.get("HERMES_SDK_CACHE")
    parent = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(own).absolute() if own else parent / "hermes-sdk"
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
    except OSError:  # The directory does not exist yet.
        return False
    by_group = status.st_mode & stat.S_IWGRP and status.st_gid != 0
    return bool(status.st_uid != 0 or status.st_mode & stat.S_IWOTH or by_group)


def make_once(
    folder: Path, make: Callable[[Path], None], *, what: str, fix: str, is_usable: Callable[[Path], bool] = Path.is_dir
) -> None:
    """Create a cache directory if it is missing; safe to call from several processes.

    Also removes partial directories left by killed processes.

    Args:
        make: Creates the directory at a given path; raises OSError on failure.
        what: The content of the directory, for the error message.
        fix: The advice in the error message.
        is_usable: Returns whether the directory exists and is complete.

    Raises:
        UnavailableError: The directory is missing and could not be created.
    """
    _remove_partial(folder.parent)
    if is_usable(folder):
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock_file(_lock_path(folder)):
            if not is_usable(folder):
                _replace(folder, make)
    except OSError as error:
        if isinstance(error, PermissionError):
            fix = f"Set HERMES_SDK_CACHE to a directory that you can write, instead of {cache_dir()}."
        raise UnavailableError(f"{what} is not on this machine and could not be installed: {error}", fix=fix) from None


def remove(folder: Path) -> None:
    """Remove a cache directory, unless a process is creating it."""
    if folder.exists():
        with _lock_file(_lock_path(folder)):
            links.remove_tree(folder)


def _replace(folder: Path, make: Callable[[Path], None]) -> None:
    import shutil

    partial = folder.with_name(f".{folder.name}{_PARTIAL_SUFFIX}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    try:
        make(partial / "made")
        shutil.rmtree(folder, ignore_errors=True)
        (partial / "made").rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _remove_partial(parent: Path) -> None:
    """Delete partial directories of processes that have ended and therefore hold no lock."""
    for partial in parent.glob(f".*{_PARTIAL_SUFFIX}"):
        import shutil

        folder = parent / partial.name.removeprefix(".").removesuffix(_PARTIAL_SUFFIX)
        with contextlib.suppress(OSError), _lock_file(_lock_path(folder), wait=False):
            shutil.rmtree(partial, ignore_errors=True)


def _lock_path(folder: Path) -> Path:
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
