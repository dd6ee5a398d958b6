"""`pytest --hermes-host auto`: tests that the embedded host cannot run are rerun in the real Hermes."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from testing.suites.mutating import EXAMPLES

# Each run of pytester unloads the modules that it imported, so import them here once.
import hermes_sdk.hosts.embedded.agent.conversation
import hermes_sdk.hosts.embedded.host
import hermes_sdk.hosts.real.host
import hermes_sdk.manifest.project
import hermes_sdk.testing.failure_traces
import hermes_sdk.testing.fixtures
import hermes_sdk.testing.suites.kinds  # noqa: F401
from hermes_sdk.traces import read_trace

pytest_plugins = ["pytester"]

RELEASE = "0.22.2"
PLUGIN = """
    import json
    def look(args=None, **more):
        try:
            from gateway.run import GatewayRunner
        except ImportError:
            return json.dumps({"session": "none"})
        return json.dumps({"session": "some"})
    def register(ctx):
        schema = {"name": "where", "description": "d", "parameters": {"type": "object", "properties": {}}}
        ctx.register_tool("where", "notes", schema, look)
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs tests of a project whose plugin has a tool that needs an unmodelled module."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("CI", raising=False)

    def running(tests: str, *options: str, plugin: str = PLUGIN) -> pytest.RunResult:
        folder = pytester.mkdir("plugin")
        (folder / "plugin.yaml").write_text("name: notes\nkind: standalone\n")
        (folder / "__init__.py").write_text(dedent(plugin))
        pytester.makepyfile(test_it="import pytest\n" + dedent(tests))
        if "-n" not in options:
            options = ("-p", "no:xdist", *options)
        plugins = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "--strict-markers", "-W", "error")
        return pytester.runpytest_inprocess(*plugins, *options)

    return running


@pytest.fixture
def real_host(real_python: Callable[[str], Path]) -> None:
    """Pretend that the real host of the default release is on this machine."""
    real_python(RELEASE)


@pytest.fixture
def no_real_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there is no real host on this machine."""
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "empty"))


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """Return the outcomes of the phases of each test, by its name without ``test_``."""
    found: dict[str, list[str]] = {}
    for words in map(str.split, result.outlines):
        if words and words[0] in ("PASSED", "FAILED", "ERROR", "SKIPPED"):
            found.setdefault(words[1].partition("::test_")[2], []).append(words[0].lower())
    return {name: " ".join(sorted(ends)) for name, ends in found.items()}


TESTS = """
    def test_fails_only_in_the_embedded_host(hermes):
        assert hermes.call_tool("where").json == {"session": "some"}

    def test_passes_in_both(hermes):
        assert hermes.call_tool("where").error is None

    def test_gets_a_refusal(hermes):
        hermes.on("serve")

    def test_expects_it(hermes):
        hermes.expect_unsupported(match="gateway.run")
        hermes.call_tool("where")
        assert hermes.kind == "embedded"

    def test_asks_for_it(hermes):
        with pytest.raises(Exception, match="does not model the surface serve"):
            hermes.on("serve")
        assert hermes.kind == "embedded"

    def test_is_wrong(hermes):
        print("runs in", hermes.kind)
        assert hermes.call_tool("where").json == {"session": "many"}

    def test_fails_for_another_cause(hermes):
        assert hermes.kind == "real"

    def test_is_skipped_there(hermes):
        hermes.call_tool("where")
        if hermes.kind == "real":
            pytest.skip("no time")
