"""Contract suites for authors: tests, exclusions, and messages about broken rules."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from testing.suites.mutating import EXAMPLES, Mutant, copy_mutant

from hermes_sdk.errors import UsageError
from hermes_sdk.explain import SUITES, explain, suite_rules
from hermes_sdk.testing.suites.contract import run_rule_on_host
from hermes_sdk.testing.suites.rules.values import hostile, valid

SUITE = """
    from hermes_sdk.testing import ImageGenProviderContract

    class TestTiles(ImageGenProviderContract):
        plugin = "tile_images"
"""
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "rules.md"

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the suite, with further lines in its class, on a mutant of the image backend."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def running(lines: str = "", *options: str, mutant: Mutant | None = None) -> pytest.RunResult:
        if mutant:
            copy_mutant(EXAMPLES / "tile_images", mutant, pytester.path)
        else:
            shutil.copytree(EXAMPLES / "tile_images", pytester.path / "tile_images")
        pytester.makepyfile(test_it=dedent(SUITE) + f"    {lines}\n")
        plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
        return pytester.runpytest_inprocess(*plugins, "--strict-markers", "-W", "error", *options)

    return running


def test_plugin_may_be_the_root_of_its_project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    shutil.copytree(EXAMPLES / "tile_images", pytester.path, dirs_exist_ok=True)
    pytester.mkdir("tests")
    test = dedent(SUITE).replace('plugin = "tile_images"', "backend = 'tile_images'")
    (pytester.path / "tests" / "test_it.py").write_text(test)
    plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
    pytester.runpytest_inprocess(*plugins, "tests").assert_outcomes(passed=9)


UNAVAILABLE = Mutant("HS888", "        return True", "        return 'yes'")


def test_correct_plugin_passes(run: Run):
    run().assert_outcomes(passed=9)


def test_broken_rule_shows_its_reason_and_the_behaviour_of_the_host(run: Run):
    result = run(mutant=UNAVAILABLE)
    result.assert_outcomes(passed=8, failed=1)
    result.stdout.fnmatch_lines(
        [
            "HS888, is available answers at once: is_available() returned 'yes'",
            "Why: The host calls it before each session*",
            "Otherwise: The tool is offered although it cannot work*",
            "If this is intentional, set exclude = {'HS888': 'the reason'} in the suite.",
        ]
    )


def test_plugin_exception_is_shown_with_traceback(run: Run):
    result = run(mutant=Mutant("HS888", "        return True", "        raise KeyError('token')"))
    result.stdout.fnmatch_lines(["*it raised KeyError: 'token'", "*tile_images/__init__.py*line*in is_available"])


def test_rule_can_be_excluded(run: Run):
    result = run("exclude = {'HS888': 'asks a person'}", "-rs", mutant=UNAVAILABLE)
    result.assert_outcomes(passed=8, skipped=1)
    result.stdout.fnmatch_lines(["*HS888 is excluded: asks a person"])


def test_unneeded_exclusion_fails(run: Run):
    result = run("exclude = {'HS888': 'asks a person'}")
    result.assert_outcomes(passed=8, failed=1)
    result.stdout.fnmatch_lines(["HS888 passes, so remove it from exclude (asks a person)."])


def test_exclusion_of_unknown_rule_fails(run: Run):
    result = run("exclude = {'HS820': 'another suite', 'HS1': 'no rule'}")
    result.assert_outcomes(passed=8, failed=1)
    result.stdout.fnmatch_lines(["exclude lists HS1, HS820, but TestTiles has no such rule"])


def test_missing_plugin_is_named_without_a_traceback(run: Run):
    result = run("plugin = 'elsewhere'", "-k", "its_name")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*elsewhere*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_rules_about_time_limits_are_skipped_on_the_real_host_by_default(run: Run, pytester: pytest.Pytester):
    pytester.makepyfile(
        test_memory="from hermes_sdk.testing import MemoryProviderContract\n\n\n"
        "class TestMemory(MemoryProviderContract):\n    plugin = 'memory'\n"
    )
    shutil.copytree(EXAMPLES / "sqlite_memory", pytester.path / "memory")
    result = run("", "-k", "returns_in_time", "--hermes-host", "real", "-rs")
    result.assert_outcomes(skipped=1, deselected=len(list(_names("image"))) + len(list(_names("memory"))) + 1)
    result.stdout.fnmatch_lines(["*HS865 waits for the host's time limits; to run it, pass --hermes-slow"])


def _names(suite: str):
    return (rule.name for name, rule in suite_rules() if SUITES[name] == suite)


def test_rules_have_unique_codes_and_names_and_explanations():
    known = [rule.code for _, rule in suite_rules()]
    assert known == sorted(set(known))
    for name, rule in suite_rules():
        assert rule.code.startswith(("HS8", "HS9"))
        assert rule.why.endswith(".")
        assert rule.host.endswith(".")
        assert f"test_{rule.name}` of `{name}`" in explain(rule.code.lower())


def test_page_counts_the_rules_of_each_suite():
    counted = dict(re.findall(r"\| `(\w+)` \| (\d+) \|", PAGE.read_text(encoding="utf-8")))
    suites = [name for name, _ in suite_rules()]
    assert counted == {name: str(suites.count(name)) for name in suites}


SCHEMA = {
    "type": "object",
    "properties": {
        "mode": {"enum": ["read", "write"]},
        "count": {"type": "integer", "minimum": 2, "maximum": 9},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "flag": {"type": ["boolean", "null"]},
        "name": {"type": "string", "minLength": 8},
    },
    "required": ["mode"],
}


def test_valid_arguments_are_generated_from_a_schema():
    import jsonschema

    made = valid(SCHEMA)
    jsonschema.validate(made, SCHEMA)
    assert made["mode"] == "read"
    assert made["count"] == 2


def test_hostile_arguments_depend_on_the_seed_and_exceed_limits():
    first, again, other = (list(hostile(SCHEMA, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {} in first
    counts = [one["count"] for one in first if isinstance(one.get("count"), int)]
    assert {1, 2, 9, 10} <= set(counts)


def test_directory_without_a_plugin_is_rejected(tmp_path: Path):
    from hermes_sdk.testing import PluginContract

    with pytest.raises(UsageError):
        run_rule_on_host(PluginContract, next(rule for _, rule in suite_rules()), tmp_path, "embedded", "0.19.0")
