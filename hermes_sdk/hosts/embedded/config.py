"""The host's reading of ``config.yaml``, and what it does with one that it cannot read (statement B10)."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from hermes_sdk.manifest import load_yaml

logger = logging.getLogger("hermes_cli.config")

_DEFAULTS = (
    "Falling back to default config — every user override (auxiliary providers, fallback chain, model settings)"
    " is being IGNORED. Fix the YAML and restart."
)
_KEPT = (
    "Keeping the previously loaded config for this process — edits to config.yaml are being IGNORED until the YAML is"
    " fixed."
)


class HostConfig:
    """One ``config.yaml``, read anew whenever it is asked for.

    Args:
        path: The file; one that does not exist is an empty configuration.
        flags: The behaviour flags of the release.
    """

    def __init__(self, path: Path, flags: Mapping[str, bool]) -> None:
        self._path = path
        self._flags = flags
        self._last: dict[str, Any] | None = None
        self._warned: set[tuple[int, int]] = set()

    def read(self) -> dict[str, Any]:
        """Return the configuration; for a file that cannot be read, what the release goes on with."""
        try:
            with self._path.open(encoding="utf-8") as file:
                value = load_yaml(file) if self._flags["libyaml"] else yaml.safe_load(file)
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            return self._fallen_back(error)
        self._last = value if isinstance(value, dict) else {}
        return self._last

    def _fallen_back(self, error: Exception) -> dict[str, Any]:
        kept = self._last if self._flags["config_keeps_last_good"] else None
        stat = self._path.stat()
        if (stat.st_mtime_ns, stat.st_size) not in self._warned:
            self._warned.add((stat.st_mtime_ns, stat.st_size))
            self._warn(f"Failed to parse {self._path}: {error}. {_DEFAULTS if kept is None else _KEPT}")
        return kept or {}

    def _warn(self, message: str) -> None:
        if self._flags["config_backup"]:
            copy = self._path.with_name(f"{self._path.name}.corrupt.{time.strftime('%Y%m%d-%H%M%S')}.bak")
            shutil.copy2(self._path, copy)
            message += f" A copy of the corrupted file was saved to {copy}."
        logger.warning(message)
        sys.stderr.write(f"⚠️  hermes config: {message}\n")
