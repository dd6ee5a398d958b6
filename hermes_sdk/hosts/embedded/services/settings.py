"""Settings of a plugin in ``config.yaml`` (statements N33 and N34)."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Any

from hermes_sdk.documents import read_text
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.services.capabilities import look_up, read_entry
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.manifest.load import choose_reader, load_yaml

logger = logging.getLogger("hermes_cli.plugins")

_SEGMENT = r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}"
_RESERVED = frozenset({"model", "plugins", "security", "settings"})
_ABSENT = object()


class Settings:
    """Settings of one plugin in ``plugins.entries.<plugin>.settings``; a dot in a key denotes a nested section.

    Every method raises `ValueError` for a key that could leave this section.
    """

    def __init__(self, state: HostState, plugin_id: Any) -> None:
        self._state = state
        self._plugin_id = plugin_id

    def get(self, key: Any, default: Any) -> Any:
        """Return a setting from the section ``settings``, otherwise from ``config``."""
        path = self._split(key)
        entry = read_entry(self._state.config.read(), self._plugin_id)
        value = look_up(entry.get("settings"), path, _ABSENT)
        return look_up(entry.get("config"), path, default) if value is _ABSENT else value

    def set(self, key: Any, value: Any) -> None:
        """Write a setting.

        Raises:
            PermissionError: Another program manages the configuration, or an administrator manages the setting.
            YAMLError: The configuration cannot be read, and stays unchanged.
        """
        from hermes_sdk.hosts.embedded.services.locked_file import lock

        path = ("plugins", "entries", self._plugin_id, "settings", *self._split(key))
        if Home(self._state.home_path()).managed:
            raise PermissionError("Plugin settings cannot be changed in a managed install")
        if self._is_owned_by_administrator(path):
            raise PermissionError(f"Plugin setting {'.'.join(path)!r} is administrator-managed")
        config = self._state.user_config
        file = config.get_config_path()
        with lock(file):
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            written = load_yaml(text, choose_reader(self._state.behaviour))
            for part in reversed(path):
                value = {part: value}
            if self._state.behaviour.settings_edited_in_place:
                from hermes_sdk.home.edit import set_value

                merged = self._state.config.merge(written or {}, value)
                file.write_text(set_value(text, path, look_up(merged, path, None)), encoding="utf-8")
                return
            config.save_config(value, preserve_keys={path}, merge_existing=True)

    def _split(self, key: Any) -> tuple[str, ...]:
        try:
            return split_key(key)
        except ValueError:
            logger.warning("Rejected config path %r from plugin %s", key, self._plugin_id)
            raise

    def _is_owned_by_administrator(self, path: tuple[str, ...]) -> bool:
        directory = os.environ.get("HERMES_MANAGED_DIR", "").strip()
        file = Path(directory, "config.yaml")
        if not directory or not file.is_file():
            return False
        return look_up(load_yaml(read_text(file), choose_reader(self._state.behaviour)), path, _ABSENT) is not _ABSENT


def split_key(key: Any) -> tuple[str, ...]:
    """Return the segments of a key.

    Raises:
        ValueError: Plugins may not use the key.
    """
    if not isinstance(key, str):
        raise ValueError("Expected a plugin-relative config key string")
    segments = tuple(key.split("."))
    if segments[0].lower() in _RESERVED or not all(re.fullmatch(_SEGMENT, segment) for segment in segments):
        raise ValueError(
            "Expected a plugin-relative config key such as 'endpoint' or 'retry.policy'; others are forbidden"
        )
    return segments
