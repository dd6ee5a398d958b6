"""Decides the rules of the quality scale for a project, compares its claims, and finds the tier that it reaches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hermes_sdk.check.model import Result
from hermes_sdk.check.quality.claims import Claim, read_claims
from hermes_sdk.check.quality.project import Project
from hermes_sdk.check.quality.scale import RULES, TIERS, QualityRule, Tier

Verdict = Literal["met", "missing", "exempt"]


@dataclass(frozen=True)
class Decision:
    """What is true of one rule.

    Attributes:
        missing: What is missing; empty if the project meets the rule.
        claim: What the project claims; None if it claims nothing.
    """

    rule: QualityRule
    missing: str
    claim: Claim | None

    @property
    def verdict(self) -> Verdict:
        """Whether the project meets the rule, or need not."""
        if not self.missing:
            return "met"
        return "exempt" if self.claim and self.claim.status == "exempt" else "missing"

    @property
    def is_contradicted(self) -> bool:
        """Whether the project claims what is not true."""
        return bool(self.missing and self.claim and self.claim.status == "done")


@dataclass(frozen=True)
class Quality:
    """What is true of a project.

    Attributes:
        decisions: One for each rule, from bronze to platinum.
    """

    decisions: tuple[Decision, ...]

    @property
    def tier(self) -> Tier | None:
        """The highest tier whose rules, and those of all tiers below, are met or exempt; None for none."""
        reached: Tier | None = None
        for tier in TIERS:
            if any(one.verdict == "missing" for one in self.of(tier)):
                break
            reached = tier
        return reached

    @property
    def next_tier(self) -> Tier | None:
        """The tier above the reached one; None for a project with the highest."""
        if self.tier is None:
            return TIERS[0]
        place = TIERS.index(self.tier) + 1
        return TIERS[place] if place < len(TIERS) else None

    def of(self, tier: Tier) -> list[Decision]:
        """Return the decisions about the rules of a tier."""
        return [one for one in self.decisions if one.rule.tier == tier]

    @property
    def unproven(self) -> dict[str, list[str]]:
        """The rules that are met as far as files say, by the command that proves them."""
        found: dict[str, list[str]] = {}
        for one in self.decisions:
            if one.verdict == "met" and one.rule.proof:
                found.setdefault(one.rule.proof, []).append(one.rule.id)
        return found

    @property
    def contradictions(self) -> list[Decision]:
        """The claims that are not true."""
        return [one for one in self.decisions if one.is_contradicted]


def judge(path: Path, result: Result) -> Quality:
    """Decide every rule.

    Raises:
        UsageError: ``quality.yaml`` is not valid.
    """
    project = Project(path, result)
    claims = read_claims(project.root)
    return Quality(tuple(Decision(rule, rule.missing(project), claims.get(rule.id)) for rule in RULES))
