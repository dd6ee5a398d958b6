"""Showing a plugin of somebody else on both hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_sdk.hosts.show import show


def verdict(plugin: Path) -> str:
    """``equal``, ``unsupported``, or each field in which the hosts differ with its two values."""
    embedded: dict[str, Any] = {**show(plugin)}
    if embedded["status"] == "unsupported":
        # The author can only decide what to do when the module is named.
        assert "does not model: " in embedded["error"] or "missing here: " in embedded["error"]
        return "unsupported"
    real: dict[str, Any] = {**show(plugin, host="real")}
    fields = [name for name in real if name != "host" and embedded[name] != real[name]]
    return "; ".join(f"{name}: {embedded[name]!r} is really {real[name]!r}" for name in fields) or "equal"
