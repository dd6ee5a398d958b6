"""Result of reading a manifest: the value that the host sees, positions, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.manifest.codes import CODES, Severity

if TYPE_CHECKING:
    import yaml


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

    Args:
        compose: Makes `root`; called when a position is first asked for, since most manifests have nothing wrong.

    Attributes:
        path: The file.
        value: Exactly what the host sees: nearly always a mapping, and empty for an empty file. None when the host
            cannot read the file, and when it is refused here because reading it would cost too much.
        problems: What is wrong with the file as YAML.
    """

    def __init__(
        self,
        path: Path,
        value: Any,
        problems: Iterable[Diagnostic] = (),
        compose: Callable[[], yaml.Node | None] = lambda: None,
    ) -> None:
        self.path = path
        self.value = value
        self.problems = list(problems)
        self._compose = compose

    def __repr__(self) -> str:
        return f"<Parsed {self.path}>"

    @classmethod
    def unreadable(cls, path: Path, code: str, message: str, place: tuple[int, int] = (1, 1)) -> Parsed:
        """Return what there is to say of a file that the host cannot read."""
        return cls(path, None, [Diagnostic.of(code, message, path, place)])

    @cached_property
    def root(self) -> yaml.Node | None:
        """The document as a tree of nodes with positions; None when there is no document."""
        return self._compose()

    def position(self, *keys: Hashable) -> tuple[int, int]:
        """Return where a key or an item stands, or the nearest thing around it that exists.

        Args:
            keys: The path to it, such as ``"requires_env", 0, "name"``.

        Returns:
            Line and column, 1-based.
        """
        from hermes_sdk.manifest.nodes import find_node

        place, _ = find_node(self.root, keys)
        return (place.start_mark.line + 1, place.start_mark.column + 1) if place else (1, 1)

    def source(self, *keys: Hashable) -> str:
        """Return a scalar as it is written, without quotes; empty for anything else."""
        from hermes_sdk.manifest.nodes import find_node, scalar_source

        return scalar_source(find_node(self.root, keys)[1])


def find_place(text: str, index: int) -> tuple[int, int]:
    """Return line and column of a character, 1-based."""
    before = text[: max(index, 0)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")
