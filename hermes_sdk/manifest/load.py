"""YAML read the way the host reads it: the safe loader, in C where libyaml is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

import yaml

if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    from yaml import SafeLoader as Loader
else:
    from yaml import CSafeLoader as Loader

__all__ = ["Loader", "load_yaml"]


def load_yaml(text: str | TextIO) -> Any:
    """Read one YAML document.

    Args:
        text: The document, or an open file that holds it; errors then name the file.

    Returns:
        Its value; None for an empty document.

    Raises:
        yaml.YAMLError: The text is not one YAML document of plain types.
        ValueError: A scalar looks like a date or a number and is none, such as ``2026-13-01``.
    """
    return yaml.load(text, Loader=Loader)
