"""HS79x: what the author put aside is still there, and said why. `hermes_sdk.check.suppress` finds these."""

from __future__ import annotations

from hermes_sdk.check.rules.base import NOTHING, Example, Rule, example


def _commented(comment: str) -> Example:
    return example(f"{NOTHING.rstrip()}  # hs: {comment}\n")


def _with_baseline(entry: str) -> Example:
    return example(
        files={
            "pyproject.toml": '[tool.hermes-sdk.check]\nbaseline = "baseline.json"\n',
            "baseline.json": f'{{"schema": "hermes-sdk.baseline/1", "findings": [{entry}]}}\n',
        }
    )


class SuppressesNothing(Rule):
    """A comment or a setting without a finding."""

    code = "HS791"
    title = "suppression that suppresses nothing"
    severity = "warning"
    why = "It hides the next mistake at this place, and tells a reader of a problem that is not there."
    fix = "Remove it."
    bad = _commented("ignore[HS203] the parser is wrong")
    good = example()


class SuppressionNotUnderstood(Rule):
    """A comment that starts like a suppression and is none."""

    code = "HS792"
    title = "suppression that cannot be understood"
    severity = "warning"
    why = "It suppresses nothing, although it looks as if it did."
    fix = "Write `# hs: ignore[HS203] the reason`, with the code of a rule and a reason."
    bad = _commented("ignore[HS203]")
    good = example()


class BaselineIsStale(Rule):
    """An entry of the baseline without a finding."""

    code = "HS793"
    title = "baseline entry without a finding"
    severity = "warning"
    why = "The problem is gone: while the entry stays, it may come back unseen."
    fix = "Write the baseline again with --update-baseline."
    bad = _with_baseline('{"code": "HS203", "path": "old.py", "fingerprint": "00", "message": "not valid Python"}')
    good = _with_baseline("")


SUPPRESSES_NOTHING = SuppressesNothing()
NOT_UNDERSTOOD = SuppressionNotUnderstood()
BASELINE_IS_STALE = BaselineIsStale()

RULES = (SUPPRESSES_NOTHING, NOT_UNDERSTOOD, BASELINE_IS_STALE)
