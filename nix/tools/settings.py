"""Add the settings of a plugin set to the `config.yaml` of a home, and remove them when no set needs them any longer.

Only added values are ever removed, so each is recorded before it is added. Names are added to `plugins.enabled` one by
one, since users enable plugins there too; any other value of the set replaces the value in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from hermes_sdk.errors import UsageError
from hermes_sdk.home.config import edit_config
from hermes_sdk.manifest.load import load_yaml
from hermes_sdk.manifest.safe_loader import compose_yaml

Path = tuple[str, ...]
"""The keys that lead to a value."""

ENABLED: Path = ("plugins", "enabled")


class Change(NamedTuple):
    """A change of the settings in two steps, so that a plugin is enabled whenever the host sees it.

    Attributes:
        before: The file's text before the set is switched: the names of the old and of the new set are enabled.
        after: The text after it.
        recorded: Settings that may have been added once the switch has begun; recorded before any other step.
        added: Settings that have been added when all steps are done.
    """

    before: str
    after: str
    recorded: dict[str, Any]
    added: dict[str, Any]


def change(text: str, wanted: Mapping[str, Any], added: Mapping[str, Any], where: str) -> Change:
    """Plan the change of a configuration to the settings of a set.

    Args:
        text: The current text of the file; may be empty.
        wanted: Settings of the set, as a configuration.
        added: Settings that earlier sets added, as a configuration.
        where: The file, for messages.

    Raises:
        UsageError: The file is not readable YAML, or cannot be changed without touching other keys.
    """
    new, old, current = _leaves(wanted), _leaves(added), _leaves(_read(text, where))
    names, others = _list(new.pop(ENABLED, None)), _list(old.pop(ENABLED, None))
    enabled = _list(current.get(ENABLED))
    missing = [name for name in names if name not in enabled]
    before = edit_config(text, _nest({ENABLED: [*enabled, *missing]}), where) if missing else text
    left = [name for name in [*enabled, *missing] if name in names or name not in others]
    changes = {path: value for path, value in new.items() if not _has(current, path, value)}
    if left != [*enabled, *missing]:
        changes[ENABLED] = left
    old = {path: value for path, value in old.items() if _is_apart(path, new)}
    gone = [path for path, value in old.items() if _has(current, path, value)]
    after = _without(edit_config(before, _nest(changes), where), gone, where)
    ours = [name for name in names if name in missing or name in others]
    recorded = [*others, *(name for name in ours if name not in others)]
    return Change(before, after, _nest({**old, **new, **_enable(recorded)}), _nest({**new, **_enable(ours)}))


def _read(text: str, where: str) -> Mapping[str, Any]:
    edit_config(text, {}, where)  # Rejects unreadable text, and names the place.
    value = load_yaml(text)
    return value if isinstance(value, dict) else {}


def _leaves(value: Mapping[str, Any], path: Path = ()) -> dict[Path, Any]:
    """Return the values of a configuration by their paths; mappings are not values."""
    found: dict[Path, Any] = {}
    for key, item in value.items():
        found |= _leaves(item, (*path, key)) if isinstance(item, dict) else {(*path, key): item}
    return found


def _has(leaves: Mapping[Path, Any], path: Path, value: Any) -> bool:
    # Distinguish 1, 1.0 and true, which are equal in Python.
    return repr(leaves.get(path, ...)) == repr(value)


def _is_apart(path: Path, others: Iterable[Path]) -> bool:
    """Return whether no other path is equal to this one, a prefix of it, or an extension of it."""
    return not any(path[: len(other)] == other[: len(path)] for other in others)


def _nest(leaves: Mapping[Path, Any]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for path, value in leaves.items():
        place = root
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = value
    return root


def _enable(names: list[Any]) -> dict[Path, Any]:
    return {ENABLED: names} if names else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _without(text: str, paths: list[Path], where: str) -> str:
    """Remove keys, and mappings that become empty, from the text of a configuration; all other lines stay unchanged."""
    for path in paths:
        expected = _drop(load_yaml(text), path)
        text = _cut(text, path)
        if repr(load_yaml(text) or {}) != repr(expected):
            raise UsageError(f"cannot remove {'.'.join(path)} alone", where=where, fix="Remove it by hand.")
    return text


def _drop(value: dict[str, Any], path: Path) -> dict[str, Any]:
    key, *rest = path
    if rest and (kept := _drop(value[key], tuple(rest))):
        return {**value, key: kept}
    return {name: item for name, item in value.items() if name != key}


def _cut(text: str, path: Path) -> str:
    pairs = list(_pairs(compose_yaml(text), path))
    # Remove the outermost mapping that would become empty.
    lonely = (all(len(parent.value) == 1 for parent, _, _ in pairs[depth + 1 :]) for depth in range(len(pairs)))
    parent, key, value = pairs[list(lonely).index(True)]
    start, end = key.start_mark.index, _end(text, value)
    if not parent.flow_style:
        return text[: text.rfind("\n", 0, start) + 1] + text[text.find("\n", end) + 1 or len(text) :]
    index = parent.value.index((key, value))
    if following := parent.value[index + 1 :]:
        return text[:start] + text[following[0][0].start_mark.index :]
    return text[: parent.value[index - 1][1].end_mark.index if index else start] + text[end:]


def _pairs(node: yaml.Node | None, path: Path) -> Iterator[tuple[yaml.MappingNode, yaml.Node, yaml.Node]]:
    """Yield each mapping along a path, with its key and its value on the path."""
    for name in path:
        assert isinstance(node, yaml.MappingNode)
        key, value = next(pair for pair in reversed(node.value) if pair[0].value == name)
        yield node, key, value
        node = value


def _end(text: str, node: yaml.Node) -> int:
    """Return the end of a node's content, without the comments that the end mark of a block collection includes."""
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(node, yaml.MappingNode) else last
    return node.start_mark.index + len(text[node.start_mark.index : node.end_mark.index].rstrip())
