"""Files that are written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any

from hermes_sdk.manifest.safe_loader import Dumper, yaml


class _IndentedDumper(Dumper):
    """The dumper that also indents the items of a list."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, indentless=False)


def atomic_replace(tmp_path: str | Path, target: str | Path) -> str:
    """Put a file in the place of another; of a link, in the place of what it points to."""
    real = os.path.realpath(target)
    try:
        Path(tmp_path).replace(real)
    except OSError:
        shutil.copy2(tmp_path, real)
        Path(tmp_path).unlink()
    return real


def atomic_json_write(path: str | Path, data: Any, *, indent: int = 2, mode: int | None = None, **dump: Any) -> None:
    """Write JSON into a file, all of it or nothing."""
    _write(Path(path), json.dumps(data, indent=indent, ensure_ascii=False, **dump), mode)


def atomic_yaml_write(
    path: str | Path,
    data: Any,
    *,
    default_flow_style: bool = False,
    sort_keys: bool = False,
    extra_content: str | None = None,
) -> None:
    """Write YAML into a file, all of it or nothing."""
    text = yaml.dump(
        data, Dumper=_IndentedDumper, default_flow_style=default_flow_style, sort_keys=sort_keys, allow_unicode=True
    )
    _write(Path(path), text + (extra_content or ""), None)


def _write(path: Path, text: str, mode: int | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    wanted = stat.S_IMODE(path.stat().st_mode) if mode is None and path.exists() else mode
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}_", suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    real = Path(atomic_replace(temporary, path))
    if wanted is not None:
        real.chmod(wanted)
