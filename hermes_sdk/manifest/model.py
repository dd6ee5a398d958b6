"""Result of reading a manifest: the host's value, positions, and problems."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk.manifest.codes import CODES, Severity

if TYPE_CHECKING:
    import yaml


class Diagnostic(NamedTuple):
    """A problem in a manifest.

    Attributes:
        code: A key of `hermes_sdk.manifest.codes.CODES`, which also explains the consequences.
        severity: ``"error"``, ``"warning"`` or ``"info"``.
        message: The problem.
        path: The manifest.
        line: 1-based.
        column: 1-based, in characters.
        fix: How to fix it.
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
        """Create a diagnostic with the severity of its code, and with the code's advice unless `fix` is passed."""
        entry = CODES[code]
        return cls(code, entry.severity, message, path.as_posix(), *place, fix or entry.fix)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.severity} {self.code}: {self.message}"


class Parsed:
    """A parsed manifest.

    Args:
        compose: Creates `root`; called only when a position is needed, since most manifests have no problems.

    Attributes:
        path: The file.
        value: The exact value in the host: nearly always a mapping, and empty for an empty file. None if the host
            cannot read the file, or if it is rejected here because reading it would cost too much.
        problems: Problems of the file as YAML.
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
        """Create the result for a file that the host cannot read."""
        return cls(path, None, [Diagnostic.of(code, message, path, place)])

    @cached_property
    def root(self) -> yaml.Node | None:
        """The document as a tree of nodes with positions; None if there is no document."""
        return self._compose()

    def position(self, *keys: Hashable) -> tuple[int, int]:
        """Return the position of a key or an item, or that of its closest existing parent.

        Args:
            keys: The path, such as ``"requires_env", 0, "name"``.

        Returns:
            Line and column, 1-based.
        """
        from hermes_sdk.manifest.nodes import find_node

        place, _ = find_node(self.root, keys)
        return (place.start_mark.line + 1, place.start_mark.column + 1) if place else (1, 1)

    def source(self, *keys: Hashable) -> str:
        """Return a scalar as written in the file, without quotes; empty for any other value."""
        from hermes_sdk.manifest.nodes import find_node, scalar_source

        return scalar_source(find_node(self.root, keys)[1])


def find_place(text: str, index: int) -> tuple[int, int]:
    """Return line and column of a character, 1-based."""
    before = text[: max(index, 0)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")
