"""Atomic file writes."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.manifest.safe_loader import Dumper, yaml


class _IndentedDumper(yaml.SafeDumper):
    """Dumper that also indents the items of a list."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, indentless=False)


class _RuamelDumper(_IndentedDumper, Dumper):
    """Dumper that also quotes text that ruamel.yaml would read as another type."""


def atomic_replace(tmp_path: str | Path, target: str | Path) -> str:
    """Replace a file with another file; follow the target if it is a link."""
    real = os.path.realpath(target)
    try:
        Path(tmp_path).replace(real)
    except OSError:
        shutil.copy2(tmp_path, real)
        Path(tmp_path).unlink()
    return real


class AtomicFiles:
    """Writes files atomically, as the release does."""

    def __init__(self, state: HostState) -> None:
        self._state = state

    def write_json(
        self,
        path: str | Path,
        data: Any,
        *,
        indent: int = 2,
        mode: int | None = None,
        ensure_ascii: bool = False,
        **dump: Any,
    ) -> None:
        """Write JSON to a file atomically."""
        self._write(Path(path), json.dumps(data, indent=indent, ensure_ascii=ensure_ascii, **dump), mode)

    def write_yaml(
        self,
        path: str | Path,
        data: Any,
        *,
        default_flow_style: bool = False,
        sort_keys: bool = False,
        extra_content: str | None = None,
        create_mode: int | None = None,
    ) -> None:
        """Write YAML to a file atomically.

        Raises:
            NotSupported: The release formats the data differently from PyYAML, or `create_mode` is set.
        """
        if create_mode is not None:
            raise self._state.unsupported("write YAML into a file with a mode")
        dumper: type[yaml.SafeDumper] = _IndentedDumper
        if self._state.behaviour.yaml_read_by_ruamel:
            dumper = _RuamelDumper
            if default_flow_style or (isinstance(data, list) and data) or _differs_from_pyyaml(data):
                raise self._state.unsupported("write YAML with lists in lists, exponents, or texts that need quotes")
        text = yaml.dump(
            data, Dumper=dumper, default_flow_style=default_flow_style, sort_keys=sort_keys, allow_unicode=True
        )
        self._write(Path(path), text + (extra_content or ""), None)

    def _write(self, path: Path, text: str, mode: int | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode is None and path.exists():
            mode = stat.S_IMODE(path.stat().st_mode)
        elif mode is None and self._state.behaviour.written_files_follow_umask:
            mode = 0o666 & ~_read_umask()
        replace_text(path, text, mode)


def _differs_from_pyyaml(value: Any) -> bool:
    """Return whether ruamel.yaml formats a value differently from PyYAML."""
    if isinstance(value, dict):
        return any(_differs_from_pyyaml(one) for pair in value.items() for one in pair)
    if isinstance(value, (list, tuple)):
        return any((isinstance(one, (list, tuple)) and len(one) > 0) or _differs_from_pyyaml(one) for one in value)
    if isinstance(value, float):
        return "e" in repr(value)
    return isinstance(value, str) and ("\n" in value or ("'" in value and yaml.dump(value).startswith("'")))


def _read_umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def replace_text(path: Path, text: str, mode: int | None) -> None:
    """Replace the text of a file atomically; `mode` is the mode of the new file."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}_", suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    real = Path(atomic_replace(temporary, path))
    if mode is not None:
        real.chmod(mode)
