"""Imitated functions that changed between releases have a flag with a case, or a review."""

import ast
from collections import defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from conformance.case import all_cases

import hermes_sdk
from hermes_sdk import contract
from hermes_sdk.contract import parse_release
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.contract.imitations import find_suspects, read_imitated
from hermes_sdk.documents import parse_toml

PACKAGE = Path(hermes_sdk.__file__).parent
AFTER = "0.20.2"
"""First release before those with measured flags."""
SHARE = 0.85
STEPS = [*pairwise(contract.releases())]
"""Pairs of adjacent proven releases."""


@cache
def read_reviews() -> dict[str, list[dict[str, object]]]:
    return parse_toml((PACKAGE / "contract" / "reviewed.toml").read_text(encoding="utf-8"))


def find_changed(before: str, after: str) -> dict[str, bool]:
    """Return the changed host functions; the values are whether the imitating code reads a flag that changed too.

    A flag changed if its first or last release is later than `before` and not later than `after`. Each flag has a case
    that shows both settings, so a function whose imitation reads one has a case too. Functions that only moved count as
    unchanged.
    """
    flags = {name for name, flag in FLAGS.items() if has_changed(flag.since, before, after)}
    flags |= {name for name, flag in FLAGS.items() if flag.until and has_changed(flag.until, before, after)}
    decided = {module for name in flags for module in list_readers()[name]}
    suspects = find_suspects(*(contract.load(one).section("fingerprints") for one in (before, after)))
    return {one.function: not decided.isdisjoint(one.modules) for one in suspects if one.change != "moved"}


def has_changed(release: str, before: str, after: str) -> bool:
    return parse_release(before) < parse_release(release) <= parse_release(after)


@pytest.mark.parametrize(("before", "after"), STEPS)
def test_every_changed_function_has_a_case_or_was_reviewed(before, after) -> None:
    listed = [function for one in read_reviews()[after] for function in one["functions"]]
    assert len(listed) == len({*listed})
    changed = find_changed(before, after)
    assert sorted(function for function, has_case in changed.items() if not has_case and function not in listed) == []
    assert sorted({*listed} - {*changed}) == [], "these functions did not change"


@pytest.mark.parametrize("after", [after for _, after in STEPS])
def test_review_names_a_case_of_the_release_or_a_reason(after) -> None:
    cases = {one.id: one for one in all_cases()}
    for review in read_reviews()[after]:
        if case := cases.get(str(review.get("case"))):
            assert case.releases is None or after in case.releases
        else:
            assert review.keys() == {"functions", "reason"}, review
            assert 20 <= len(str(review["reason"])) <= 300, review


@cache
def list_readers() -> dict[str, set[str]]:
    """Return the imitating modules that read each flag, as named in `imitated.toml`."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in {module for modules in read_imitated().values() for module in modules}:
        path = name.removeprefix("hermes_sdk.") if name.startswith("hermes_sdk.") else f"hosts.embedded.{name}"
        file = PACKAGE.joinpath(*path.split("."))
        text = (file / "__init__.py" if file.is_dir() else file.with_suffix(".py")).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and node.attr in FLAGS:
                found[node.attr].add(name)
    return found


def test_radar_finds_most_flags_between_adjacent_releases() -> None:
    seen, missed = [], []
    releases = [one for one in contract.api_releases() if contract.load(one).base == one]
    for before, after in pairwise(releases):
        if parse_release(after) <= parse_release(AFTER):
            continue
        old, new = (contract.load(one).section("fingerprints") for one in (before, after))
        in_doubt = {module for one in find_suspects(old, new) for module in one.modules}
        for name, flag in FLAGS.items():
            if after in (flag.since, flag.until):
                (seen if list_readers()[name] & in_doubt else missed).append(f"{after} {name}")
    share = len(seen) / len(seen + missed)
    print(f"the radar sees {share:.1%} of {len(seen + missed)} flags; not: {', '.join(missed)}")
    assert share >= SHARE, missed
