"""Stands in for ``hermes_constants``: where the files of the home are."""

from __future__ import annotations

import contextlib
import os
from contextvars import Token
from pathlib import Path

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "display_hermes_home",
    "get_config_path",
    "get_default_hermes_root",
    "get_env_path",
    "get_hermes_dir",
    "get_hermes_home",
    "get_hermes_home_override",
    "get_process_hermes_home",
    "get_skills_dir",
    "reset_hermes_home_override",
    "secure_parent_dir",
    "set_hermes_home_override",
]

_path = find_plugin_manager(__spec__).state.home_path


def get_hermes_home() -> Path:
    """Return the home, or what was set in its place for this context."""
    return _path()


def get_process_hermes_home() -> Path:
    """Return the home of the process."""
    return _path.of_process()


def set_hermes_home_override(path: str | Path | None) -> Token[str | None]:
    """Let another directory be the home in this context; None takes that back."""
    return _path.override.set(None if path is None else str(path))


def reset_hermes_home_override(token: Token[str | None]) -> None:
    """Take an override back."""
    _path.override.reset(token)


def get_hermes_home_override() -> str | None:
    """Return the home that was set for this context."""
    return _path.override.get() or None


def get_default_hermes_root() -> Path:
    """Return the home of the default profile: of a profile's home the directory that holds all profiles."""
    native = Path.home() / ".hermes"
    given = os.environ.get("HERMES_HOME", "")
    home = Path(given)
    if not given or home.resolve().is_relative_to(native.resolve()):
        return native
    return home.parent.parent if home.parent.name == "profiles" else home


def get_hermes_dir(new_subpath: str, old_name: str) -> Path:
    """Return a directory of the home: the old one as long as there is something in it, else the new one."""
    old = get_hermes_home() / old_name
    in_use = old.is_symlink() or old.is_file() or (old.is_dir() and any(old.iterdir()))
    return old if in_use else get_hermes_home() / new_subpath


def display_hermes_home() -> str:
    """Return the home as a person writes it, with ``~``."""
    home = get_hermes_home()
    return f"~/{home.relative_to(Path.home())}" if home.is_relative_to(Path.home()) else str(home)


def get_config_path() -> Path:
    """Return the path of ``config.yaml``."""
    return get_hermes_home() / "config.yaml"


def get_skills_dir() -> Path:
    """Return the folder of skills."""
    return get_hermes_home() / "skills"


def get_env_path() -> Path:
    """Return the path of ``.env``."""
    return get_hermes_home() / ".env"


def secure_parent_dir(path: Path) -> None:
    """Close the directory of a file to others; never one directly below the root."""
    parent = path.parent.resolve()
    if len(parent.parts) >= 3:
        with contextlib.suppress(OSError):
            parent.chmod(0o700)
