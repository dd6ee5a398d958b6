"""Origins of plugins installed from a subdirectory of a repository, so that they can be updated.

The records are stored in a file of the home; a plugin's directory contains only the random id of its record. Plugins
therefore cannot forge a record, and a directory that replaces an installed one has none.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hermes_sdk import links
from hermes_sdk.documents import parse_json, read_bytes, read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_file
from hermes_sdk.home import Home

FILE_NAME = ".hermes-sdk-origins.json"
ID_FILE_NAME = ".hermes-sdk-origin"

_SCHEMA = "hermes-sdk.origins/1"


@dataclass(frozen=True)
class Origin:
    """A directory of a repository at a commit.

    Attributes:
        branch: The branch to follow; empty for a pinned plugin.
        commit: The installed SHA.
    """

    url: str
    subdirectory: str
    branch: str
    commit: str


def find_origin(home: Home, directory: Path) -> Origin | None:
    """Return the recorded origin of an installed plugin, or None.

    Raises:
        UsageError: The file with the records is not valid.
    """
    return _read_records(home).get(_read_id(directory))


def record_origin(home: Home, directory: Path, origin: Origin) -> None:
    """Record the origin of a plugin before it is moved into `plugins/`.

    Args:
        home: The home; must stay locked until the plugin is moved.
        directory: The new directory of the plugin.
    """
    new = secrets.token_hex(16)
    file = directory / ID_FILE_NAME
    file.unlink(missing_ok=True)
    write_file(file, f"{new}\n".encode())
    _write_records(home, {**_read_records(home), new: origin}, new)


def forget_origins(home: Home) -> None:
    """Delete the records of removed plugins; an invalid file is not changed."""
    if (home.path / FILE_NAME).exists():
        with contextlib.suppress(UsageError):
            _write_records(home, _read_records(home))


def _read_id(directory: Path) -> str:
    file = directory / ID_FILE_NAME
    if not file.is_file():
        return ""
    return read_bytes(file, root=directory).decode("ascii", errors="replace").strip()


def _read_records(home: Home) -> dict[str, Origin]:
    path = home.path / FILE_NAME
    try:
        content: Any = parse_json(read_text(links.open_file(path)))
        return {name: Origin(**origin) for name, origin in content["origins"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"the record of plugin sources is not valid: {error}",
            where=str(path),
            fix="Delete the file, then reinstall the plugins with --force.",
        ) from error


def _write_records(home: Home, origins: dict[str, Origin], *new: str) -> None:
    installed = {
        _read_id(file.parent) for place in ("*", "*/*") for file in home.plugins_dir.glob(f"{place}/{ID_FILE_NAME}")
    }
    known = {*new, *installed}
    remaining = {name: asdict(origin) for name, origin in origins.items() if name in known}
    home.write_private(home.path / FILE_NAME, json.dumps({"schema": _SCHEMA, "origins": remaining}, indent=2) + "\n")
