"""Parsing of settings and environment variables."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.process.environment import is_word_on


def is_truthy_value(value: Any, default: bool = False) -> bool:
    """Return whether a value of a configuration is truthy."""
    if value is None:
        return default
    return is_word_on(value) if isinstance(value, str) else bool(value)


def env_var_enabled(name: str, default: str = "") -> bool:
    """Return whether a variable is truthy."""
    return is_truthy_value(os.getenv(name, default))


def env_bool(key: str, default: bool = False) -> bool:
    """Return whether a variable is truthy, or the default if it is not set."""
    return is_truthy_value(os.getenv(key, ""), default)


def env_int(key: str, default: int = 0) -> int:
    """Return a variable as an integer."""
    return int(_parse_number(int, key, default))


def env_float(key: str, default: float = 0.0) -> float:
    """Return a variable as a number."""
    return float(_parse_number(float, key, default))


def _parse_number(kind: Callable[[str], Any], key: str, default: Any) -> Any:
    try:
        return kind(os.getenv(key, "").strip())
    except ValueError:
        return default


def safe_json_loads(text: Any, default: Any = None) -> Any:
    """Parse JSON; return the default if it is not valid."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return default


def make_safe_load(behaviour: Behaviour) -> Callable[[Any], Any]:
    """Return the function ``fast_safe_load`` of a release, which parses YAML."""
    if behaviour.yaml_read_by_ruamel:
        from hermes_sdk.manifest.ruamel_loader import load_stream

        return load_stream

    import yaml

    return partial(yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
