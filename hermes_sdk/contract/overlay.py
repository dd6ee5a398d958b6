"""Overlays: facts that no installed host can tell, written by hand on top of the data of a release.

An overlay is a TOML file with ``base``, ``grade`` and one ``[[difference]]`` for each claim of a source: ``id``,
``source``, ``statement``, and what it changes: facts to ``set`` or ``remove`` by path, and ``flags``. A path is the
section, then keys; in a list a key is the ``name`` of an entry: ``context.register_tool.parameters.toolset.default``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Difference:
    """One claim of a source that differs from the base release.

    Attributes:
        id: The number under which the difference is known, such as ``Δ13``.
        source: The document that makes the claim.
        statement: The claim in one sentence.
        set: Facts to set: path to value.
        remove: Paths of facts that there are not.
        flags: Behaviour flags to set.
    """

    id: str
    source: str
    statement: str
    set: Mapping[str, Any] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    flags: Mapping[str, bool] = field(default_factory=dict)

    def amend(self, section: str, facts: Any) -> None:
        """Change the facts of one section in place."""
        for path, value in self.set.items():
            name, *keys = path.split(".")
            if name == section:
                _parent(facts, keys)[keys[-1]] = value
        for path in self.remove:
            name, *keys = path.split(".")
            if name == section:
                del _parent(facts, keys)[keys[-1]]


@dataclass(frozen=True)
class Overlay:
    """A release described by its differences from a real one.

    Attributes:
        base: The real release.
        grade: The grade of the result.
        differences: What differs, in the order in which it applies.
    """

    base: str
    grade: str
    differences: tuple[Difference, ...]


def read_overlay(path: Path) -> Overlay:
    """Read an overlay file of ours."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Overlay(content["base"], content["grade"], tuple(Difference(**entry) for entry in content["difference"]))


def _parent(facts: Any, keys: list[str]) -> Any:
    for key in keys[:-1]:
        facts = next(entry for entry in facts if entry["name"] == key) if isinstance(facts, list) else facts[key]
    return facts