"""


@pytest.mark.real_host
def test_result_of_real_host_counts_when_the_embedded_host_cannot_run_a_test(run: Run, real_host: None) -> None:
    result = run(TESTS, "-rA")
    assert outcomes(result) == {
        "fails_only_in_the_embedded_host": "passed",
        "passes_in_both": "passed",
        "gets_a_refusal": "passed",
        "expects_it": "passed",
        "asks_for_it": "passed",
        "is_wrong": "failed",
        "fails_for_another_cause": "failed",
        "is_skipped_there": "failed",
    }
    result.stdout.fnmatch_lines(
        [
            f"5 tests ran in the real Hermes {RELEASE}; the embedded host does not model: gateway.run (4), the surface"
            " serve (1)"
        ]
    )


@pytest.mark.real_host
def test_failure_shows_the_results_of_both_hosts(run: Run, real_host: None) -> None:
    result = run(TESTS, "-k", "is_wrong or is_skipped")
    result.stdout.fnmatch_lines(
        [
            "E       AssertionError: assert {'session': 'some'} == {'session': 'many'}",
            f"*the result above is from the real Hermes {RELEASE}*",
            "*patches made in the test process, `caplog` and coverage do not reach it.",
            "*result in the embedded host*",
            "E       AssertionError: assert {'session': 'none'} == {'session': 'many'}",
            "The embedded host does not model gateway.run (plugin/__init__.py:5).",
            "runs in real",
            "not supported, and not run: no time",
            "The test passed.",
        ]
    )
    result.stdout.no_fnmatch_line("runs in embedded")


def test_test_fails_with_install_command_without_a_real_host(run: Run, no_real_host: None) -> None:
    result = run(TESTS, "-rA")
    assert outcomes(result) == {
        "fails_only_in_the_embedded_host": "error failed",
        "passes_in_both": "error passed",
        "gets_a_refusal": "failed",
        "expects_it": "passed",
        "asks_for_it": "passed",
        "is_wrong": "error failed",
        "fails_for_another_cause": "failed",
        "is_skipped_there": "error passed",
    }
    command = f"hermes-sdk hosts install {RELEASE}"
    missing = f"the real Hermes {RELEASE} is not installed: run `{command}`"
    assert result.outlines.count(missing) == len(
        ["fails_only_in_the_embedded_host", "passes_in_both", "gets_a_refusal", "is_wrong", "is_skipped_there"]
    )
    result.stdout.no_fnmatch_line("*ran in the real Hermes*")


@pytest.mark.real_host
def test_rerun_installs_nothing(run: Run, real_host: None, pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml('[project]\nname = "x"\nversion = "1"\ndependencies = ["a-package-that-nobody-made"]\n')
    result = run(TESTS, "-k", "passes_in_both")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*lacks what the plugin requires: run `hermes-sdk show * --install` once"])


@pytest.mark.parametrize(("value", "host"), [("1", "embedded"), ("false", "embedded"), ("", "auto")])
def test_ci_uses_only_the_embedded_host(
    value: str, host: str, run: Run, no_real_host: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", value)
    result = run(TESTS, "-k", "passes_in_both")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"hermes: {host} {RELEASE} *"])


def test_invalid_expected_pattern_fails_only_its_test(run: Run, no_real_host: None) -> None:
    tests = """
        def test_it(hermes):
            hermes.expect_unsupported(match="(")
            hermes.call_tool("where")

        def test_other(hermes):
            pass
    """
    run(tests).assert_outcomes(passed=2, errors=1)


def test_unmodelled_release_needs_the_real_host(run: Run, no_real_host: None) -> None:
    result = run(TESTS, "-k", "passes_in_both", "--hermes-release", "0.16.0")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["The embedded host models Hermes 0.19.0 and later."])


@pytest.mark.real_host
@pytest.mark.parametrize(("option", "ends"), [("embedded", "error passed"), ("real", "passed")])
def test_other_host_options_cause_no_rerun(option: str, ends: str, run: Run, real_host: None) -> None:
    result = run(TESTS, "-rA", "-k", "passes_in_both", "--hermes-host", option, "--hermes-release", RELEASE)
    assert outcomes(result) == {"passes_in_both": ends}
    result.stdout.no_fnmatch_line("*ran in the real Hermes*")


SCOPES = """
    LOG = []

    def make(scope):
        @pytest.fixture(scope=scope)
        def fixture():
            LOG.append(f"{scope} up")
            yield
            LOG.append(f"{scope} down")
        return fixture

    session_scope, module_scope, class_scope, function_scope = map(make, ["session", "module", "class", "function"])

    @pytest.mark.usefixtures("session_scope", "module_scope", "class_scope", "function_scope")
    class TestScopes:
        marked = False

        def test_first(self):
            pass

        @pytest.mark.parametrize("number", [1, 2])
        def test_there(self, number, hermes, record_property, tmp_path):
            assert not self.marked
            self.marked = True
            record_property("kind", hermes.kind)
            (tmp_path / "file").touch(exist_ok=False)
            LOG.append(f"{number} {hermes.kind}")
            assert hermes.call_tool("where").json == {"session": "some"}

    def test_log():
        up = ["session up", "module up", "class up", "function up"]
        down = ["function down", "class down", "module down", "session down"]
        assert LOG == [
            *up, "function down",
            "function up", "1 embedded", *down, *up, "1 real", "function down",
            "function up", "2 embedded", *down, *up, "2 real", "function down", "class down",
        ]
