"""Mutants of the examples, and the rules of the suites that detect them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from hermes_sdk import contract
from hermes_sdk.testing.suites.contract import Contract, run_rule_on_host
from hermes_sdk.testing.suites.rules.running import suite

EXAMPLES = Path(__file__).parents[2] / "examples"


class Mutant(NamedTuple):
    """One small change of an example.

    Attributes:
        code: The rule that it breaks.
        old: Text that occurs once in the example.
        new: Its replacement.
        file: The file with the text.
        also: Rules about a whole session that also detect the change.
        release: A release on which the rule can be broken.
    """

    code: str
    old: str
    new: str
    file: str = "__init__.py"
    also: tuple[str, ...] = ()
    release: str = contract.DEFAULT


def copy_mutant(example: Path, mutant: Mutant, folder: Path) -> None:
    """Copy an example into a folder and change it."""
    shutil.copytree(example, folder / example.name, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / example.name / mutant.file
    text = file.read_text()
    assert text.count(mutant.old) == 1, f"{mutant.old!r} is {text.count(mutant.old)} times in {mutant.file}"
    file.write_text(text.replace(mutant.old, mutant.new))


def find_broken_rules(
    cls: type[Contract], folder: Path, *, only: str = "", release: str = contract.DEFAULT
) -> dict[str, str]:
    """Return the messages of broken rules by code, of all rules or of a single one."""
    found = {}
    for rule in suite(cls.suite).RULES:
        if only not in ("", rule.code):
            continue
        result = run_rule_on_host(cls, rule, folder, "embedded", release)
        if result["outcome"] == "broken":
            found[rule.code] = result["message"]
    return found


def list_codes(cls: type[Contract]) -> list[str]:
    """Return the codes of the rules of a suite."""
    return [rule.code for rule in suite(cls.suite).RULES]
