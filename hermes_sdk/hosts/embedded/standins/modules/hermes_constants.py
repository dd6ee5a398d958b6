"""Stands in for ``hermes_constants``: paths of the home."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.hosts.embedded.process.environment import (
    choose_directory,
    display,
    find_default_root,
    secure_parent_dir,
)
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

_state = find_plugin_manager(__spec__).state
_path = _state.home_path
get_process_hermes_home = _path.read_process_home
get_hermes_home_override = _path.find_override
set_hermes_home_override = _path.set
reset_hermes_home_override = _path.reset


# As in Hermes, the other functions call this function, even if a test has replaced it.
def get_hermes_home() -> Path:
    """Return the home, or the override for this context."""
    return _path()


def get_hermes_dir(new_subpath: str, old_name: str, *, home: Path | None = None) -> Path:
    """Return a directory of the home; see `choose_directory`."""
    if home is not None:
        raise _state.unsupported("find a directory of another home")
    return choose_directory(get_hermes_home(), new_subpath, old_name)


def get_default_hermes_root(*, home: str | Path | None = None) -> Path:
    """Return the home of the default profile."""
    if home is not None:
        raise _state.unsupported("find the default profile of another home")
    return find_default_root()


def display_hermes_home(home: Path | None = None) -> str:
    """Return the home, abbreviated with ``~``."""
    if home is not None:
        raise _state.unsupported("show another home")
    return display(get_hermes_home())


def get_config_path() -> Path:
    """Return the path of ``config.yaml``."""
    return get_hermes_home() / "config.yaml"


def get_skills_dir() -> Path:
    """Return the directory of skills."""
    return get_hermes_home() / "skills"


def get_env_path() -> Path:
    """Return the path of ``.env``."""
    return get_hermes_home() / ".env"
