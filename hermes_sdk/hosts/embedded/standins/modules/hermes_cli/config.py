"""Stands in for ``hermes_cli.config``: the configuration and the variables of the home."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.home.dotenv import parse_env, set_in_env
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "DEFAULT_CONFIG",
    "cfg_get",
    "ensure_hermes_home",
    "get_config_path",
    "get_env_path",
    "get_env_value",
    "get_env_value_prefer_dotenv",
    "get_hermes_home",
    "is_managed",
    "load_config",
    "load_config_readonly",
    "load_env",
    "read_raw_config",
    "remove_env_value",
    "save_config",
    "save_env_value",
]

_host = find_plugin_manager(__spec__)
_nulls_saved = _host.state.behaviour.config_nulls_saved
_dropped = object() if _nulls_saved else None
_Path = tuple[str, ...]

get_hermes_home = _host.state.home_path
DEFAULT_CONFIG: dict[str, Any] = copy.deepcopy(_host.state.contract.section("default_config")["values"])


def get_config_path() -> Path:
    """Return the path of ``config.yaml``."""
    return get_hermes_home() / "config.yaml"


def get_env_path() -> Path:
    """Return the path of ``.env``."""
    return get_hermes_home() / ".env"


def ensure_hermes_home() -> None:
    """Make the home, when it is not there."""
    get_hermes_home().mkdir(parents=True, exist_ok=True)


def is_managed() -> bool:
    """Tell whether something else owns the configuration."""
    return Home(get_hermes_home()).managed


def load_config() -> dict[str, Any]:
    """Return the configuration above the defaults of the release; a copy."""
    return _move_max_turns(copy.deepcopy(_host.state.config.above(DEFAULT_CONFIG)))


load_config_readonly = load_config


def read_raw_config() -> dict[str, Any]:
    """Return what ``config.yaml`` holds, without defaults; empty when it cannot be read."""
    return copy.deepcopy(Home(get_hermes_home()).config)


def save_config(
    config: dict[str, Any],
    *,
    strip_defaults: bool = True,
    preserve_keys: set[_Path] | None = None,
    merge_existing: bool = False,
) -> None:
    """Write ``config.yaml`` anew; what the configuration does not hold is gone, comments too.

    Args:
        config: The whole configuration.
        strip_defaults: Leave out values that equal the default and that the file did not hold before.
        preserve_keys: Paths of values to keep all the same.
        merge_existing: Keep sections of the file that `config` lacks.
    """
    if is_managed():
        return
    before = read_raw_config()
    if merge_existing:
        config = {**before, **{key: _merge(before.get(key), value) for key, value in config.items()}}
    saved = _restore_references(_move_max_turns(config), before)
    if strip_defaults:
        kept = {("_config_version",), *_leaves(before), *(preserve_keys or ())}
        saved = _strip_defaults(saved, DEFAULT_CONFIG, (), kept)
        saved = {} if saved is _dropped else saved
    ensure_hermes_home()
    path = get_config_path()
    path.write_text(yaml.safe_dump(saved, sort_keys=False, allow_unicode=True), encoding="utf-8")
    path.chmod(0o600)


def _move_max_turns(config: Mapping[str, Any]) -> dict[str, Any]:
    """Move the limit of turns from its old place to the new one."""
    agent = dict(config.get("agent") or {})
    if "max_turns" in config:
        agent.setdefault("max_turns", config["max_turns"])
    others = {key: value for key, value in config.items() if key != "max_turns"}
    return {**others, "agent": agent} if agent or "agent" in config or not _nulls_saved else others


def _merge(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: _merge(below.get(key), value) for key, value in above.items()}}
    return above


def _restore_references(value: Any, before: Any) -> Any:
    """Restore ``${NAME}`` where the file had it and the value still equals the variable."""
    if isinstance(value, dict) and isinstance(before, dict):
        return {key: _restore_references(inner, before.get(key)) for key, inner in value.items()}
    if isinstance(value, str) and isinstance(before, str) and "${" in before:
        expanded = re.sub(r"\$\{([^}]+)\}", lambda found: os.environ.get(found[1], found[0]), before)
        return before if value == expanded else value
    return value


def _leaves(config: Any, path: _Path = ()) -> set[_Path]:
    if isinstance(config, dict):
        return {leaf for key, value in config.items() for leaf in _leaves(value, (*path, key))}
    return {path}


def _strip_defaults(value: Any, default: Any, path: _Path, kept: set[_Path]) -> Any:
    """Remove what equals the default; return `_dropped` when nothing is left."""
    if path in kept:
        return value
    if isinstance(value, dict) and (value or not path):
        defaults = default if isinstance(default, dict) else {}
        parts = {key: _strip_defaults(inner, defaults.get(key), (*path, key), kept) for key, inner in value.items()}
        return {key: inner for key, inner in parts.items() if inner is not _dropped} or _dropped
    return _dropped if value == default else value


def cfg_get(cfg: Any, *keys: str, default: Any = None) -> Any:
    """Return a value from deep within a configuration."""
    for key in keys:
        if not isinstance(cfg, dict) or key not in cfg:
            return default
        cfg = cfg[key]
    return cfg if isinstance(cfg, dict) or keys else default


def load_env() -> dict[str, str]:
    """Return what ``.env`` sets."""
    return Home(get_hermes_home()).env


def get_env_value(key: str) -> str | None:
    """Return a variable of the process, or else of ``.env``."""
    return os.environ[key] if key in os.environ else load_env().get(key)


def get_env_value_prefer_dotenv(key: str) -> str | None:
    """Return a variable of ``.env``, or else of the process."""
    return load_env().get(key) or os.environ.get(key)


def save_env_value(key: str, value: str) -> None:
    """Set a variable in ``.env`` and in the process.

    Raises:
        ValueError: It is not the name of a variable, or one that the host does not let anybody set.
    """
    if not re.match(r"^[A-Za-z_][A-Za-z0-9_]*$", key):
        raise ValueError(f"Invalid environment variable name: {key!r}")
    clean = value.replace("\n", "").replace("\r", "").encode("ascii", "ignore").decode()
    try:
        assignment = set_in_env("", key, clean).rstrip("\n")
    except UsageError as error:
        raise ValueError(error.message) from None
    path = get_env_path()
    text = path.read_text(encoding="utf-8-sig", errors="replace") if path.exists() else ""
    lines = [line if line.lstrip().startswith("#") else line.strip() for line in text.split("\n")]
    lines = lines if lines[-1] else lines[:-1]
    first = next((at for at, line in enumerate(lines) if _sets(line, key)), len(lines))
    lines[first : first + 1] = [assignment]
    Home(get_hermes_home()).write_private(path, "".join(f"{line}\n" for line in lines))
    os.environ[key] = clean


def _sets(line: str, key: str) -> bool:
    spaced = _host.state.behaviour.spaced_variables_replaced
    return key in parse_env(line) and (spaced or line.removeprefix("export ").lstrip().startswith(f"{key}="))


def remove_env_value(key: str) -> bool:
    """Take a variable out of ``.env`` and of the process; tells whether ``.env`` set it."""
    path, found = get_env_path(), key in load_env()
    if found:
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if key not in parse_env(line)), encoding="utf-8")
    os.environ.pop(key, None)
    return found
