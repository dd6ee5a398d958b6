"""Overlays: facts that cannot be extracted from an installed host, written by hand on top of a release's data.

An overlay is a TOML file with ``base`` and a ``[[difference]]`` for each claim of a source: ``id``, ``source``,
``statement``, and the changes: facts to ``set`` or ``remove`` by path, and names to ``add`` to a section that is a
list. A path is the section, then keys; in a list a key is the ``name`` of an entry:
``context.register_tool.parameters.toolset.default``. The base is a real release or another overlay.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from hermes_sdk.documents import parse_toml

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Difference(NamedTuple):
    """A source's claim that differs from the base release.

    Attributes:
        id: The number of the difference, such as ``Δ13``.
        source: The document that makes the claim.
        statement: The claim in one sentence.
        set: Facts to set: path to value.
        remove: Paths of facts to remove.
        add: Names to add to a section that is a list of names.
    """

    id: str
    source: str
    statement: str
    set: Mapping[str, Any] = _NOTHING
    remove: tuple[str, ...] = ()
    add: Mapping[str, list[str]] = _NOTHING

    def concerns(self, section: str) -> bool:
        """Return whether the difference changes a section."""
        return section in self.add or any(path.partition(".")[0] == section for path in (*self.set, *self.remove))

    def amend(self, section: str, facts: Any) -> Any:
        """Apply the difference to the facts of a section and return them; they are mutated unless replaced entirely."""
        for path, value in self.set.items():
            name, *keys = path.split(".")
            if path == section:
                facts = _copy(value)
            elif name == section:
                _add_fact(_find_parent(facts, keys), keys[-1], _copy(value))
        if section in self.add:
            facts += self.add[section]
        for path in self.remove:
            name, *keys = path.split(".")
            if name == section:
                _remove_fact(_find_parent(facts, keys), keys[-1])
        return facts


class Overlay(NamedTuple):
    """A release described by its differences from a real release.

    Attributes:
        base: The real release.
        differences: The differences, in the order of application.
    """

    base: str
    differences: tuple[Difference, ...]


def read_overlay(folder: Path, release: str) -> Overlay:
    """Read the overlay of a release, including the overlays on which it is based.

    Args:
        folder: The folder with the overlays.
        release: The name of its file, without ``.toml``.
    """
    content = read_content(folder / f"{release}.toml")
    differences = tuple(Difference(**entry) for entry in content["difference"])
    base = content["base"]
    if not (folder / f"{base}.toml").exists():
        return Overlay(base, differences)
    parent = read_overlay(folder, base)
    return Overlay(parent.base, parent.differences + differences)


@cache
def read_content(path: Path) -> dict[str, Any]:
    """Return the content of an overlay's own file; cached, so callers must not change it."""
    return parse_toml(path.read_text(encoding="utf-8"))


def _copy(value: Any) -> Any:
    """Copy a value of JSON types without importing `copy`."""
    return json.loads(json.dumps(value))


def _find_parent(facts: Any, keys: list[str]) -> Any:
    for key in keys[:-1]:
        facts = facts[_find(facts, key)] if isinstance(facts, list) else facts[key]
    return facts


def _add_fact(facts: Any, key: str, value: Any) -> None:
    if isinstance(facts, list):
        facts.append({"name": key, **value})
    else:
        facts[key] = value


def _remove_fact(facts: Any, key: str) -> None:
    del facts[_find(facts, key) if isinstance(facts, list) else key]


def _find(entries: list[Any], name: str) -> int:
    return next(place for place, entry in enumerate(entries) if entry["name"] == name)
