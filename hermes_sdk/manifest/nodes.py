"""The nodes of a YAML document, which have the positions of its values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml


def find_node(root: yaml.Node | None, keys: tuple[Hashable, ...]) -> tuple[yaml.Node | None, yaml.Node | None]:
    """Return the node that names a value (its key, or the item) and the node of the value.

    Where the path leads to nothing, they are the nearest node around it and None.
    """
    place = node = root
    for key in keys:
        found = _child(node, key)
        if found is None:
            return place, None
        place, node = found
    return place, node


def _child(node: yaml.Node | None, key: Hashable) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
        return (node.value[key], node.value[key]) if 0 <= key < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((pair for pair in reversed(node.value) if _key(pair[0]) == (type(key), key)), None)
    return None


def _key(node: yaml.Node) -> tuple[type, Any]:
    value = yaml.constructor.SafeConstructor().construct_document(node)
    return type(value), value


def scalar_source(node: yaml.Node | None) -> str:
    """Return a scalar as it is written, without quotes; empty for anything else."""
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def find_duplicates(root: yaml.Node) -> list[tuple[str, tuple[int, int]]]:
    """Find the keys of mappings that stand there again.

    Returns:
        For each what to say of it, and its line and column; in no order.
    """
    found: list[tuple[str, tuple[int, int]]] = []
    pending, visited = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in visited or not isinstance(node, yaml.CollectionNode):
            continue
        visited.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
            continue
        first: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            pending.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            line, name = key.start_mark.line + 1, (key.tag, key.value)
            if name in first:
                message = f"'{key.value}' is a duplicate of line {first[name]}"
                found.append((message, (line, key.start_mark.column + 1)))
            first[name] = line
    return found
