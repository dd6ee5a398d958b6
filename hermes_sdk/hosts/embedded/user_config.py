"""The user's ``config.yaml`` and ``.env``, as ``hermes_cli.config`` reads and writes them."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.home.dotenv import parse_env, set_in_env
from hermes_sdk.hosts.config import HostConfig
from hermes_sdk.hosts.embedded.secret_scope import SecretScope
from hermes_sdk.manifest.load import YamlReader, choose_reader
from hermes_sdk.manifest.safe_loader import Dumper, yaml

_Path = tuple[str, ...]
_HOMEBREW = frozenset({"brew", "homebrew"})
_OFF = frozenset({"false", "0", "no", "off"})


class UserConfig:
    """The configuration and the variables of a home.

    Attributes:
        defaults: The default configuration of the release; plugins may change it.
        secrets: Secrets of the current context.
    """

    def __init__(self, contract: Contract, home: Callable[[], Path], config: HostConfig) -> None:
        self._home = home
        self._config = config
        self._behaviour = contract.behaviour
        self._reader: YamlReader = choose_reader(contract.behaviour)
        self.defaults: dict[str, Any] = copy.deepcopy(contract.section("default_config")["values"])
        self.secrets = SecretScope(overlays=contract.behaviour.secret_scope_overlays)
        self._saves_nulls = self._behaviour.config_nulls_saved
        self._dropped = object() if self._saves_nulls else None

    def get_config_path(self) -> Path:
        """Return the path of ``config.yaml``."""
        return self._home() / "config.yaml"

    def get_env_path(self) -> Path:
        """Return the path of ``.env``."""
        return self._home() / ".env"

    def ensure_hermes_home(self) -> None:
        """Create the home if it does not exist."""
        self._home().mkdir(parents=True, exist_ok=True)

    def is_managed(self) -> bool:
        """Return whether another program manages the configuration."""
        value = os.environ.get("HERMES_MANAGED", "").strip().lower()
        ignored = _HOMEBREW if self._behaviour.homebrew_manages_nothing else frozenset[str]()
        if self._behaviour.managed_may_be_off:
            ignored |= _OFF
        return value not in ignored if value else (self._home() / ".managed").exists()

    def load_config(self) -> dict[str, Any]:
        """Return a copy of the configuration, merged into the defaults of the release."""
        return self._move_max_turns(copy.deepcopy(self._config.above(self.defaults)))

    def read_raw_config(self) -> dict[str, Any]:
        """Return the content of ``config.yaml`` without defaults, or an empty mapping if it cannot be read."""
        return copy.deepcopy(Home(self._home(), reader=self._reader).config)

    def save_config(
        self,
        config: dict[str, Any],
        *,
        strip_defaults: bool = True,
        preserve_keys: set[_Path] | None = None,
        merge_existing: bool = False,
    ) -> None:
        """Replace ``config.yaml``; keys that are not in the configuration and comments are lost.

        Args:
            strip_defaults: Omit values that equal the default and were not in the file before.
            preserve_keys: Paths of values to keep even if they equal the default.
            merge_existing: Keep sections of the file that `config` lacks.
        """
        if self.is_managed():
            return
        before = self.read_raw_config()
        if merge_existing:
            # Null leaves an existing value unchanged only within a section.
            config = {**self._config.merge(before, config), **{key: None for key in config if config[key] is None}}
        saved = _restore_references(self._move_max_turns(config), before)
        if strip_defaults:
            kept = {("_config_version",), *_list_leaves(before), *(preserve_keys or ())}
            saved = self._strip_defaults(saved, self.defaults, (), kept)
            saved = {} if saved is self._dropped else saved
        self.ensure_hermes_home()
        path = self.get_config_path()
        path.write_text(yaml.dump(saved, Dumper=Dumper, sort_keys=False, allow_unicode=True), encoding="utf-8")
        path.chmod(0o600)

    def _move_max_turns(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Move ``max_turns`` from the top level to the section ``agent``."""
        agent = dict(config.get("agent") or {})
        if "max_turns" in config:
            agent.setdefault("max_turns", config["max_turns"])
        others = {key: value for key, value in config.items() if key != "max_turns"}
        return {**others, "agent": agent} if agent or "agent" in config or not self._saves_nulls else others

    def _strip_defaults(self, value: Any, default: Any, path: _Path, kept: set[_Path]) -> Any:
        """Remove values that equal the default; return `_dropped` if nothing is left."""
        if path in kept:
            return value
        if isinstance(value, dict) and (value or not path):
            defaults = default if isinstance(default, dict) else {}
            parts = {
                key: self._strip_defaults(inner, defaults.get(key), (*path, key), kept) for key, inner in value.items()
            }
            return {key: inner for key, inner in parts.items() if inner is not self._dropped} or self._dropped
        return self._dropped if value == default else value

    def load_env(self) -> dict[str, str]:
        """Return the variables of ``.env``."""
        return Home(self._home()).env

    def get_env_value(self, key: str) -> str | None:
        """Return a variable of the process, otherwise of ``.env``; in newer releases, a secret of the context first."""
        get = self.secrets.get if self._behaviour.variables_scoped else os.environ.get
        value = get(key)
        return self.load_env().get(key) if value is None else value

    def get_env_value_prefer_dotenv(self, key: str) -> str | None:
        """Return a variable of ``.env``, otherwise of the process."""
        return self.load_env().get(key) or os.environ.get(key)

    def get_provider_env(self, name: str) -> str:
        """Return a variable of the process, otherwise of ``.env``, stripped; an empty string if it is not set."""
        return (os.environ.get(name) or self.load_env().get(name) or "").strip()

    def save_env_value(self, key: str, value: str) -> None:
        """Set a variable in ``.env`` and in the process.

        Raises:
            ValueError: The name is not valid, or Hermes does not allow setting the variable.
        """
        if not re.match(r"^[A-Za-z_][A-Za-z0-9_]*$", key):
            raise ValueError(f"Invalid environment variable name: {key!r}")
        clean = value.replace("\n", "").replace("\r", "").encode("ascii", "ignore").decode()
        try:
            assignment = set_in_env("", key, clean).rstrip("\n")
        except UsageError as error:
            raise ValueError(error.message) from None
        path = self.get_env_path()
        text = path.read_text(encoding="utf-8-sig", errors="replace") if path.exists() else ""
        lines = [line if line.lstrip().startswith("#") else line.strip() for line in text.split("\n")]
        lines = lines if lines[-1] else lines[:-1]
        first = next((at for at, line in enumerate(lines) if self._assigns(line, key)), len(lines))
        lines[first : first + 1] = [assignment]
        Home(self._home()).write_private(path, "".join(f"{line}\n" for line in lines))
        os.environ[key] = clean

    def _assigns(self, line: str, key: str) -> bool:
        spaced = self._behaviour.spaced_variables_replaced
        return key in parse_env(line) and (spaced or line.removeprefix("export ").lstrip().startswith(f"{key}="))

    def remove_env_value(self, key: str) -> bool:
        """Remove a variable from ``.env`` and from the process; return whether it was in ``.env``."""
        path, found = self.get_env_path(), key in self.load_env()
        if found:
            lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines(keepends=True)
            path.write_text("".join(line for line in lines if key not in parse_env(line)), encoding="utf-8")
        os.environ.pop(key, None)
        return found


def _restore_references(value: Any, before: Any) -> Any:
    """Restore ``${NAME}`` where the file had it and the value still equals the variable."""
    if isinstance(value, dict) and isinstance(before, dict):
        return {key: _restore_references(inner, before.get(key)) for key, inner in value.items()}
    if isinstance(value, str) and isinstance(before, str) and "${" in before:
        expanded = re.sub(r"\$\{([^}]+)\}", lambda found: os.environ.get(found[1], found[0]), before)
        return before if value == expanded else value
    return value


def _list_leaves(config: Any, path: _Path = ()) -> set[_Path]:
    if isinstance(config, dict):
        return {leaf for key, value in config.items() for leaf in _list_leaves(value, (*path, key))}
    return {path}


def cfg_get(cfg: Any, *keys: str, default: Any = None) -> Any:
    """Return a nested value of a configuration."""
    for key in keys:
        if not isinstance(cfg, dict) or key not in cfg:
            return default
        cfg = cfg[key]
    return cfg if isinstance(cfg, dict) or keys else default
