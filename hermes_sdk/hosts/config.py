"""Reader of ``config.yaml`` that handles unreadable files and administrators' overrides as the host does (B10, B11)."""

from __future__ import annotations

import copy
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.manifest.load import choose_reader, load_yaml

logger = logging.getLogger("hermes_cli.config")
_plugins_log = logging.getLogger("hermes_cli.plugins")

_LONGEST_DEADLINE = 600.0
_COARSEST_TICK_NS = 2_000_000_000

_Stamp = tuple[int, int, int, int]
"""Change time, modification time, size and inode of a file, to notice changes."""

_DEFAULTS = (
    "Falling back to default config — every user override (auxiliary providers, fallback chain, model settings)"
    " is being IGNORED. Fix the YAML and restart."
)
_KEPT = (
    "Keeping the previously loaded config for this process — edits to config.yaml are being IGNORED until the YAML is"
    " fixed."
)
_DEFAULTS_UNTIL_FIXED = (
    "Hermes is running on default settings until it is fixed, so none of your saved settings are applied."
)
_KEPT_SINCE_EDIT = (
    "Hermes is running on the settings it loaded before the edit until it is fixed, so recent changes are not applied."
)
_MANAGED_IGNORED = (
    "managed scope: failed to parse %s: %s — IGNORING this managed file. Admin policy from this file is NOT being"
    " applied. Fix and restart."
)


class HostConfig:
    """The configuration of one home, read on each call; a missing file is an empty configuration."""

    def __init__(self, path: Path, behaviour: Behaviour) -> None:
        self._path = path
        self._behaviour = behaviour
        self._expand = expand_references if behaviour.config_references_prefixed else expand_variables
        self._last: dict[str, Any] | None = None
        self._stamps: list[_Stamp | None] | None = None
        self._warned: set[tuple[str, int, int]] = set()

    def read(self) -> dict[str, Any]:
        """Return the configuration, or the release's fallback for an unreadable file."""
        return dict(copy.deepcopy(self.view()))

    def view(self) -> Mapping[str, Any]:
        """Return the configuration without a copy, for lookups: do not change it or pass it to a plugin."""
        stamps = [_read_stamp(path) for path in (self._path, self._managed_path)]
        if self._last is not None and stamps == self._stamps:
            return self._last
        self._stamps, is_settled = None, _are_settled(stamps)
        try:
            own = self._parse(self._path)
        except Exception as error:
            previous = self._last if self._behaviour.config_keeps_last_good else None
            if self._is_unreported(self._path):
                self._report(error, previous is not None)
            if previous is not None:
                return previous
            if self._behaviour.config_errors_explained:
                return self.merge({}, self._expand(self._read_managed()))
            own, is_settled = {}, False
        managed = self._read_managed()
        if is_settled and not _refers_to_variables([own, managed]):
            self._stamps = stamps
        self._last = self.merge(self._expand(own), self._expand(managed))
        return self._last

    def above(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Return default values, overridden by the configuration."""
        return self.merge(defaults, self.read())

    def _parse(self, path: Path) -> dict[str, Any]:
        try:
            with path.open(encoding="utf-8") as file:
                value = load_yaml(file, choose_reader(self._behaviour)) or {}
        except FileNotFoundError:
            return {}
        if not isinstance(value, dict):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute 'items'")
        return value

    @property
    def _managed_path(self) -> Path | None:
        """Return the path of an administrator's ``config.yaml``; the machine's file in ``/etc/hermes`` is ignored."""
        directory = os.environ.get("HERMES_MANAGED_DIR", "").strip() if self._behaviour.managed_scope else ""
        return Path(directory, "config.yaml") if directory else None

    def _read_managed(self) -> dict[str, Any]:
        path = self._managed_path
        if path is None or not path.exists():
            return {}
        try:
            with path.open(encoding="utf-8") as file:
                source = file.read() if self._behaviour.managed_scope_read_as_text else file
                in_python = not self._behaviour.managed_scope_read_by_libyaml
                value = load_yaml(source, choose_reader(self._behaviour, in_python=in_python))
        except Exception as error:
            if self._is_unreported(path):
                logging.getLogger("hermes_cli.managed_scope").warning(_MANAGED_IGNORED, path, error)
            return {}
        return value if isinstance(value, dict) else {}

    def merge(self, base: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
        """Return a configuration with values that override those of `base`, merged by section."""
        result = dict(base)
        for key, value in above.items():
            if not isinstance(result.get(key), dict):
                result[key] = value
            elif isinstance(value, dict):
                result[key] = self.merge(result[key], value)
            elif value is not None or not self._behaviour.null_sections_ignored:
                result[key] = value
        return result

    def _is_unreported(self, path: Path) -> bool:
        """Record a report about an unreadable file, and return whether it is the first for the current content."""
        stat = path.stat()
        seen = (str(path), stat.st_mtime_ns, stat.st_size)
        is_new = seen not in self._warned
        self._warned.add(seen)
        return is_new

    def _report(self, error: Exception, keeps: bool) -> None:
        """Warn that the file cannot be read, and whether the host `keeps` the previous configuration."""
        if self._behaviour.config_errors_explained:
            self._report_place(error, keeps)
            return
        message = f"Failed to parse {self._path}: {error}. {_KEPT if keeps else _DEFAULTS}"
        copy = self._back_up_aside() if self._behaviour.config_backup_aside else self._backup()
        if copy is not None:
            message += f" A copy of the corrupted file was saved to {copy}."
        logger.warning(message)
        sys.stderr.write(f"⚠️  hermes config: {message}\n")

    def _report_place(self, error: Exception, keeps: bool) -> None:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else ""
        message = (
            f"Your settings file ({self._path}) has a formatting error{f' at {where}' if where else ''}."
            f" {_KEPT_SINCE_EDIT if keeps else _DEFAULTS_UNTIL_FIXED}"
            f" Open it with `hermes config edit`, fix {where or 'the problem'}, then run `hermes config check`."
        )
        copy = self._back_up_aside()
        if copy is not None:
            message += f" A copy of the broken file was saved to {copy}."
        details = " ".join(str(getattr(error, "problem", None) or error).split())
        logger.warning("%s Details: %s", message, details)
        sys.stderr.write(f"⚠️  hermes config: {message}\n    Details: {details}\n")

    def _back_up_aside(self) -> Path | None:
        """Copy the unreadable file to the backup directory, unless it equals the newest copy."""
        import shutil

        path, folder = self._path, self._path.parent / "backups" / "config"
        copy = folder / f"{path.name}.corrupt.{time.strftime('%Y%m%d-%H%M%S')}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            newest = max(folder.glob(f"{path.name}.corrupt.*"), default=None)
            is_same = newest is not None and newest.read_bytes() == path.read_bytes()
            if is_same or copy.exists() or not path.stat().st_size:
                return None
            shutil.copy2(path, copy)
        except OSError:
            return None
        return copy

    def _backup(self) -> Path | None:
        """Copy the unreadable file, unless it is a link or there is a copy of the same size."""
        import shutil

        path = self._path
        copy = path.with_name(f"{path.name}.corrupt.{time.strftime('%Y%m%d-%H%M%S')}.bak")
        try:
            sizes = {one.stat().st_size for one in path.parent.glob(f"{path.name}.corrupt.*.bak")}
            if path.is_symlink() or copy.exists() or path.stat().st_size in {0, *sizes}:
                return None
            shutil.copy2(path, copy)
        except OSError:
            return None
        return copy


def _read_stamp(path: Path | None) -> _Stamp | None:
    if path is None:
        return None
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return stat.st_ctime_ns, stat.st_mtime_ns, stat.st_size, stat.st_ino


def _are_settled(stamps: list[_Stamp | None]) -> bool:
    """Return whether the next change of a file changes its stamp, even if the file system's clock is coarse."""
    latest = max((max(one[:2]) for one in stamps if one), default=0)
    return time.time_ns() - latest > _COARSEST_TICK_NS


def _refers_to_variables(value: Any) -> bool:
    """Return whether a value contains a string with ``${``."""
    if isinstance(value, str):
        return "${" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_refers_to_variables, inner))


