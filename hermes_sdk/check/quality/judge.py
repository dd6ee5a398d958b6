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
    """A project's claim to fulfil one rule.

    Attributes:
        reason: Why the project is exempt; empty for another status.
        place: Where, as ``file:line:column``.
    """

    status: Status
    reason: str
    place: str


def read_claims(root: Path) -> dict[str, Claim]:
    """Return the claims of a project by rule; empty if it has no ``quality.yaml``.

    Raises:
        UsageError: The file is not valid: its first error, with the place.
    """
    file = root / FILE
    if not file.is_file():
        return {}
    parsed = parse(file)
    for problem in parsed.problems:
        raise UsageError(problem.message, where=f"{FILE}:{problem.line}:{problem.column}", fix=problem.fix)
    if not isinstance(parsed.value, dict) or set(parsed.value) != {"rules"}:
        raise _wrong(parsed, (), "the file is not a mapping with the key `rules` alone", "Write `rules:` at its top.")
    rules = parsed.value["rules"]
    if not isinstance(rules, dict):
        raise _wrong(
            parsed, ("rules",), "rules is not a mapping", "Write one line for each rule, such as `strict-types: done`."
        )
    return {str(name): _read(parsed, name, value) for name, value in rules.items()}


def _read(parsed: Parsed, name: Any, value: Any) -> Claim:
    known = [rule.id for rule in RULES]
    keys = ("rules", name)
    if name not in known:
        close = get_close_matches(str(name), known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"The rules are {', '.join(known)}."
        raise _wrong(parsed, keys, f"there is no rule {name!r}", hint)
    place = _locate(parsed, keys)
    if value in ("done", "todo"):
        return Claim(value, "", place)
    if not isinstance(value, dict) or set(value) != {"exempt"}:
        raise _wrong(parsed, keys, f"{name} is {value!r}", "Write `done`, `todo` or `exempt: reason`.")
    reason = value["exempt"]
    if not isinstance(reason, str) or not reason.strip():
        raise _wrong(parsed, keys, f"{name} is exempt without a reason", "Write `exempt: reason`.")
    if next(rule for rule in RULES if rule.id == name).required:
        raise _wrong(parsed, keys, f"no project is exempt from {name}", "Write `done` or `todo`.")
    return Claim("exempt", reason.strip(), place)


def _locate(parsed: Parsed, keys: tuple[Any, ...]) -> str:
    line, column = parsed.position(*keys)
    return f"{FILE}:{line}:{column}"


def _wrong(parsed: Parsed, keys: tuple[Any, ...], problem: str, fix: str) -> UsageError:
    return UsageError(problem, where=_locate(parsed, keys), fix=fix)


Verdict = Literal["met", "missing", "exempt"]


@dataclass(frozen=True)
class Decision:
    """Decision about one rule, and the claim beside it.

    Attributes:
        missing: What is missing; empty if the project meets the rule.
        claim: What the project claims; None if it claims nothing.
    """

    rule: QualityRule
    missing: str
    claim: Claim | None

    @property
    def verdict(self) -> Verdict:
        """Return whether the project meets the rule, or need not."""
        if not self.missing:
            return "met"
        return "exempt" if self.claim and self.claim.status == "exempt" else "missing"

    @property
    def is_contradicted(self) -> bool:
        """Return whether the project claims what is not true."""
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
