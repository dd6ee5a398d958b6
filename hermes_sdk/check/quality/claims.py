"""Reads ``quality.yaml``: what a project claims of each rule, with the place of each claim."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hermes_sdk.check.quality.scale import RULES
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import Parsed, parse

FILE = "quality.yaml"

Status = Literal["done", "todo", "exempt"]


class Claim(NamedTuple):
    """What a project says about one rule.

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
