"""The user's cache: folders that are there completely or not at all, and that nobody changes afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

from hermes_sdk.errors import UnavailableError


def cache_dir() -> Path:
    """Where environments are kept: ``$HERMES_SDK_CACHE``, else ``hermes-sdk`` in the user's cache directory."""
    if own := os.environ.get("HERMES_SDK_CACHE"):
        return Path(own).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hermes-sdk"


def make_once(folder: Path, make: Callable[[Path], None], *, what: str, fix: str, probe: str = ".") -> None:
    """Make a folder of the cache unless it is there, once, also when several processes want it at the same time.

    Args:
        folder: The folder that is wanted.
        make: Makes it under the path that it is given; raises OSError when it cannot.
        what: What the folder holds, for the message.
        fix: What to do when it cannot be made, for the message.
        probe: A path in the folder that exists when the folder can be used.

    Raises:
        UnavailableError: It is not there, and could not be made.
    """
    if (folder / probe).exists():
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_name(f".{folder.name}.lock")):
            if not (folder / probe).exists():
                _replace(folder, make)
    except OSError as error:
        raise UnavailableError(f"{what} is not on this machine and could not be installed: {error}", fix=fix) from None


def _replace(folder: Path, make: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-", ignore_cleanup_errors=True) as half:
        made = Path(half) / "made"
        make(made)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


@contextlib.contextmanager
def _locked(path: Path) -> Generator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
