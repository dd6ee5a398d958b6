"""Verdicts of Hermes' own checks, as lines of the text report and as fields of the JSON report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hermes_sdk.check.model import Upstream, Verdict, to_json

_MARKS = {"pass": "✓", "info": "i", "warning": "!", "error": "✗"}
_SHOWN = 5


def describe(upstream: Upstream) -> Iterator[tuple[str, str]]:
    """Yield a line for each check: a label, and a text that also says whether our rules agree."""
    yield "checked", f"{upstream.source}, by Hermes {upstream.release} ({upstream.host})"
    if upstream.differing:
        shown = ", ".join(upstream.differing[:_SHOWN])
        more = len(upstream.differing) - _SHOWN
        yield (
            "  differs",
            f"{shown}{f' and {more} more' if more > 0 else ''} differ from the commit; "
            "commit your changes to have them checked",
        )
    for verdict in upstream.verdicts:
        # The report already lists the scanner's findings with the others.
        if verdict.judge != "scan" or verdict.check == "verdict":
            yield f"  {_MARKS[verdict.level]} {verdict.judge}", f"{verdict.check}{_format_agreement(verdict)}"
    for judge in upstream.missing:
        yield f"  - {judge}", "not in this release"
    yield "our rules", summarise(upstream.verdicts)


def _format_agreement(verdict: Verdict) -> str:
    detail = f": {verdict.detail}" if verdict.detail else ""
    if verdict.agrees is None:
        return detail
    says = f"{', '.join(verdict.ours)} objects" if verdict.ours else "our rules do not object"
    return f"{detail} [{'agree' if verdict.agrees else f'DISAGREE, {says}'}]"


def summarise(verdicts: Sequence[Verdict]) -> str:
    """Summarise the number of checks on which our rules agree, and list the checks for which we have no rule."""
    compared = [one for one in verdicts if one.agrees is not None]
    if not compared:
        return "have nothing to compare with"
    agreed = sum(one.agrees is True for one in compared)
    alone = sorted({f"{one.judge} {one.check}" for one in verdicts if not one.rules and one.judge != "scan"})
    rest = f"; no rule of ours covers {', '.join(alone)}" if alone else ""
    return f"agree on {agreed} of {len(compared)} checks{rest}"


def as_fields(upstream: Upstream) -> dict[str, Any]:
    """Return the fields of the JSON document."""
    compared = [one.agrees for one in upstream.verdicts if one.agrees is not None]
    agreement = {"compared": len(compared), "agree": sum(compared)}
    return {**to_json(upstream), "agreement": agreement}
