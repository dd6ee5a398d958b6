"""Edits of YAML texts at the positions of PyYAML's nodes; all other lines stay unchanged.

Comments, order, quoting and blank lines survive because unrelated lines are never serialised again. The caller has to
parse the result to verify the change, since an alias, for example, has no separate position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

from hermes_sdk.manifest.safe_loader import Dumper, compose_yaml

_DASH = re.compile(r" *- +")
# White space in YAML 1.1; a no-break space, for example, is text.
_WHITE = " \t\r\n\x85\u2028\u2029"


def set_value(text: str, keys: Sequence[str], value: Any) -> str:
    """Return `text` with a value at a path of mapping keys; missing keys are added.

    Items of a block list are added and removed line by line to preserve the comments between them.

    Args:
        text: A YAML document with a mapping at its root, or an empty one.
        keys: The path, at least one key.
        value: The value, of plain YAML types.
    """
    text = text if not text or text.endswith("\n") else text + "\n"
    node = compose_yaml(text)
    if node is None:
        return text + _dump_block(_nest_value(keys, value), 0)
    key, rest, in_flow = None, list(keys), False
    while rest and isinstance(node, yaml.MappingNode):
        pair = _find_pair(node, rest[0])
        if pair is None:
            break
        in_flow = in_flow or not _is_block(node)
        key, node, rest = pair[0], pair[1], rest[1:]
    if rest and isinstance(node, yaml.MappingNode) and _is_block(node):
        at = _next_line(text, _find_end(text, node))
        return text[:at] + _dump_block(_nest_value(rest, value), node.start_mark.column) + text[at:]
    if rest:
        value = _merge_flow_mapping(node, _nest_value(rest, value))
    if key is None:
        return text[: node.start_mark.index] + _dump_block(value, 0) + text[_next_line(text, node.end_mark.index) :]
    if in_flow:
        return text[: node.start_mark.index] + _dump_flow(value) + text[node.end_mark.index :]
    return _replace(text, key, node, value)


def remove_key(text: str, keys: Sequence[str]) -> str:
    """Return `text` without a key of a mapping, its lines, and the comments within them.

    Args:
        text: A YAML document with a mapping at its root.
        keys: The path to an existing key.
    """
    mapping: Any = compose_yaml(text)
    pair = _find_pair(mapping, keys[0])
    for name in keys[1:]:
        assert pair is not None
        mapping = pair[1]
        pair = _find_pair(mapping, name)
    assert pair is not None
    if _is_block(mapping) and len(mapping.value) > 1:
        return text[: _line_start(text, pair[0].start_mark.index)] + text[_next_line(text, _find_end(text, pair[1])) :]
    rest = dict(yaml.constructor.SafeConstructor().construct_document(mapping))
    del rest[keys[-1]]
    return set_value(text, keys[:-1], rest)


def find_value(text: str, keys: Sequence[str]) -> tuple[int, int]:
    """Return line and column of the value at a path of mapping keys, or of its closest existing parent.

    Args:
        text: A YAML document with a mapping at its root.
    """
    node: Any = compose_yaml(text)
    for key in keys:
        pair = _find_pair(node, key)
        if pair is None:  # The value comes from a merge key.
            break
        node = pair[1]
    return node.start_mark.line + 1, node.start_mark.column + 1


def _find_pair(mapping: yaml.MappingNode, key: str) -> tuple[yaml.ScalarNode, yaml.Node] | None:
    """Return the last pair with the key, which is the effective one."""
    pairs = [pair for pair in mapping.value if isinstance(pair[0], yaml.ScalarNode) and pair[0].value == key]
    return pairs[-1] if pairs else None


def _nest_value(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _merge_flow_mapping(node: yaml.Node, addition: dict[str, Any]) -> dict[str, Any]:
    """Return a flow mapping merged with `addition`; any other value is replaced."""
    if not isinstance(node, yaml.MappingNode):
        return addition
    return {**yaml.constructor.SafeConstructor().construct_document(node), **addition}


def _replace(text: str, key: yaml.ScalarNode, node: yaml.Node, value: Any) -> str:
    """Replace the value of a key."""
    start, end = node.start_mark.index, _find_end(text, node)
    lines = bool(value) and isinstance(value, dict | list)
    if isinstance(value, list) and isinstance(node, yaml.SequenceNode) and _can_edit_lines(text, node, value):
        return _set_items(text, key, node, value)
    if _is_block(node) and lines:
        return text[:start] + _dump_block(value, node.start_mark.column).strip() + text[end:]
    if _is_block(node):
        colon = _find_value_start(text, key)
        rest = text[colon : _line_start(text, start)] + text[_next_line(text, end) :]
        return f"{text[:colon]} {_dump_flow(value)}{rest}"
    if lines and not (isinstance(node, yaml.CollectionNode) and node.value):
        before = text[:start].rstrip(" ")
        at = _next_line(text, end)
        return before + text[end:at] + _dump_block(value, key.start_mark.column + 2) + text[at:]
    space = " " if text[start - 1] == ":" else ""
    return text[:start] + space + _dump_flow(value) + text[end:]


def _set_items(text: str, key: yaml.ScalarNode, node: yaml.SequenceNode, wanted: list[Any]) -> str:
    """Remove the lines of unwanted list items, and add a line for each missing item."""
    old, new = _list_items(node), [repr(item) for item in wanted]
    places = [
        (_line_start(text, item.start_mark.index), _next_line(text, _find_end(text, item))) for item in node.value
    ]
    dash = text[places[0][0] : node.value[0].start_mark.index]
    stay = set(new)
    edits = [(*place, "") for place, item in zip(places, old, strict=True) if item not in stay]
    if not wanted:
        edits.append((_find_value_start(text, key), _find_value_start(text, key), " []"))
    starts = {item: start for (start, _), item in reversed(list(zip(places, old, strict=True)))}
    at, added = places[-1][1], list[tuple[int, int, str]]()
    for item, value in reversed(list(zip(new, wanted, strict=True))):
        at = starts.get(item, at)
        if item not in starts:
            added.append((at, at, f"{dash}{_dump_flow(value)}\n"))
    edits += reversed(added)
    edits.sort(key=lambda edit: edit[:2])
    for start, end, line in reversed(edits):
        text = text[:start] + line + text[end:]
    return text


def _list_items(node: yaml.SequenceNode) -> list[str]:
    """Return the `repr` of each list item, which distinguishes 1, 1.0 and true."""
    return [repr(item) for item in yaml.constructor.SafeConstructor().construct_document(node)]


def _find_value_start(text: str, key: yaml.ScalarNode) -> int:
    return text.index(":", key.end_mark.index) + 1


def _is_block(node: yaml.Node) -> bool:
    return isinstance(node, yaml.CollectionNode) and bool(node.value) and not node.flow_style


def _can_edit_lines(text: str, node: yaml.SequenceNode, wanted: list[Any]) -> bool:
    """Return whether a list has one scalar per line, and adding and removing lines turns it into `wanted`."""
    one_a_line = _is_block(node) and all(
        isinstance(item, yaml.ScalarNode)
        and _DASH.fullmatch(text, _line_start(text, item.start_mark.index), item.start_mark.index)
        for item in node.value
    )
    if not one_a_line:
        return False
    old, new = _list_items(node), [repr(item) for item in wanted]
    return [item for item in old if item in new] == [item for item in new if item in old]


def _find_end(text: str, node: yaml.Node) -> int:
    """Return the end of a node's content; the mark of a block collection also spans the comments after it."""
    if _is_block(node):
        last = node.value[-1]
        return _find_end(text, last[1] if isinstance(node, yaml.MappingNode) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip(_WHITE))


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _next_line(text: str, index: int) -> int:
    return text.find("\n", index) + 1 or len(text)


class _Dumper(Dumper):
    """Dumper that indents lists below their key, as the host does, and writes text with line breaks on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)

    def represent_text(self, text: str) -> yaml.ScalarNode:
        style = None if text.splitlines() in ([], [text]) else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _Dumper.represent_text)


def _dump_block(value: Any, column: int) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, default_flow_style=False, allow_unicode=True, width=2**16
    )
    return "".join(f"{' ' * column}{line}" for line in text.splitlines(keepends=True))


def _dump_flow(value: Any) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, default_flow_style=True, allow_unicode=True, width=2**16
    )
    return text.removesuffix("...\n").rstrip("\n")
