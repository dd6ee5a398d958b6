"""Decides the rules of the quality scale for a project, and compares the claims of its ``quality.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hermes_sdk.check.model import Result
from hermes_sdk.check.quality.scale import RULES, TIERS, Project, QualityRule, Tier
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import Parsed, parse

FILE = "quality.yaml"

Status = Literal["done", "todo", "exempt"]


class Claim(NamedTuple):
    """Claim of a project about one rule.

    Attributes:
        reason: The reason for an exemption; empty for other statuses.
        place: The place of the claim as ``file:line:column``.
    """

    status: Status
    reason: str
    place: str


def read_claims(root: Path) -> dict[str, Claim]:
    """Return the claims of a project by rule; empty if it has no ``quality.yaml``.

    Raises:
        UsageError: The file is invalid; the error has the place of the first problem.
    """
    file = root / FILE
    if not file.is_file():
        return {}
    parsed = parse(file)
    for problem in parsed.problems:
        raise UsageError(problem.message, where=f"{FILE}:{problem.line}:{problem.column}", fix=problem.fix)
    if not isinstance(parsed.value, dict) or set(parsed.value) != {"rules"}:
        raise _make_error(
            parsed, (), "the file is not a mapping with `rules` as its only key", "Write `rules:` at its top."
        )
    rules = parsed.value["rules"]
    if not isinstance(rules, dict):
        raise _make_error(
            parsed, ("rules",), "rules is not a mapping", "Write one line for each rule, such as `strict-types: done`."
        )
    return {str(name): _read(parsed, name, value) for name, value in rules.items()}


def _read(parsed: Parsed, name: Any, value: Any) -> Claim:
    known = [rule.id for rule in RULES]
    keys = ("rules", name)
    if name not in known:
        close = get_close_matches(str(name), known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"The rules are {', '.join(known)}."
        raise _make_error(parsed, keys, f"there is no rule {name!r}", hint)
    place = _locate(parsed, keys)
    if value in ("done", "todo"):
        return Claim(value, "", place)
    if not isinstance(value, dict) or set(value) != {"exempt"}:
        raise _make_error(parsed, keys, f"{name} is {value!r}", "Write `done`, `todo` or `exempt: reason`.")
    reason = value["exempt"]
    if not isinstance(reason, str) or not reason.strip():
        raise _make_error(parsed, keys, f"{name} is exempt without a reason", "Write `exempt: reason`.")
    if next(rule for rule in RULES if rule.id == name).required:
        raise _make_error(parsed, keys, f"no project is exempt from {name}", "Write `done` or `todo`.")
    return Claim("exempt", reason.strip(), place)


def _locate(parsed: Parsed, keys: tuple[Any, ...]) -> str:
    line, column = parsed.position(*keys)
    return f"{FILE}:{line}:{column}"


def _make_error(parsed: Parsed, keys: tuple[Any, ...], problem: str, fix: str) -> UsageError:
    return UsageError(problem, where=_locate(parsed, keys), fix=fix)


Verdict = Literal["met", "missing", "exempt"]


@dataclass(frozen=True)
class Decision:
    """Decision about one rule, and the claim of the project.

    Attributes:
        missing: The unmet requirement; empty if the project meets the rule.
        claim: The claim of the project; None if there is none.
    """

    rule: QualityRule
    missing: str
    claim: Claim | None

    @property
    def verdict(self) -> Verdict:
        """``met``, ``missing``, or ``exempt`` for an unmet rule that the project claims to be exempt from."""
        if not self.missing:
            return "met"
        return "exempt" if self.claim and self.claim.status == "exempt" else "missing"

    @property
    def is_contradicted(self) -> bool:
        """True if the project claims to meet the rule but does not."""
        return bool(self.missing and self.claim and self.claim.status == "done")


@dataclass(frozen=True)
class Quality:
    """Quality of a project.

    Attributes:
        decisions: One for each rule, from bronze to platinum.
    """

    decisions: tuple[Decision, ...]

    @property
    def tier(self) -> Tier | None:
        """The highest tier whose rules, and those of all tiers below, are met or exempt; None if there is none."""
        reached: Tier | None = None
        for tier in TIERS:
            if any(one.verdict == "missing" for one in self.list_decisions(tier)):
                break
            reached = tier
        return reached

    @property
    def next_tier(self) -> Tier | None:
        """The tier above the reached one; None if that is the highest."""
        if self.tier is None:
            return TIERS[0]
        place = TIERS.index(self.tier) + 1
        return TIERS[place] if place < len(TIERS) else None

    def list_decisions(self, tier: Tier) -> list[Decision]:
        """Return the decisions about the rules of a tier."""
        return [one for one in self.decisions if one.rule.tier == tier]

    @property
    def unproven(self) -> dict[str, list[str]]:
        """The rules that are met according to the files alone, by the command that proves them."""
        found: dict[str, list[str]] = {}
        for one in self.decisions:
            if one.verdict == "met" and one.rule.proof:
                found.setdefault(one.rule.proof, []).append(one.rule.id)
        return found

    @property
    def contradictions(self) -> list[Decision]:
        """The decisions that contradict a claim."""
        return [one for one in self.decisions if one.is_contradicted]


def judge(path: Path, result: Result) -> Quality:
    """Decide every rule.

    Raises:
        UsageError: ``quality.yaml`` is invalid.
    """
    project = Project(path, result)
    claims = read_claims(project.root)
    return Quality(tuple(Decision(rule, rule.missing(project), claims.get(rule.id)) for rule in RULES))
