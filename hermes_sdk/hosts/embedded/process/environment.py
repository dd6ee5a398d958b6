"""Environment of the process as Hermes reads it: switches, and the home in HERMES_HOME or set for a context."""

from __future__ import annotations

import contextlib
import os
import re
from contextvars import ContextVar, Token
from pathlib import Path


def truthy(name: str) -> bool:
    """Return whether an environment variable is switched on."""
    return is_word_on(os.environ.get(name, ""))


def is_word_on(word: str) -> bool:
    """Return whether Hermes reads a word as true."""
    return word.strip().lower() in {"1", "true", "yes", "on"}


def is_on(value: object) -> bool:
    """Return whether Hermes reads a setting, which may be a word, as true."""
    return is_word_on(value) if isinstance(value, str) else bool(value)


class HomePath:
    """Home of one host and its plugins; `override` is the home that was set for a context."""

    def __init__(self) -> None:
        self.override: ContextVar[str | None] = ContextVar("hermes_home_override", default=None)

    def __call__(self) -> Path:
        """Return the home for this context."""
        return Path(self.override.get() or self.read_process_home())

    def read_process_home(self) -> Path:
        """Return the home of the process."""
        return Path(os.environ.get("HERMES_HOME", "").strip() or Path.home() / ".hermes")

    def set(self, path: str | Path | None) -> Token[str | None]:
        """Set the home for this context; None removes the override."""
        return self.override.set(None if path is None else str(path))

    def reset(self, token: Token[str | None]) -> None:
        """Restore the previous override."""
        self.override.reset(token)

    def find_override(self) -> str | None:
        """Return the home that was set for this context, or None."""
        return self.override.get() or None


def display(home: Path) -> str:
    """Abbreviate the path of a home with ``~``."""
    user = Path.home()
    return f"~/{home.relative_to(user)}" if home.is_relative_to(user) else str(home)


def find_default_root() -> Path:
    """Return the home of the default profile, which contains the homes of other profiles."""
    native = Path.home() / ".hermes"
    given = os.environ.get("HERMES_HOME", "")
    home = Path(given)
    if not given or home.resolve().is_relative_to(native.resolve()):
        return native
    return home.parent.parent if home.parent.name == "profiles" else home


def choose_directory(home: Path, new_subpath: str, old_name: str) -> Path:
    """Return a directory of a home: the old one if it is not empty, otherwise the new one."""
    old = home / old_name
    in_use = old.is_symlink() or old.is_file() or (old.is_dir() and any(old.iterdir()))
    return old if in_use else home / new_subpath


def name_profile(home: Path, root: Path) -> str:
    """Name the profile of a home, given the home of the default profile."""
    home, root = home.resolve(), root.resolve()
    if home == root:
        return "default"
    is_named = home.parent == root / "profiles" and re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}\n?", home.name)
    return home.name if is_named else "custom"


def secure_parent_dir(path: Path) -> None:
    """Make the directory of a file private to the user, unless it is directly below the root."""
    parent = path.parent.resolve()
    if len(parent.parts) >= 3:
        with contextlib.suppress(OSError):
            parent.chmod(0o700)
