"""Messages of suites about hangs, hidden tools, and failures before a rule begins."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from examples.irc_network import IrcTransport
from examples.irc_plugin import plain_irc
from testing.suites.mutating import EXAMPLES, Mutant, copy_mutant, find_broken_rules

from hermes_sdk.testing import MemoryProviderContract, PlatformContract, PluginContract
from hermes_sdk.testing.suites.contract import Contract, Failures, run_rule_on_host
from hermes_sdk.testing.suites.rules.running import suite
from hermes_sdk.testing.suites.rules.time_limit import find_place

Run = Callable[..., pytest.RunResult]

TOOL = '    text = args.get("text")'
CONNECTS = '        """Connect; afterwards the adapter reconnects by itself when the connection is lost."""\n'
TAKES = "def count(args: dict[str, Any], **kwargs: Any)"
FINDS = '            return "\\n".join(self._store.search(query)) if self._store else ""'
KEEPS = '        self._keep(f"{user_content}\\n{assistant_content}")'
HANGS = "    import time; time.sleep(600)\n"
REGISTERED = 'ctx.register_tool("word_count", "word_count", SCHEMA, count'
SUITES = {"word_count": "PluginContract", "sqlite_memory": "MemoryProviderContract"}


class Irc(PlatformContract):
    plugin = "plain_irc"
    transport = IrcTransport


class HastyIrc(Irc):
    time_limit = 1.0


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the suite, with further lines in its class, on an example with one mistake."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def running(example: str, mutant: Mutant, *options: str, lines: str = "") -> pytest.RunResult:
        copy_mutant(EXAMPLES / example, mutant, pytester.path)
        name = SUITES[example]
        test = f"""
            from hermes_sdk.testing import {name}

            class TestIt({name}):
                plugin = "{example}"
                time_limit = 1.0
                {lines}
        """
        pytester.makepyfile(test_it=dedent(test))
        plugins = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
        return pytester.runpytest_inprocess(*plugins, "--strict-markers", "-W", "error", "-rs", *options)

    return running


def test_hanging_handler_is_named_with_its_line(run: Run):
    result = run("word_count", Mutant("HS806", TOOL, HANGS + TOOL), "-k", "answer_in_json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "HS806, *: timed out after 1 s, in count() at word_count/__init__.py:16: `import time; time.sleep(600)`,"
            ' called as word_count({"text": "notes"})',
            "Add a timeout to calls that can block, or set a longer time_limit in the suite.",
        ]
    )


def test_hanging_handler_fails_one_rule(run: Run):
    result = run("word_count", Mutant("HS806", TOOL, HANGS + TOOL))
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["HS806, *: timed out after 1 s, in count() at *"])
    result.stdout.fnmatch_lines(["SKIPPED * HS806 failed"])


def test_suite_in_a_subdirectory_names_files_relative_to_the_root(run: Run, pytester: pytest.Pytester):
    (pytester.path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nhermes_plugin = "word_count"\n', "utf-8")
    result = run("word_count", Mutant("HS806", TOOL, HANGS + TOOL), "-k", "answer_in_json", lines='plugin = "."')
    result.stdout.fnmatch_lines(["HS806, *, in count() at word_count/__init__.py:16: *"])


def test_garbage_is_not_collected_while_frames_are_read(tmp_path: Path):
    functions: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        functions.append(sys._getframe(1).f_code.co_name)

    thresholds = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(1, 1, 1)
    try:
        find_place(tmp_path, sys._getframe())
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
    assert "find_place" in functions
    assert "_threads" not in functions


def test_failure_without_a_traceback_lists_the_last_functions(run: Run):
    result = run("word_count", Mutant("HS806", TOOL, '    return "many"\n' + TOOL), "-k", "answer_in_json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["HS806, *", "Ran last: count() at word_count/__init__.py:*"])


def test_handler_with_a_hanging_await_is_named_with_the_await(run: Run):
    wait = "async def wait(args, **kwargs):\n        import asyncio\n        await asyncio.Event().wait()\n\n    "
    mutant = Mutant("HS806", REGISTERED + ")", wait + REGISTERED.replace("count", "wait") + ", is_async=True)")
    mutant = mutant._replace(new=mutant.new.replace("word_wait", "word_count"))
    result = run("word_count", mutant, "-k", "answer_in_json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["HS806, *: timed out after 1 s, in wait() at word_count/__init__.py:33: `await asyncio.Event().wait()`, *"]
    )


def test_adapter_with_a_hanging_await_is_named_with_the_await(tmp_path: Path):
    copy_mutant(
        plain_irc(),
        Mutant("HS913", CONNECTS, CONNECTS + "        await asyncio.Event().wait()\n", "adapter.py"),
        tmp_path,
    )
    message = find_broken_rules(HastyIrc, tmp_path, only="HS913")["HS913"]
    assert message == ("timed out after 1 s, in connect() at plain_irc/adapter.py:47: `await asyncio.Event().wait()`")
    rule = next(one for one in suite("platform").RULES if one.code == "HS924")
    result = run_rule_on_host(HastyIrc, rule, tmp_path, "embedded", "0.19.0")
    assert (result["outcome"], result["code"], result["message"]) == ("blocked", "HS913", message)


def test_adapter_that_cannot_connect_breaks_one_rule(tmp_path: Path):
    copy_mutant(
        plain_irc(), Mutant("HS913", CONNECTS, CONNECTS + "        raise ValueError('no')\n", "adapter.py"), tmp_path
    )
    assert find_broken_rules(Irc, tmp_path) == {"HS913": "it raised ValueError: no"}


def test_function_that_rejects_its_arguments_is_named_with_its_line(run: Run):
    result = run("word_count", Mutant("HS806", TAKES, "def count(**kwargs: Any)"), "-k", "answer_in_json")
    result.stdout.fnmatch_lines(
        ["HS806, *: tool word_count: TypeError: count() at word_count/__init__.py:15 takes 0 positional arguments *"]
    )


def test_failure_names_the_returning_line_and_no_later_functions(run: Run):
    result = run("sqlite_memory", Mutant("HS844", FINDS, "            return None"), "-k", "prefetch_returns_text")
    result.stdout.fnmatch_lines(
        [
            "HS844, *: prefetch() returned None, which is NoneType, not text",
            "Ran last: prefetch() at sqlite_memory/__init__.py:68, *",
        ]
    )
    result.stdout.no_fnmatch_line("Ran last: *shutdown() at *, prefetch() at *")


def test_traceback_is_shown_with_the_preceding_functions(run: Run):
    finds = "    def find(): return None\n    text = find().strip()"
    result = run("word_count", Mutant("HS806", TOOL, finds), "-k", "answer_in_json")
    result.stdout.fnmatch_lines(
        [
            "HS806, *: tool word_count: AttributeError: 'NoneType' object has no attribute 'strip'",
            "Ran last: count() at word_count/__init__.py:17, find() at word_count/__init__.py:16",
            "Traceback (most recent call last):",
        ]
    )


def test_hanging_import_is_named_with_its_line(run: Run):
    mutant = Mutant("HS801", "SCHEMA = {", "__import__('time').sleep(600)\nSCHEMA = {")
    result = run("word_count", mutant)
    result.stdout.fnmatch_lines(["HS801, it loads: timed out after 1 s, in <module>() at word_count/__init__.py:8: *"])
    assert result.parseoutcomes()["failed"] == 1


def test_slow_sync_turn_is_named_with_its_line(run: Run):
    mutant = Mutant("HS847", KEEPS, "        __import__('time').sleep(600)\n" + KEEPS)
    result = run("sqlite_memory", mutant, "-k", "saves_any_message or returns_in_time")
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["HS847, *: timed out after 1 s, in sync_turn() at sqlite_memory/__init__.py:*"])
    result.stdout.no_fnmatch_line('*"settings"*')


def test_hidden_tool_fails_one_rule_and_names_the_missing_variables(run: Run):
    mutant = Mutant("HS816", REGISTERED, REGISTERED + ", check_fn=lambda: bool(__import__('os').getenv('WORDS_KEY'))")
    result = run("word_count", mutant)
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(
        [
            "HS816, its tools are visible: the tool 'word_count' is hidden, because its check_fn at "
            "word_count/__init__.py:* returned False. It reads environment variables that are not set. "
            'Set them in the suite: environment = {"WORDS_KEY": "…"}',
            "SKIPPED * HS816 failed",
        ]
    )


def test_tool_is_visible_with_the_settings_of_the_suite(run: Run):
    mutant = Mutant("HS816", REGISTERED, REGISTERED + ", check_fn=lambda: bool(__import__('os').getenv('WORDS_KEY'))")
    result = run("word_count", mutant, lines="environment = {'WORDS_KEY': 'k'}")
    result.assert_outcomes(passed=18)


STARTS = Mutant("HS830", "        self.shutdown()\n", "        raise OSError('no disk')\n")


def test_failed_step_fails_only_its_rule(run: Run):
    result = run("sqlite_memory", STARTS)
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(
        ["HS830, it starts with *: initialize() raised OSError: no disk", "SKIPPED * HS830 failed"]
    )


def test_first_selected_test_reports_the_step_of_a_deselected_rule(run: Run):
    result = run("sqlite_memory", STARTS, "-k", "prefetch_returns or prefetch_accepts_any or system_prompt")
    result.assert_outcomes(failed=1, skipped=2)
    result.stdout.fnmatch_lines(["HS830, it starts with *: initialize() raised OSError: no disk"])


def test_passing_test_reports_no_step(run: Run):
    result = run("sqlite_memory", STARTS, "-k", "is_a_memory_provider or prefetch_returns")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["*TestIt.test_prefetch_returns_text*", "HS830, *: initialize() raised OSError: no disk"]
    )


@pytest.mark.parametrize("order", [("starts_with", "prefetch_returns"), ("prefetch_returns", "starts_with")])
def test_order_of_tests_does_not_matter(run: Run, pytester: pytest.Pytester, order: tuple[str, str]):
    pytester.makeconftest(
        f"def pytest_collection_modifyitems(items):\n"
        f"    items.sort(key=lambda item: not item.name.startswith('test_it_{order[0]}') "
        f"and not item.name.startswith('test_{order[0]}'))\n"
    )
    result = run("sqlite_memory", STARTS, "-k", " or ".join(order), "-v")
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*test_it_starts_with_what_every_release_passes FAILED*"])


def test_blocked_rule_fails_when_the_rule_of_the_step_passes(run: Run):
    mutant = Mutant(
        "HS830", "        self.shutdown()\n", "        assert session_id != 'second'\n        self.shutdown()\n"
    )
    result = run("sqlite_memory", mutant, "-k", "recalls_after_a_restart or starts_with")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["HS849, it recalls after a restart: initialize() raised AssertionError*"])


def test_hanging_sync_turn_blocks_rules_that_use_it(run: Run):
    mutant = Mutant("HS847", KEEPS, "        __import__('time').sleep(600)\n" + KEEPS)
    result = run("sqlite_memory", mutant, "-k", "saves_any_message or recalls_what or recalls_after or homes_are_kept")
    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["HS847, *: timed out after 1 s, in sync_turn() at *", "SKIPPED * HS847 failed"])


@pytest.mark.parametrize(
    ("mutant", "outcomes"),
    [
        (
            Mutant("HS863", "            self._store.close()\n", "            __import__('time').sleep(600)\n"),
            {"HS822": "holds", "HS843": "blocked", "HS844": "holds", "HS845": "holds", "HS863": "broken"},
        ),
        (
            Mutant("HS847", KEEPS, "        __import__('threading').Event().wait()"),
            {"HS822": "holds", "HS847": "broken", "HS848": "blocked", "HS852": "blocked", "HS863": "holds"},
        ),
    ],
    ids=["shutdown", "sync_turn"],
)
def test_hanging_method_fails_one_rule_and_others_run(mutant: Mutant, outcomes: dict[str, str], tmp_path: Path):
    copy_mutant(EXAMPLES / "sqlite_memory", mutant, tmp_path)
    failures = Failures()
    cls = type("Suite", (MemoryProviderContract,), {"plugin": "sqlite_memory", "time_limit": 1.0})
    rules = [one for one in suite("memory").RULES if one.code in outcomes]
    results = [run_rule_on_host(cls, rule, tmp_path, "embedded", "0.22.2", failures) for rule in rules]
    assert {rule.code: one["outcome"] for rule, one in zip(rules, results, strict=True)} == outcomes
    late = [one for one in results if one["outcome"] != "holds"]
    assert {one["code"] for one in late} == {mutant.code}
    assert all("() at sqlite_memory/__init__.py:" in one["message"] for one in late)


def test_missing_plugin_fails_one_test(run: Run):
    result = run("word_count", Mutant("HS801", "SCHEMA = {", "SCHEMA: dict = {"), lines="plugin = 'elsewhere'")
    result.assert_outcomes(passed=1, failed=1, skipped=16)
    result.stdout.fnmatch_lines(["*has no plugin 'elsewhere'"])
    result.stdout.no_fnmatch_line("Why:*")


def test_xdist_workers_agree_on_the_failing_test(run: Run, pytester: pytest.Pytester):
    run("sqlite_memory", STARTS, "--collect-only")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "2", "-k", "prefetch or starts_with")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["FAILED *test_it_starts_with_what_every_release_passes*"])


class Away(PlatformContract):
    plugin = "plain_irc"

    @classmethod
    def beside(cls, _: object):  # type: ignore[no-untyped-def]
        raise OSError("no port is free")


def test_transport_that_does_not_start_blocks_all_rules_but_the_first(tmp_path: Path):
    (tmp_path / "plain_irc").symlink_to(plain_irc())
    results = [run_rule_on_host(Away, rule, tmp_path, "embedded", "0.19.0") for rule in suite("platform").RULES[:3]]
    assert [one["outcome"] for one in results] == ["broken", "blocked", "blocked"]
    assert {one["message"] for one in results} == {"Away raised OSError: no port is free"}
    assert "test_failures.py" in results[0]["traceback"]


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize(
    ("example", "cls", "mutant", "message"),
    [
        (
            "word_count",
            PluginContract,
            Mutant("HS806", TOOL, HANGS + TOOL),
            'timed out in tool word_count at word_count/__init__.py:16, called as word_count({"text": "notes"})',
        ),
        (
            "sqlite_memory",
            MemoryProviderContract,
            Mutant("HS847", KEEPS, "        __import__('time').sleep(600)\n" + KEEPS),
            "timed out after 2 s, in sync_turn() at sqlite_memory/__init__.py:76: `__import__('time').sleep(600)`",
        ),
    ],
)
def test_hang_in_a_real_host_is_named_with_its_line(
    example: str,
    cls: type[Contract],
    mutant: Mutant,
    message: str,
    tmp_path: Path,
    real_python: Callable[[str], object],
):
    real_python("0.19.0")
    copy_mutant(EXAMPLES / example, mutant, tmp_path)
    suite_of_it = type("Suite", (cls,), {"plugin": example, "time_limit": 2.0})
    rule = next(one for one in suite(cls.suite).RULES if one.code == mutant.code)
    result = run_rule_on_host(suite_of_it, rule, tmp_path, "real", "0.19.0")
    assert (result["outcome"], result["message"]) == ("broken", message)
