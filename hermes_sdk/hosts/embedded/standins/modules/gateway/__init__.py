"""Stands in for the package ``gateway``."""

from importlib import import_module
from typing import Any

_OFFERED = {
    "HomeChannel": "gateway.config",
    "PlatformConfig": "gateway.config",
}


def __getattr__(name: str) -> Any:
    if name in _OFFERED:
        return getattr(import_module(_OFFERED[name]), name)
    raise AttributeError(name)
