"""Captured logs of failed tests: programs receive only lines about the plugin, and a file has all lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

PLUGIN = """
    import logging
    import net

    log = logging.getLogger("of.somebody")

    def callback(**arguments):
        log.info("in the\\nplugin")
        net.say("INFO", "requests")
        net.say("WARNING", "slow")
        net.say("WARNING", "slow for team_notes")
        net.say("INFO", "fast for team-notes")

    def register(ctx):
        ctx.register_hook("on_session_start", callback)
        ctx.register_hook("on_session_finalize", lambda **arguments: log.warning("secret-abcdef"))
"""
LIBRARY = """
    import logging
    def say(level, text): logging.getLogger("net").log(getattr(logging, level), text)
"""
FAILS = """
    def test_it(hermes, caplog):
        hermes.llm.script("ok")
        hermes.chat("hello")
        assert {"requests", "slow", "in the\\nplugin"} <= {*caplog.messages}
        assert 0
"""
SHOWN = "*- Captured log call -*"
CUT = ["INFO * in the", "*plugin", "WARNING  net:* slow for team_notes", "full log: *"]
OTHERS = ["net:net.py:3 requests", "net:net.py:3 slow\n", "fast for", "Plugin discovery"]

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the test of a project whose plugin and its library write logs."""
    for name in ("CI", "HERMES_SDK_QUIET", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NOTES_TOKEN", "secret-abcdef")
    library = pytester.mkdir("site-packages")
    (library / "net.py").write_text(dedent(LIBRARY))
    pytester.syspathinsert(library)
    folder = pytester.mkdir("plugin")
    (folder / "plugin.yaml").write_text("name: team-notes\nkind: standalone\n")
    (folder / "__init__.py").write_text(dedent(PLUGIN))

    def running(test: str, *options: str, terminal: bool = False) -> pytest.RunResult:
        pytester.makepyfile(test_it=dedent(test))
        reporter = "item.config.pluginmanager.get_plugin('terminalreporter')"
        pytester.makeconftest(f"def pytest_runtest_setup(item): {reporter}.isatty = {terminal}\n")
        plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
        return pytester.runpytest_inprocess(*plugins, "--hermes-host", "embedded", *options)

    return running


def find_full_logs(result: pytest.RunResult) -> list[str]:
    """Return the contents of the files named in the output."""
    lines = [line for line in result.outlines if line.startswith("full log: ")]
    return [Path(line.removeprefix("full log: ")).read_text(encoding="utf-8") for line in lines]


@pytest.mark.parametrize(
    ("options", "terminal", "variable"), [([], False, ""), (["-q"], True, ""), ([], True, "HERMES_SDK_QUIET")]
)
def test_log_of_failed_test_shows_only_records_about_the_plugin(
    options: list[str], terminal: bool, variable: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, "1")
    result = run(FAILS, *options, terminal=terminal)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([SHOWN, *CUT], consecutive=True)
    assert not [text for text in OTHERS if text in result.stdout.str()]
    whole = find_full_logs(result)[0]
    assert [text for text in OTHERS if text not in whole] == []


@pytest.mark.parametrize(("terminal", "variable"), [(True, ""), (False, "CI")])
def test_log_is_complete_on_a_terminal_and_in_ci(
    terminal: bool, variable: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, "1")
    result = run(FAILS, terminal=terminal)
    assert [text for text in OTHERS if text not in result.stdout.str()] == []
    assert find_full_logs(result) == []


def test_log_of_teardown_is_redacted_and_shown_once(run: Run) -> None:
    result = run(FAILS)
    result.stdout.fnmatch_lines(["*- Captured log teardown -*", "WARNING * <redacted>"])
    assert "secret-abcdef" not in result.stdout.str() + "".join(find_full_logs(result))
    assert result.stdout.str().count("slow for team_notes") == 1


def test_log_with_only_records_about_the_plugin_is_shown_unchanged(run: Run) -> None:
    test = "import logging\ndef test_it(hermes): logging.warning('of the test'); assert 0\n"
    result = run(test, "--log-level=WARNING")
    result.stdout.fnmatch_lines([SHOWN, "WARNING * of the test"], consecutive=True)
    assert find_full_logs(result) == []


def test_log_of_passing_test_is_unchanged(run: Run) -> None:
    result = run(FAILS.replace("assert 0", "pass"), "-rP")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*Plugin discovery complete*", "*net.py:3 requests"])


def test_host_warnings_count_as_plugin_log(run: Run) -> None:
    test = """
        import pytest
        @pytest.mark.hermes(load=False)
        def test_it(hermes): assert 0
    """
    (Path("plugin") / "__init__.py").write_text("1 / 0\n")
    run(test).stdout.fnmatch_lines(["WARNING  hermes_cli.plugins:* Failed to load plugin*", "full log: *"])


def test_log_of_contract_suite_shows_only_records_about_the_plugin(run: Run) -> None:
    test = """
        from hermes_sdk.testing import PluginContract
        class TestContract(PluginContract): pass
    """
    (Path("plugin") / "__init__.py").write_text("1 / 0\n")
    result = run(test)
    result.stdout.fnmatch_lines(["HS801, *", SHOWN, "WARNING  hermes_cli.plugins:* Failed to load plugin*"])
    assert "Plugin discovery" not in result.stdout.str()
    assert "Plugin discovery" in find_full_logs(result)[0]


def test_load_error_is_shown_in_full_only_once(run: Run) -> None:
    (Path("plugin") / "__init__.py").write_text("def register(ctx): 1 / 0\n")
    result = run("def test_one(hermes): pass\ndef test_two(hermes): pass\n")
    result.assert_outcomes(errors=2)
    text = result.stdout.str()
    assert text.count("The plugin did not load (failed): division by zero\n") == 2
    assert (text.count("ZeroDivisionError"), text.count("The first test with this error")) == (1, 1)
