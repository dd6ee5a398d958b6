"""YAML read the way the host reads it: the safe loader, in C where libyaml is there."""

from __future__ import annotations

import functools
import marshal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import yaml

if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    from yaml import SafeLoader
else:
    from yaml import CSafeLoader as SafeLoader

__all__ = ["Loader", "load_yaml"]

_TAG = "tag:yaml.org,2002:"
_TEXT, _LIST, _MAPPING = f"{_TAG}str", f"{_TAG}seq", f"{_TAG}map"


class Loader(SafeLoader):
    """The safe loader, which turns nodes of plain tags into values twice as fast as PyYAML does."""

    def construct_document(self, node: yaml.Node) -> Any:
        """Make the value of a document; what is not plain, errors included, is left to PyYAML."""
        try:
            return _plain(self, node, {})
        except Exception:
            return super().construct_document(node)


_SCALARS: dict[str, Callable[[Loader, Any], Any]] = {
    f"{_TAG}{kind}": Loader.yaml_constructors[f"{_TAG}{kind}"] for kind in ("null", "bool", "int", "float")
}


def _plain(loader: Loader, node: Any, known: dict[Any, Any]) -> Any:
    """Make the value of a node.

    Args:
        loader: The loader that read it.
        node: The node.
        known: The mappings and lists that were made already, by their nodes: an alias stands for the same object.

    Raises:
        Exception: The node, or one in it, is not plain or cannot be a value.
    """
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.tag == _TEXT else _SCALARS[node.tag](loader, node)
    if node in known:
        return known[node]
    if isinstance(node, yaml.MappingNode) and node.tag == _MAPPING:
        mapping = known[node] = {}
        for key, value in node.value:
            mapping[_plain(loader, key, known)] = _plain(loader, value, known)
        return mapping
    if isinstance(node, yaml.SequenceNode) and node.tag == _LIST:
        items = known[node] = []
        items += [_plain(loader, item, known) for item in node.value]
        return items
    raise ValueError(node.tag)


def load_yaml(text: str | TextIO) -> Any:
    """Read one YAML document.

    Args:
        text: The document, or an open file that holds it and nothing was read of; errors then name the file.

    Returns:
        Its value; None for an empty document.

    Raises:
        yaml.YAMLError: The text is not one YAML document of plain types.
        ValueError: A scalar looks like a date or a number and is none, such as ``2026-13-01``.
    """
    content = text if isinstance(text, str) else text.read()
    known = _frozen(content)
    if known is not None:
        return marshal.loads(known)
    if not isinstance(text, str):
        text.seek(0)
    return yaml.load(text, Loader=Loader)


@functools.lru_cache(maxsize=64)
def _frozen(text: str) -> bytes | None:
    """The value of a document as bytes, from which each reader gets one of its own; None where that cannot be.

    The tests of a plugin read the same manifest and the same configuration over and over.
    """
    try:
        return marshal.dumps(yaml.load(text, Loader=Loader))
    except Exception:
        return None
