"""The safe loader of PyYAML within limits, in C where libyaml is there; importing PyYAML takes a while."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

import yaml

from hermes_sdk.documents import MAX_NODES
from hermes_sdk.manifest.limits import TOO_DEEP, RefusedError, refuse_deep, refuse_wide

if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    from yaml import SafeLoader
else:
    from yaml import CSafeLoader as SafeLoader

__all__ = ["Dumper", "Loader", "compose_yaml", "construct_yaml", "load_document", "yaml"]

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


class Dumper(yaml.SafeDumper):
    """The safe dumper, which also quotes text that ruamel.yaml takes for a boolean or a number."""


_NUMERALS = list("-+.0123456789")
_FLOAT = r"(?:[-+]?[0-9][0-9_]*\.?[0-9_]*[eE][-+]?[0-9]+|\.[0-9_]+(?:[eE][-+][0-9]+)?)$"
Dumper.add_implicit_resolver(f"{_TAG}bool", re.compile("[yYnN]$"), list("yYnN"))
Dumper.add_implicit_resolver(f"{_TAG}float", re.compile(_FLOAT), _NUMERALS)
Dumper.add_implicit_resolver(f"{_TAG}int", re.compile("[-+]?[0-7_]+$"), _NUMERALS)


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


def load_document(text: str | TextIO, content: str, *, pure: bool = False) -> Any:
    """Return the value of one YAML document, as `load_yaml` does for one that is not plain.

    Args:
        text: The document, or an open file that holds it, at its start.
        content: The text of the same document.
        pure: Whether to read it with the loader in Python.
    """
    refuse_deep(content, _parse)
    reader = yaml.SafeLoader(text) if pure else Loader(text)
    try:
        root = reader.get_single_node()
        refuse_wide(root, content, MAX_NODES)
        return None if root is None else reader.construct_document(root)
    finally:
        reader.dispose()


def compose_yaml(text: str, *, max_nodes: int = MAX_NODES) -> yaml.Node | None:
    """Return the nodes of one YAML document; None for an empty one.

    Raises:
        yaml.YAMLError: The text is not one YAML document.
        RefusedError: It is too large or too deep.
    """
    refuse_deep(text, _parse)
    root: yaml.Node | None = yaml.compose(text, Loader=Loader)
    refuse_wide(root, text, max_nodes)
    return root


def construct_yaml(root: yaml.Node) -> Any:
    """Return the value of nodes that `compose_yaml` made."""
    return Loader("").construct_document(root)


def _parse(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        # libyaml has a limit too since 0.2.6, and reads ahead of the events.
        if error.problem != "exceeded maximum nesting depth":
            raise
        raise RefusedError(TOO_DEEP) from None
