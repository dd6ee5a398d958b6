"""Nodes of YAML documents, with the positions of values; the nodes of both libraries are alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

_MERGE = "tag:yaml.org,2002:merge"


def find_node(root: yaml.Node | None, keys: tuple[Hashable, ...]) -> tuple[yaml.Node | None, yaml.Node | None]:
    """Return the node that marks a value's place (its key, or the item) and the node of the value.

    If there is no value at the path, return its closest existing parent and None.
    """
    place = node = root
    for key in keys:
        found = _find_child(node, key)
        if found is None:
            return place, None
        place, node = found
    return place, node


def _find_child(node: Any, key: Hashable) -> tuple[yaml.Node, yaml.Node] | None:
    if node is None or node.id == "scalar":
        return None
    if node.id == "mapping":
        merged = [value for name, value in node.value if name.tag == _MERGE]
        own = (
            pair
            for pair in reversed(node.value)
            if pair[0].tag != _MERGE and _construct_key(pair[0]) == (type(key), key)
        )
        return next(own, None) or next(
            filter(None, (_find_child(one, key) for one in _iter_merged_mappings(merged))), None
        )
    return (node.value[key], node.value[key]) if isinstance(key, int) and 0 <= key < len(node.value) else None


def _iter_merged_mappings(merged: list[Any]) -> Iterator[Any]:
    """Yield the mappings of merge keys in order of precedence."""
    for node in merged:
        yield from node.value if node.id == "sequence" else [node]


def _construct_key(node: yaml.Node) -> tuple[type, Any]:
    value = construct_node(node)
    return type(value), value


def construct_node(node: Any) -> Any:
    """Return the value of a node of either library."""
    if type(node).__module__.startswith("ruamel."):
        from hermes_sdk.manifest.ruamel_loader import construct_yaml as construct_by_ruamel

        return construct_by_ruamel(node)
    from hermes_sdk.manifest.safe_loader import construct_yaml

    return construct_yaml(node)


def scalar_source(node: Any) -> str:
    """Return a scalar as written in the document, without quotes; empty for any other node."""
    return node.value if node is not None and node.id == "scalar" else ""


def find_duplicates(root: Any) -> list[tuple[str, tuple[int, int]]]:
    """Find duplicate keys of mappings.

    Returns:
        A message, line and column for each, in no particular order.
    """
    found: list[tuple[str, tuple[int, int]]] = []
    pending, visited = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in visited or node.id == "scalar":
            continue
        visited.add(id(node))
        if node.id == "sequence":
            pending += node.value
            continue
        first: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            pending.append(value)
            if key.id != "scalar":
                continue
            line, name = key.start_mark.line + 1, (key.tag, key.value)
            if name in first:
                message = f"'{key.value}' is a duplicate of line {first[name]}"
                found.append((message, (line, key.start_mark.column + 1)))
            first[name] = line
    return found
