"""Ranges of releases as `requires_hermes` writes them: ``>=0.16, !=0.17.0``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from hermes_sdk.contract.ordering import parse_release

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_CLAUSE = r"\s*(>=|<=|==|!=|>|<|)\s*v?(\d+(?:\.\d+)*)(?:[-+]?[A-Za-z][\w.+-]*)?\s*"


class Supported(NamedTuple):
    """A range of releases.

    Attributes:
        clauses: What all has to hold: an operator, and the three numbers of a release.
    """

    clauses: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def parse(cls, text: str) -> Supported:
        """Read a range as newer hosts do: a bare version means at least that one, and three numbers count.

        Args:
            text: Clauses with ``>=``, ``>``, ``<=``, ``<``, ``==`` or ``!=``, joined by commas.

        Raises:
            ValueError: A clause cannot be read; the message shows it.
        """
        clauses: list[tuple[str, tuple[int, ...]]] = []
        for part in text.split(","):
            found = re.fullmatch(_CLAUSE, part)
            if found is None:
                raise ValueError(f"{part.strip()!r} is not a clause such as '>=0.16'")
            clauses.append((found[1] or ">=", parse_release(found[2])))
        return cls(tuple(clauses))

    @classmethod
    def declared(cls, value: object) -> Supported:
        """Read the value of `requires_hermes` in a manifest; all releases are admitted by what is not text.

        Raises:
            ValueError: A clause cannot be read; the message shows it.
        """
        return cls.parse(value) if isinstance(value, str) else cls(())

    def admits(self, release: str) -> bool:
        """Whether a release, such as ``"0.19.0"``, lies in the range."""
        return all(COMPARISONS[sign](parse_release(release), version) for sign, version in self.clauses)


def raise_floor(written: str, floor: str) -> str:
    """A range that begins at a release instead of where it began; what else it says stays.

    Args:
        written: A range, as a manifest has it.
    """
    others = [clause.strip() for clause in written.split(",") if clause.strip().startswith(("<", "!"))]
    return ", ".join([f">={floor}", *others])
