"""Plugins of a home that predates opt-in, which a migration enables (statements B12 to B14)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.documents import read_text
from hermes_sdk.manifest import manifest_file
from hermes_sdk.manifest.load import YamlReader, choose_reader, load_yaml, reading_errors

_OPT_IN_SCHEMA = 21
"""The first version of the configuration with which only listed plugins load."""

_OLDEST_SCHEMA = 12
"""The oldest version that later releases migrate."""


def list_grandfathered(config: Mapping[str, Any] | None, plugins: Path, behaviour: Behaviour) -> list[str] | None:
    """List the installed plugins that a migration of an old home would enable (B12 to B14).

    Args:
        config: The parsed ``config.yaml``; None if there is no such file.
        plugins: The directory ``H/plugins``.
        behaviour: The behaviour of the release.

    Returns:
        Their names, sorted by directory; None if the host does not change the home, or fails on it. The list is empty
        if any manifest is not a mapping, because the host then abandons the scan.
    """
    section = (config or {}).get("plugins")
    section = section if isinstance(section, Mapping) else {}
    if config is None or not _is_migrated(config, behaviour) or "enabled" in section:
        return None
    listed = section.get("disabled")
    try:
        disabled = set(listed) if isinstance(listed, list) else set()
    except TypeError:
        return None
    try:
        return [name for name in _list_installed(plugins, choose_reader(behaviour)) if name not in disabled]
    except (AttributeError, TypeError):
        return []


def _is_migrated(config: Mapping[str, Any], behaviour: Behaviour) -> bool:
    """Return whether a migration moves the configuration past the version that made plugins opt-in (B12, N93)."""
    version = _read_schema_version(config, behaviour)
    if "_config_version" not in config:
        return version < _OPT_IN_SCHEMA and not behaviour.unversioned_left_alone
    return version < _OPT_IN_SCHEMA and (version >= _OLDEST_SCHEMA or not behaviour.old_configurations_refused)


def _read_schema_version(config: Mapping[str, Any], behaviour: Behaviour) -> float:
    if behaviour.schema_version_from_file:
        try:
            return int(config.get("_config_version", 0))
        except (TypeError, ValueError):
            return 0
    # The default configuration fills in a missing version, and the host fails on a version that is not a number.
    version = config.get("_config_version", _OPT_IN_SCHEMA)
    return version if isinstance(version, (int, float)) else _OPT_IN_SCHEMA


def _list_installed(plugins: Path, reader: YamlReader) -> list[str]:
    names = []
    for child in sorted(plugins.iterdir()) if plugins.is_dir() else ():
        file = manifest_file(child)
        if file is not None:
            names.append(_manifest_name(file, reader))
    return names


def _manifest_name(file: Path, reader: YamlReader) -> str:
    try:
        raw = load_yaml(read_text(file), reader) or {}
    except reading_errors():
        raw = {}
    name: str = raw.get("name") or file.parent.name
    return name