"""


@pytest.mark.real_host
def test_fixtures_of_all_scopes_are_created_again(run: Run, real_host: None, pytester: pytest.Pytester) -> None:
    run(SCOPES, "-x", "--junitxml=results.xml", "-o", "junit_family=xunit1", "--durations=0").assert_outcomes(passed=4)
    cases = list(ET.parse(pytester.path / "results.xml").iter("testcase"))
    assert [case.get("name") for case in cases] == ["test_first", "test_there[1]", "test_there[2]", "test_log"]
    properties = [(one.get("name"), one.get("value")) for one in cases[1].iter("property")]
    assert properties == [
        ("kind", "real"),
        ("hermes_rerun", RELEASE),
        ("hermes_rerun_reason", "gateway.run"),
    ]


@pytest.mark.real_host
def test_exitfirst_stops_at_the_first_failure_in_the_real_host(run: Run, real_host: None) -> None:
    tests = """
        @pytest.mark.parametrize("session", ["some", "many", "none"])
        def test_it(hermes, session):
            assert hermes.call_tool("where").json == {"session": session}
    """
    run(tests, "-x").assert_outcomes(passed=1, failed=1)


@pytest.mark.real_host
def test_plugin_that_loads_only_in_the_real_host_is_tested_there(run: Run, real_host: None) -> None:
    tests = """
        @pytest.fixture
        def numbers():
            numbers = []
            yield numbers
            assert numbers == [1]

        def test_it(numbers, hermes):
            numbers.append(1)
            assert (hermes.kind, hermes.commands) == ("real", ["who"])
    """
    plugin = """
        from gateway.run import GatewayRunner
        def register(ctx):
            ctx.register_command("who", lambda line: "me")
    """
    result = run(tests, plugin=plugin)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"1 test ran in the real Hermes {RELEASE}; *: gateway.run (1)"])


ENDS = """
    def look(**more):
        try:
            from gateway.run import GatewayRunner
        except ImportError:
            pass
    def register(ctx):
        ctx.register_hook("on_session_finalize", look)
"""
ENDING = """
    LOG = []

    @pytest.fixture(scope="module")
    def module_scope():
        LOG.append("up")
        yield
        LOG.append("down")

    @pytest.mark.parametrize("reply", ["hello", "goodbye"])
    def test_it(module_scope, hermes, reply):
        hermes.llm.script("hello")
        assert hermes.chat("hi").reply == reply or hermes.kind == "embedded"

    def test_log():
        assert LOG == ["up", "down"] * 4
