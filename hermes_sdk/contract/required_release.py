"""The release that a plugin requires: ``requires_hermes`` of its manifest, as the host reads it (statement N13)."""

from __future__ import annotations

import re

from hermes_sdk.contract.supported import COMPARISONS

_CLAUSE = r"\s*(>=|<=|==|!=|>|<)\s*(.+?)\s*"


def satisfies(running: str, wanted: str) -> bool:
    """Tell whether a release satisfies all clauses, which commas separate; one that cannot be read is satisfied."""
    clauses = [clause.strip() for clause in wanted.split(",") if clause.strip()]
    current = _numbers(running) if clauses else None
    for clause in clauses:
        found = re.fullmatch(_CLAUSE, clause)
        comparison, release = found.groups() if found else (">=", clause)
        numbers = _numbers(release)
        if current is not None and numbers is not None and not COMPARISONS[comparison](current, numbers):
            return False
    return True


def _numbers(release: str) -> tuple[int, ...] | None:
    """Return the first three numbers of a release; None when one of them is not a number."""
    parts = re.split("[-+]", release.strip().lstrip("v"), maxsplit=1)[0].split(".")[:3]
    found = [re.match(r"\d+", part.strip()) for part in [*parts, "0", "0"][:3]]
    return tuple(int(one[0]) for one in found if one) if all(found) else None
