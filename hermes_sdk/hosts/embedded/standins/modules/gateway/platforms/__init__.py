"""Stands in for the package ``gateway.platforms``."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("BasePlatformAdapter", "MessageEvent", "SendResult"):
        return getattr(import_module("gateway.platforms.base"), name)
    raise AttributeError(name)
