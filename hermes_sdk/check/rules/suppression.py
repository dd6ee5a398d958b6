"""HS79x: suppressions are valid, and have a finding. `hermes_sdk.check.suppress` and `baseline` report these."""

from __future__ import annotations

from hermes_sdk.check.rule import NOTHING, Example, Rule, example


def _make_commented_plugin(comment: str) -> Example:
    return example(f"{NOTHING.rstrip()}  # hs: {comment}\n")


def _make_plugin_with_baseline(entry: str) -> Example:
    return example(
        files={
            "pyproject.toml": '[tool.hermes-sdk.check]\nbaseline = "baseline.json"\n',
            "baseline.json": f'{{"schema": "hermes-sdk.baseline/1", "findings": [{entry}]}}\n',
        }
    )


SUPPRESSES_NOTHING = Rule(
    code="HS791",
    name="suppresses_nothing",
    title="unused suppression",
    why="It hides the next mistake here, and points readers to a problem that does not exist.",
    fix="Remove it.",
    severity="warning",
    bad=_make_commented_plugin("ignore[HS203] the parser is wrong"),
    good=example(),
    subject="suppression",
)

NOT_UNDERSTOOD = Rule(
    code="HS792",
    name="suppression_not_understood",
    title="suppression is not valid",
    why="It has no effect, although it looks like a suppression.",
    fix="Write `# hs: ignore[HS203] the reason`, with a rule code and a reason.",
    severity="warning",
    bad=_make_commented_plugin("ignore[HS203]"),
    good=example(),
    subject="suppression",
)

BASELINE_IS_STALE = Rule(
    code="HS793",
    name="baseline_is_stale",
    title="baseline entry without a finding",
    why="The problem is gone; as long as the entry stays, it may come back unnoticed.",
    fix="Run the check again with --update-baseline.",
    severity="warning",
    bad=_make_plugin_with_baseline(
        '{"code": "HS203", "path": "old.py", "fingerprint": "00", "message": "not valid Python"}'
    ),
    good=_make_plugin_with_baseline(""),
    subject="suppression",
)

RULES = [SUPPRESSES_NOTHING, NOT_UNDERSTOOD, BASELINE_IS_STALE]
