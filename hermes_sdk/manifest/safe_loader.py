"""The safe loader of PyYAML, within limits, in C if libyaml is available; importing PyYAML is slow."""

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
    """Safe loader that constructs values of plain tags twice as fast as PyYAML."""

    def construct_document(self, node: yaml.Node) -> Any:
        """Construct the value of a document; PyYAML handles everything that is not plain, including errors."""
        try:
            return _construct_plain(self, node, {})
        except Exception:
            return super().construct_document(node)


class Dumper(yaml.SafeDumper):
    """Safe dumper that also quotes text which ruamel.yaml would read as a boolean or a number."""


_NUMERALS = list("-+.0123456789")
_FLOAT = r"(?:[-+]?[0-9][0-9_]*\.?[0-9_]*[eE][-+]?[0-9]+|\.[0-9_]+(?:[eE][-+][0-9]+)?)$"
Dumper.add_implicit_resolver(f"{_TAG}bool", re.compile("[yYnN]$"), list("yYnN"))
Dumper.add_implicit_resolver(f"{_TAG}float", re.compile(_FLOAT), _NUMERALS)
Dumper.add_implicit_resolver(f"{_TAG}int", re.compile("[-+]?[0-7_]+$"), _NUMERALS)


_SCALARS: dict[str, Callable[[Loader, Any], Any]] = {
    f"{_TAG}{kind}": Loader.yaml_constructors[f"{_TAG}{kind}"] for kind in ("null", "bool", "int", "float")
}


def _construct_plain(loader: Loader, node: Any, known: dict[Any, Any]) -> Any:
    """Construct the value of a node.

    Args:
        known: The mappings and lists constructed so far, by node: an alias refers to the same object.

    Raises:
        Exception: The node or one of its children is not plain or not valid.
    """
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.tag == _TEXT else _SCALARS[node.tag](loader, node)
    if node in known:
        return known[node]
    if isinstance(node, yaml.MappingNode) and node.tag == _MAPPING:
        mapping = known[node] = {}
        for key, value in node.value:
            # Documents share their keys, so intern them to save memory.
            name = sys.intern(key.value) if key.tag == _TEXT else _construct_plain(loader, key, known)
            mapping[name] = _construct_plain(loader, value, known)
        return mapping
    if isinstance(node, yaml.SequenceNode) and node.tag == _LIST:
        items = known[node] = []
        items += [_construct_plain(loader, item, known) for item in node.value]
        return items
    raise ValueError(node.tag)


def load_document(text: str | TextIO, content: str, *, pure: bool = False) -> Any:
    """Return the value of one YAML document that is not plain; see `load_yaml`.

    Args:
        text: The document, or a file opened at its start.
        content: The text of the same document.
        pure: Whether to use the loader in Python.
    """
    refuse_deep(content, _parse_events)
    reader = yaml.SafeLoader(text) if pure else Loader(text)
    try:
        root = reader.get_single_node()
        refuse_wide(root, content, MAX_NODES)
        return None if root is None else reader.construct_document(root)
    finally:
        reader.dispose()


def compose_yaml(text: str, *, max_nodes: int = MAX_NODES) -> yaml.Node | None:
    """Return the nodes of one YAML document; None for an empty document.

    Raises:
        yaml.YAMLError: The text is not a single YAML document.
        RefusedError: It is too large or too deep.
    """
    refuse_deep(text, _parse_events)
    root: yaml.Node | None = yaml.compose(text, Loader=Loader)
    refuse_wide(root, text, max_nodes)
    return root


def construct_yaml(root: yaml.Node) -> Any:
    """Return the value of nodes from `compose_yaml`."""
    return Loader("").construct_document(root)


def _parse_events(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        # Since 0.2.6, libyaml has a depth limit, which it may reach before ours because it reads ahead.
        if error.problem != "exceeded maximum nesting depth":
            raise
        raise RefusedError(TOO_DEEP) from None
