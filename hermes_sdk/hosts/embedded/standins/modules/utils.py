"""Stands in for ``utils``: small helpers of the host."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

__all__ = [
    "TRUTHY_STRINGS",
    "atomic_json_write",
    "atomic_replace",
    "atomic_yaml_write",
    "base_url_host_matches",
    "base_url_hostname",
    "env_bool",
    "env_float",
    "env_int",
    "env_var_enabled",
    "fast_safe_load",
    "is_truthy_value",
    "safe_json_loads",
]

TRUTHY_STRINGS = frozenset({"1", "true", "yes", "on"})


def is_truthy_value(value: Any, default: bool = False) -> bool:
    """Tell whether a value of a configuration means yes."""
    if value is None:
        return default
    return value.strip().lower() in TRUTHY_STRINGS if isinstance(value, str) else bool(value)


def env_var_enabled(name: str, default: str = "") -> bool:
    """Tell whether a variable means yes."""
    return is_truthy_value(os.getenv(name, default))


def env_bool(key: str, default: bool = False) -> bool:
    """Tell whether a variable means yes."""
    return is_truthy_value(os.getenv(key, ""), default)


def env_int(key: str, default: int = 0) -> int:
    """Return a variable as a whole number."""
    return int(_number(int, key, default))


def env_float(key: str, default: float = 0.0) -> float:
    """Return a variable as a number."""
    return float(_number(float, key, default))


def _number(kind: Callable[[str], Any], key: str, default: Any) -> Any:
    try:
        return kind(os.getenv(key, "").strip())
    except ValueError:
        return default


def safe_json_loads(text: Any, default: Any = None) -> Any:
    """Parse JSON; the default for what is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return default


def fast_safe_load(stream: Any) -> Any:
    """Parse YAML."""
    return yaml.load(stream, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


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
    text = yaml.safe_dump(data, default_flow_style=default_flow_style, sort_keys=sort_keys, allow_unicode=True)
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


def base_url_hostname(base_url: Any) -> str:
    """Return the host of an address, in lower case."""
    text = (base_url or "").strip()
    host = urlsplit(text if "://" in text else f"//{text}").hostname if text else ""
    return (host or "").lower().rstrip(".")


def base_url_host_matches(base_url: Any, domain: Any) -> bool:
    """Tell whether an address is of a domain or of one within it."""
    host, wanted = base_url_hostname(base_url), (domain or "").strip().lower().rstrip(".")
    return bool(host and wanted) and (host == wanted or host.endswith(f".{wanted}"))
