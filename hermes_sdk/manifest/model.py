"""What reading a manifest gives: the value that the host sees, positions, and what is wrong."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hermes_sdk.manifest.codes import CODES, Severity


class Diagnostic(NamedTuple):
    """One thing that is wrong with a manifest.

    Attributes:
        code: A key of `hermes_sdk.manifest.codes.CODES`, which also says why it matters.
        severity: ``"error"``, ``"warning"`` or ``"info"``.
        message: What is wrong.
        path: The manifest.
        line: 1-based.
        column: 1-based, in characters.
        fix: What to do.
    """

    code: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    fix: str

    @classmethod
    def of(cls, code: str, message: str, path: Path, place: tuple[int, int], fix: str = "") -> Diagnostic:
        """Make a diagnostic with the severity of its code, and its general advice when there is no special one."""
        entry = CODES[code]
        return cls(code, entry.severity, message, path.as_posix(), *place, fix or entry.fix)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.severity} {self.code}: {self.message}"


class Parsed:
    """A manifest that was read.

    Attributes:
        path: The file.
        value: Exactly what the host sees: nearly always a mapping, and empty for an empty file. None when the host
            cannot read the file, and when it is refused here because reading it would cost too much.
        problems: What is wrong with the file as YAML.
        root: The document as a tree of nodes with positions; None when there is no document.
    """

    def __init__(
        self, path: Path, value: Any, problems: Iterable[Diagnostic] = (), root: yaml.Node | None = None
    ) -> None:
        self.path = path
        self.value = value
        self.problems = list(problems)
        self.root = root

    def __repr__(self) -> str:
        return f"<Parsed {self.path}>"

    def position(self, *keys: Hashable) -> tuple[int, int]:
        """Return where a key or an item stands, or the nearest thing around it that exists.

        Args:
            keys: The path to it, such as ``"requires_env", 0, "name"``.

        Returns:
            Line and column, 1-based.
        """
        place, _ = self._find(keys)
        return (place.start_mark.line + 1, place.start_mark.column + 1) if place else (1, 1)

    def source(self, *keys: Hashable) -> str:
        """Return a scalar as it is written, without quotes; empty for anything else."""
        _, node = self._find(keys)
        return node.value if isinstance(node, yaml.ScalarNode) else ""

    def _find(self, keys: tuple[Hashable, ...]) -> tuple[yaml.Node | None, yaml.Node | None]:
        """Return the node that names a value (its key, or the item) and the node of the value."""
        place = node = self.root
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
