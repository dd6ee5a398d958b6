"""The safe loader of PyYAML within limits, in C where libyaml is there; importing PyYAML takes a while."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

import yaml

from hermes_sdk.documents import MAX_BYTES, MAX_DEPTH, MAX_NODES, DocumentError

if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    from yaml import SafeLoader
else:
    from yaml import CSafeLoader as SafeLoader

__all__ = ["Loader", "RefusedError", "compose_yaml", "construct_yaml", "load_document", "yaml"]

_TAG = "tag:yaml.org,2002:"
_TEXT, _LIST, _MAPPING = f"{_TAG}str", f"{_TAG}seq", f"{_TAG}map"
_NUMBERS = (f"{_TAG}int", f"{_TAG}float")

# What takes time or memory fits into no text so small, but for aliases.
_SMALL = 5_000
_MAX_NUMBER = 4_000
_TOO_DEEP = f"it nests more than {MAX_DEPTH} levels deep"


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
            # Each document has the same keys, which need memory once.
            name = sys.intern(key.value) if key.tag == _TEXT else _plain(loader, key, known)
            mapping[name] = _plain(loader, value, known)
        return mapping
    if isinstance(node, yaml.SequenceNode) and node.tag == _LIST:
        items = known[node] = []
        items += [_plain(loader, item, known) for item in node.value]
        return items
    raise ValueError(node.tag)


class RefusedError(yaml.YAMLError, DocumentError):
    """A document that is so large, deep or self-referring that it can only be an attack."""


def load_document(text: str | TextIO, content: str, *, pure: bool = False) -> Any:
    """Return the value of one YAML document, as `load_yaml` does for one that is not plain.

    Args:
        text: The document, or an open file that holds it, at its start.
        content: The text of the same document.
        pure: Whether to read it with the loader in Python.
    """
    _refuse_deep(content)
    reader = yaml.SafeLoader(text) if pure else Loader(text)
    try:
        root = reader.get_single_node()
        _refuse_wide(root, content, MAX_NODES)
        return None if root is None else reader.construct_document(root)
    finally:
        reader.dispose()


def compose_yaml(text: str, *, max_nodes: int = MAX_NODES) -> yaml.Node | None:
    """Return the nodes of one YAML document; None for an empty one.

    Raises:
        yaml.YAMLError: The text is not one YAML document, or `RefusedError`.
    """
    _refuse_deep(text)
    root: yaml.Node | None = yaml.compose(text, Loader=Loader)
    _refuse_wide(root, text, max_nodes)
    return root


def construct_yaml(root: yaml.Node) -> Any:
    """Return the value of nodes that `compose_yaml` made."""
    return Loader("").construct_document(root)


def _refuse_deep(text: str) -> None:
    """Refuse a document that nests so deep that composing it would exhaust the C stack.

    Each level needs one of five characters; only a text with many of them is looked at twice.
    """
    if len(text) > MAX_BYTES:
        raise RefusedError(f"it is larger than {MAX_BYTES >> 20} MiB")
    if sum(map(text.count, "[{-?:")) <= MAX_DEPTH:
        return
    try:
        _refuse_deep_events(yaml.parse(text, Loader=Loader))
    except yaml.MarkedYAMLError as error:
        # libyaml has a limit too since 0.2.6, and reads ahead of the events.
        if error.problem != "exceeded maximum nesting depth":
            raise
        raise RefusedError(_TOO_DEEP) from None


def _refuse_deep_events(events: Iterable[yaml.Event]) -> None:
    depth = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise RefusedError(_TOO_DEEP)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _refuse_wide(root: yaml.Node | None, text: str, max_nodes: int) -> None:
    if root is not None and ("*" in text or len(text) > _SMALL):
        _size(root, {}, 0, max_nodes)


def _size(node: yaml.Node, known: dict[int, int], depth: int, max_nodes: int) -> int:
    """Return how many nodes a node is when all aliases are written out."""
    if depth > MAX_DEPTH:
        raise RefusedError("an alias refers to itself, or aliases are nested too deeply")
    if id(node) in known:
        return known[id(node)]
    if isinstance(node, yaml.ScalarNode):
        if len(node.value) > _MAX_NUMBER and node.tag in _NUMBERS:
            raise RefusedError(f"a number has more than {_MAX_NUMBER} digits")
        return 1
    children = [child for pair in node.value for child in pair] if isinstance(node, yaml.MappingNode) else node.value
    size = 1
    for child in children:
        size += _size(child, known, depth + 1, max_nodes)
        if size > max_nodes:
            raise RefusedError(f"with its aliases expanded, it has more than {max_nodes} values")
    known[id(node)] = size
    return size