def expand_variables(value: Any) -> Any:
    """Replace ``${NAME}`` in all strings with the environment variable; keep references to unset variables."""
    return _expand(value, lambda found: os.environ.get(found[1], found[0]))


def expand_references(value: Any) -> Any:
    """Replace ``${NAME}`` and ``${env:NAME}`` as later hosts do; keep references with other prefixes."""
    return _expand(value, _resolve_reference)


def _resolve_reference(match: re.Match[str]) -> str:
    reference = match[1].strip()
    if not re.match("[a-z][a-z0-9_-]*:", reference):
        return os.environ.get(reference, match[0])
    source, _, name = reference.partition(":")
    return os.environ.get(name.strip(), match[0]) if source == "env" else match[0]


def _expand(value: Any, resolve: Callable[[re.Match[str]], str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\$\{([^}]+)\}", resolve, value) if "${" in value else value
    if isinstance(value, dict):
        return {key: _expand(inner, resolve) for key, inner in value.items()}
    if isinstance(value, list):
        return [_expand(inner, resolve) for inner in value]
    return value


def plugin_names(listed: Any) -> frozenset[Any]:
    """Return the names in a list of plugins; none if the value is not a list of hashable items (B1, B2)."""
    try:
        return frozenset(listed) if isinstance(listed, list) else frozenset()
    except TypeError:
        return frozenset()


def disabled_plugins(config: Mapping[str, Any]) -> frozenset[Any]:
    """Return the names in ``plugins.disabled`` of a configuration."""
    section = config.get("plugins")
    return plugin_names(section.get("disabled")) if isinstance(section, Mapping) else frozenset()


def read_deadline(config: Mapping[str, Any], key: str, default: float) -> float:
    """Return the deadline for plugin code in ``plugins.<key>``, in seconds; 0 for none.

    Too large values are clamped with a warning; other invalid values are replaced by the default.
    """
    section = config.get("plugins")
    setting = section.get(key) if isinstance(section, Mapping) else None
    if setting is None:
        return default
    try:
        seconds = float(setting)
    except (TypeError, ValueError):
        _plugins_log.warning("plugins.%s is not a number; using default %gs", key, default)
        return default
    if seconds < 0:
        _plugins_log.warning("plugins.%s=%g is negative; using default %gs", key, seconds, default)
        return default
    if seconds > _LONGEST_DEADLINE:
        _plugins_log.warning("plugins.%s=%g exceeds max %gs; clamping", key, seconds, _LONGEST_DEADLINE)
    return min(seconds, _LONGEST_DEADLINE)
