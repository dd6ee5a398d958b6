"""Limits of YAML documents, for events and nodes of both libraries, whose classes have equal names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hermes_sdk.documents import MAX_BYTES, MAX_DEPTH, DocumentError

# Shorter texts cannot take much time or memory, unless they use aliases.
_SMALL = 5_000
_MAX_NUMBER = 4_000
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


class RefusedError(DocumentError):
    """The document is so large, deep or self-referential that it can only be an attack."""


def refuse_deep(text: str, parse: Callable[[str], Iterable[Any]]) -> None:
    """Reject a document nested so deeply that composing it would exhaust the C stack.

    Each level needs one of five characters; only a text with many of them is parsed for this check.

    Args:
        parse: Yields the events of the document.
    """
    if len(text) > MAX_BYTES:
        raise RefusedError(f"larger than {MAX_BYTES >> 20} MiB")
    if sum(map(text.count, "[{-?:")) <= MAX_DEPTH:
        return
    depth = 0
    for event in parse(text):
        name = type(event).__name__
        if name in ("MappingStartEvent", "SequenceStartEvent"):
            depth += 1
            if depth > MAX_DEPTH:
                raise RefusedError(TOO_DEEP)
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            depth -= 1


def refuse_wide(root: Any, text: str, max_nodes: int) -> None:
    """Reject documents with too many nodes when aliases are expanded, or with numbers that are too long."""
    if root is not None and ("*" in text or len(text) > _SMALL):
        _count_nodes(root, {}, 0, max_nodes)


def _count_nodes(node: Any, known: dict[int, int], depth: int, max_nodes: int) -> int:
    """Return the number of nodes in a node with all aliases expanded."""
    if depth > MAX_DEPTH:
        raise RefusedError("an alias refers to itself, or aliases are nested too deeply")
    if id(node) in known:
        return known[id(node)]
    if node.id == "scalar":
        if len(node.value) > _MAX_NUMBER and node.tag in _NUMBERS:
            raise RefusedError(f"a number has more than {_MAX_NUMBER} digits")
        return 1
    children = [child for pair in node.value for child in pair] if node.id == "mapping" else node.value
    size = 1
    for child in children:
        size += _count_nodes(child, known, depth + 1, max_nodes)
        if size > max_nodes:
            raise RefusedError(f"more than {max_nodes} values after expanding aliases")
    known[id(node)] = size
    return size
