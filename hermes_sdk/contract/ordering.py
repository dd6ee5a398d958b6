"""Order of releases, and ranges of releases that a plugin may require.

Does not use `packaging`, because its import takes as long as loading a contract.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple


@cache
def parse_release(release: str) -> tuple[int, ...]:
    """Return the three numbers of a release, which define the order of releases.

    Args:
        release: Numbers joined by dots: ``"0.19"`` is ``"0.19.0"``, and a fourth number is ignored.

    Raises:
        ValueError: The release is not numeric, such as a Git revision.
    """
    numbers = [int(part) for part in release.split(".")[:3]]
    return tuple(numbers + [0] * (3 - len(numbers)))


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
        clauses: The required comparisons, each an operator and the three numbers of a release.
    """

    clauses: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def parse(cls, text: str) -> Supported:
        """Parse a range as newer hosts do: a bare version means at least that version, and only three numbers count.

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
    def from_manifest(cls, value: object) -> Supported:
        """Parse the value of `requires_hermes` in a manifest; a value other than text admits all releases.

        Raises:
            ValueError: A clause cannot be read; the message shows it.
        """
        return cls.parse(value) if isinstance(value, str) else cls(())

    def admits(self, release: str) -> bool:
        """Return whether the range includes a release, such as ``"0.19.0"``."""
        return all(COMPARISONS[sign](parse_release(release), version) for sign, version in self.clauses)


def raise_floor(written: str, floor: str) -> str:
    """Return a range with a new lower bound; upper bounds and exclusions are preserved.

    Args:
        written: The range in a manifest.
    """
    others = [clause.strip() for clause in written.split(",") if clause.strip().startswith(("<", "!"))]
    return ", ".join([f">={floor}", *others])


_REQUIREMENT = r"\s*(>=|<=|==|!=|>|<)\s*(.+?)\s*"


def satisfies(running: str, wanted: str, *, leading_digits: bool = True) -> bool:
    """Return whether a release satisfies all comma-separated clauses; an invalid clause counts as satisfied.

    Args:
        running: The release.
        wanted: The clauses, such as ``">=0.20, <0.22"``.
        leading_digits: Read ``0.22.2rc1`` as ``0.22.2``, as hosts since 0.22.2 do. Earlier hosts cannot read it.
    """
    clauses = [clause.strip() for clause in wanted.split(",") if clause.strip()]
    part = re.compile(r"\d+" if leading_digits else r"\d+$")
    current = _find_numbers(running, part) if clauses else None
    for clause in clauses:
        found = re.fullmatch(_REQUIREMENT, clause)
        comparison, release = found.groups() if found else (">=", clause)
        numbers = _find_numbers(release, part)
        if current is not None and numbers is not None and not COMPARISONS[comparison](current, numbers):
            return False
    return True


def _find_numbers(release: str, part: re.Pattern[str]) -> tuple[int, ...] | None:
    """Return the first three numbers of a release; None if one of them does not match `part`."""
    parts = re.split("[-+]", release.strip().lstrip("v"), maxsplit=1)[0].split(".")[:3]
    found = [part.match(one.strip()) for one in [*parts, "0", "0"][:3]]
    return tuple(int(one[0]) for one in found if one) if all(found) else None