"""


@pytest.mark.real_host
def test_unsupported_use_at_the_end_of_a_session_triggers_a_rerun(run: Run, real_host: None) -> None:
    result = run(ENDING, plugin=ENDS)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*ERROR at teardown of test_it[[]goodbye[]]*",
            "*AssertionError*",
            "*result in the embedded host*",
            "*The embedded host does not model gateway.run (plugin/__init__.py:4).",
            f"2 tests ran in the real Hermes {RELEASE}; *: gateway.run (2)",
        ]
    )


@pytest.mark.real_host
def test_gateway_test_is_rerun(run: Run, real_host: None) -> None:
    tests = """
        from hermes_sdk.testing import call, say

        def test_it(hermes_gateway):
            hermes_gateway.llm.script(call("where"), say("done"))
            assert hermes_gateway.dm().receives("hello")[-1].text == "done"
            assert hermes_gateway.host.kind == "real"
    """
    result = run(tests)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"1 test ran in the real Hermes {RELEASE}; *"])


@pytest.mark.real_host
def test_only_the_final_run_writes_a_trace(run: Run, real_host: None, pytester: pytest.Pytester) -> None:
    run(TESTS, "-k", "fails_only or is_wrong or is_skipped", "--hermes-record").assert_outcomes(passed=1, failed=2)
    files = list((pytester.path / ".hermes-traces").iterdir())
    assert [read_trace(file).host for file in files] == ["real", "real"]


@pytest.mark.real_host
def test_xfail_outcome_is_that_of_the_real_host(run: Run, real_host: None) -> None:
    tests = """
        @pytest.mark.xfail(reason="later")
        def test_unexpected(hermes):
            assert hermes.call_tool("where").json == {"session": "some"}

        @pytest.mark.xfail(reason="later")
        def test_expected(hermes):
            assert hermes.call_tool("where").json == {"session": "many"}
    """
    run(tests).assert_outcomes(xpassed=1, xfailed=1)


@pytest.mark.real_host
def test_summary_counts_tests_of_xdist_workers(run: Run, real_host: None) -> None:
    result = run(TESTS, "-n", "1", "-k", "fails_only or is_wrong")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*result in the embedded host*", f"2 tests ran in the real Hermes {RELEASE}; *: gateway.run (2)"]
    )


@pytest.mark.real_host
def test_hypothesis_examples_are_all_rerun(run: Run, real_host: None, pytester: pytest.Pytester) -> None:
    tests = """
        from hypothesis import HealthCheck, given, settings, strategies

        @settings(deadline=None, max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
        @given(session=strategies.sampled_from(["some", "none"]))
        def test_it(hermes, session):
            assert hermes.kind in ("embedded", "real")
            assert hermes.call_tool("where").json == {"session": "some"}
    """
    run(tests).assert_outcomes(passed=1)


@pytest.mark.real_host
def test_unittest_test_case_is_rerun(run: Run, real_host: None) -> None:
    tests = """
        import unittest

        class Tests(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def host(self, hermes):
                self.hermes = hermes

            def test_it(self):
                self.assertEqual(self.hermes.call_tool("where").json, {"session": "some"})

            def test_wrong(self):
                self.assertEqual(self.hermes.call_tool("where").json, {"session": "many"})

            def test_skipped(self):
                self.hermes.call_tool("where")
                self.skipTest("no time")
    """
    result = run(tests)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["not supported, and not run: no time", "The test was skipped: no time"])
    result.stdout.fnmatch_lines(["E   * {'session': 'some'} != {'session': 'many'}", "E   * {'session': 'none'} != *"])


@pytest.mark.real_host
@pytest.mark.skipif(not hasattr(pytest, "Subtests"), reason="pytest 9 has subtests")
def test_failures_of_subtests_are_final(run: Run, real_host: None) -> None:
    tests = """
        def test_it(hermes, subtests):
            with subtests.test():
                assert hermes.call_tool("where").json == {"session": "some"}
    """
    result = run(tests)
    result.stdout.fnmatch_lines(
        [
            f"*this test did not run in the real Hermes {RELEASE}*",
            "its subtests have already failed in the embedded host",
        ]
    )
    result.stdout.no_fnmatch_line("*ran in the real Hermes*")


SUITE = """
    from hermes_sdk.testing import PluginContract

    class TestIt(PluginContract):
        plugin = "word_count"
        config = {"plugins": {"isolation": "host"}}
"""


@pytest.fixture
def suite(run: Run, pytester: pytest.Pytester) -> Callable[[], pytest.RunResult]:
    """Return a function that runs three rules of a suite; the first blocks the others in the embedded host."""
    shutil.copytree(EXAMPLES / "word_count", pytester.path / "word_count")
    return lambda: run(SUITE, "-k", "it_loads or tools_answer_in_json")


@pytest.mark.real_host
def test_blocked_rules_are_rerun_completely(suite: Callable[[], pytest.RunResult], real_host: None) -> None:
    result = suite()
    result.assert_outcomes(passed=3, deselected=15)
    result.stdout.fnmatch_lines([f"3 tests ran in the real Hermes {RELEASE}; *: run plugins in a process of * (3)"])


def test_blocked_rules_are_skipped_without_a_real_host(
    suite: Callable[[], pytest.RunResult], no_real_host: None
) -> None:
    result = suite()
    result.assert_outcomes(failed=1, skipped=2, deselected=15)
    result.stdout.fnmatch_lines(["HS801, it loads: *", "the real Hermes * is not installed: run *"])
