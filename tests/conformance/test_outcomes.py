"""Recorded outcomes are valid only for an unchanged comparison."""

from dataclasses import replace
from pathlib import Path

import pytest
from conformance import outcomes
from conformance.case import Case
from conformance.outcomes import (
    FAILED,
    digest_code,
    digest_comparison,
    digest_driver,
    has_passed,
    read_outcomes,
    record_outcomes,
)

SEEN = {"tools": ["add"], "log": []}


def _acts(host):
    return host.plugins


CASE = Case("A1", "something_is_so", {}, {}, {}, _acts)
OTHER = replace(CASE, name="something_else_is_so")


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "outcomes.json"
    monkeypatch.setattr(outcomes, "FILE", path)
    read_outcomes.cache_clear()
    yield path
    read_outcomes.cache_clear()


def test_equal_comparisons_have_equal_digests():
    assert digest_comparison(CASE, "0.22.2", SEEN) == digest_comparison(
        replace(CASE), "0.22.2", dict(reversed(SEEN.items()))
    )


@pytest.mark.parametrize(
    ("one", "release", "seen"),
    [
        (replace(CASE, config={"plugins": {"enabled": ["p"]}}), "0.22.2", SEEN),
        (CASE, "0.19.0", SEEN),
        (CASE, "0.22.2", {**SEEN, "tools": ["add", "sub"]}),
    ],
    ids=["the case", "the release", "what the embedded host shows"],
)
def test_digest_of_a_comparison_changes_with_its_parts(one, release, seen):
    assert digest_comparison(one, release, seen) != digest_comparison(CASE, "0.22.2", SEEN)


def test_digest_of_the_driver_changes_with_its_code(tmp_path: Path):
    worker = tmp_path / "hosts" / "real" / "worker"
    worker.mkdir(parents=True)
    (worker / "session.py").write_text("LIMIT = 1\n", encoding="utf-8")
    before = digest_driver(tmp_path)
    digest_driver.cache_clear()
    (worker / "session.py").write_text("LIMIT = 2\n", encoding="utf-8")
    assert digest_driver(tmp_path) != before


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ('"""Limits."""\n\nLIMIT = 1\n"""A number."""\n\n\ndef f():\n    """Fail."""\n    # Always.\n', False),
        ("LIMIT = 1\n\n\ndef f():\n    pass\n", True),
    ],
    ids=["docstrings and comments", "a statement"],
)
def test_digest_of_code_ignores_docstrings_and_comments(tmp_path: Path, text: str, changes: bool):
    file = tmp_path / "code.py"
    file.write_text("LIMIT = 1\n\n\ndef f(): ...\n".replace("...", "'Fail.'"), encoding="utf-8")
    before = digest_code(tmp_path, tmp_path)
    file.write_text(text, encoding="utf-8")
    assert (digest_code(tmp_path, tmp_path) != before) is changes


def test_recorded_outcomes_are_read_back(file):
    record_outcomes([CASE, OTHER], {(CASE.id, "0.22.2"): "0123456789ab", (OTHER.id, "0.22.2"): FAILED})
    read_outcomes.cache_clear()
    assert has_passed(CASE, "0.22.2", read_outcomes())
    assert not has_passed(CASE, "0.19.0", read_outcomes())
    assert not has_passed(OTHER, "0.22.2", read_outcomes())


def test_outcomes_of_a_changed_case_are_dropped(file):
    record_outcomes([CASE, OTHER], {(one.id, "0.19.0"): "0123456789ab" for one in (CASE, OTHER)})
    read_outcomes.cache_clear()
    changed = replace(CASE, config={"plugins": {"enabled": ["p"]}})
    record_outcomes([changed, OTHER], {(OTHER.id, "0.22.2"): "0123456789ab"})
    read_outcomes.cache_clear()
    assert changed.id not in read_outcomes()
    assert all(has_passed(OTHER, release, read_outcomes()) for release in ("0.19.0", "0.22.2"))
