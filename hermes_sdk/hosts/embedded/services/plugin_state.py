"""``ctx.state``: persistent values of a plugin (statement N35)."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import of_module
from hermes_sdk.hosts.embedded.process.environment import HomePath
from hermes_sdk.hosts.embedded.services.locked_file import lock

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")
_QUOTA = 10 * 1024 * 1024


@of_module("hermes_cli.plugins")
class PluginState:
    """JSON values by key, in a file of the home that belongs to one plugin."""

    def __init__(self, home: HomePath, plugin_id: str) -> None:
        self._home = home
        slug = "".join(one if one.isascii() and (one.isalnum() or one in "_-") else "-" for one in plugin_id.lower())
        digest = hashlib.sha256(plugin_id.encode()).hexdigest()[:8]
        self._directory = f"agent-plugin-{slug.strip('-_') or 'plugin'}-{digest}"

    @property
    def data_dir(self) -> Path:
        """The directory of the plugin's data."""
        return self._home() / "plugin-data" / self._directory

    @property
    def path(self) -> Path:
        """The file with the values."""
        return self.data_dir / "state.json"

    @property
    def quota_bytes(self) -> int:
        """The maximum size of the file."""
        return _QUOTA

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value."""
        _check_key(key)
        with lock(self.path):
            return self._read().get(key, default)

    def set(self, key: str, value: Any) -> None:
        """Store a value.

        Raises:
            ValueError: The value cannot be converted to JSON, or exceeds the quota.
            RuntimeError: The file is damaged.
        """
        _check_key(key)
        with lock(self.path):
            values = {**self._read(), key: value}
            try:
                text = json.dumps(values, ensure_ascii=False, indent=2)
                size = len(text.encode())
            except (TypeError, ValueError) as error:
                raise ValueError(f"Plugin state value for {key!r} is not JSON-serializable") from error
            if size > self.quota_bytes:
                raise ValueError(
                    f"Plugin state quota exceeded: {size} bytes is greater than the {self.quota_bytes}-byte per-plugin"
                    " quota"
                )
            # Temporary files are readable only by the user.
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self.data_dir, delete=False) as file:
                file.write(text)
            Path(file.name).replace(self.path)

    def _read(self) -> dict[str, Any]:
        path = self.path
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise RuntimeError(f"Cannot parse plugin state {path}: {error}") from error
        if not isinstance(values, dict):
            raise RuntimeError(f"Cannot parse plugin state {path}: root must be an object")
        return values


def _check_key(key: Any) -> None:
    if not isinstance(key, str) or not _KEY.fullmatch(key) or ".." in key:
        raise ValueError(
            "Plugin state keys must be 1-128 characters using letters, numbers, '_', '-', '.', or ':' (without '..')"
        )
