"""The fixture ``hermes`` and the model's script: tests of turns and their failures."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

PLUGIN = """
    import json
    SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    def broken(**more):
        raise KeyError("lost")
    def register(ctx):
        ctx.register_tool("add", "notes", {"name": "add", "description": "Adds.", "parameters": SCHEMA},
                          lambda args, **more: json.dumps({"sum": args["a"] + args["b"]}))
        ctx.register_tool("ask", "notes", {"name": "ask", "description": "Asks.", "parameters": {}},
                          lambda args, **more: ctx.llm.complete([{"role": "user", "content": "guilty?"}]).text)
        ctx.register_command("ask", lambda line: ctx.llm.complete([{"role": "user", "content": "guilty?"}]).text)
        ctx.register_hook("pre_llm_call", lambda **more: {"context": "Recalled"})
        ctx.register_hook("on_session_finalize", broken)
"""
BEGINS = """
    import pytest
    from hermes_sdk.testing import Host, Turn, call, fail, say

    @pytest.fixture(autouse=True)
    def ends_badly(hermes):
        hermes.expect_swallowed(match="hook on_session_finalize: KeyError")
        hermes.llm.script("hello")
        hermes.chat("begin")
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a test of a project whose plugin is in ``plugin/``."""
    # Do not inherit settings of the test run of this repository.
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    folder = pytester.mkdir("plugin")
    (folder / "plugin.yaml").write_text("name: notes\nkind: standalone\n")
    (folder / "__init__.py").write_text(dedent(PLUGIN))

    def running(test: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=dedent(test))
        plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
        return pytester.runpytest_inprocess(*plugins, "--strict-markers", "-W", "error", *options)

    return running


TURNS = (
    BEGINS
    + """
    def test_turn(hermes: Host) -> None:
        hermes.llm.script(call("add", a=1, b=2), say("three"))
        turn: Turn = hermes.chat("What is 1 + 2?")
        assert turn.reply == "three"
        assert turn.tool_calls[0].result.json == {"sum": 3}
        assert turn.hooks.names == ["pre_llm_call"]
        assert hermes.llm.requests[-1].user_text == "What is 1 + 2?\\n\\nRecalled"
        assert hermes.llm.requests[-1].tools == ["add", "ask"]

    def test_the_plugin_asks_a_model(hermes):
        hermes.llm.aux.script("yes")
        assert hermes.call_tool("ask").text == "yes"

    def test_an_error_is_no_answer_of_the_script(hermes):
        hermes.llm.script(fail(401, "no key"))
        assert "no key" in hermes.chat("now").error

    @pytest.mark.hermes(toolsets=["notes", "todo"], config={"approvals": {"mode": "manual"}})
    class TestMarked:
        def test_toolsets(self, hermes):
            assert "todo_list" in hermes.llm.requests[0].tools

        @pytest.mark.hermes(toolsets=["notes"])
        def test_the_nearest_marker_wins(self, hermes):
            assert hermes.llm.requests[0].tools == ["add", "ask"]
            assert "mode: manual" in (hermes.home / "config.yaml").read_text()
"""
)


def test_scripted_turns_pass(run: Run) -> None:
    run(TURNS).assert_outcomes(passed=5)


@pytest.mark.real_host
def test_scripted_turns_pass_on_the_real_host(
    run: Run, real_python: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    real_python("0.19.0")
    for name in ("HTTP_PROXY", "ALL_PROXY", "CUSTOM_BASE_URL"):
        monkeypatch.setenv(name, "http://192.0.2.1:9")
    run(TURNS, "--hermes-host", "real").assert_outcomes(passed=5)


def test_mismatched_script_fails_and_shows_the_request(run: Run) -> None:
    test = """
        def test_too_short(hermes):
            hermes.llm.script(call("add", a=1, b=2))
            hermes.chat("add")
        def test_unheard(hermes):
            hermes.call_tool("ask")
        def test_too_long(hermes):
            hermes.llm.script("used", say("never"))
            hermes.chat("again")
    """
    result = run(dedent(BEGINS) + dedent(test))
    result.assert_outcomes(passed=2, failed=1, errors=2)
    result.stdout.fnmatch_lines_random(
        [
            "The aux script has no answer for request 1, which ended with",
            "  user: guilty?",
            "The main script has unused answers:",
            "  text 'never'",
            "The last of 2 requests ended with",
            "  user: again*",
            "E*The main script has no answer for request 3, which ended with",
            "E*user: add*",
            'E*tool: {"sum": 3}',
            "E*tools: add, ask",
        ]
    )


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
@pytest.mark.parametrize("line", ["call_tool('ask')", "command('/ask')"])
def test_unscripted_model_request_suggests_a_script(
    line: str, host: str, run: Run, real_python: Callable[[str], object]
) -> None:
    if host == "real":
        real_python("0.19.0")
    result = run(f"def test_it(hermes):\n    hermes.{line}\n", "--hermes-host", host)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "The host swallowed *: No LLM provider configured *",
            "Script an answer with hermes.llm.aux.script(…).",
            "If this is*",
        ]
    )


def test_failed_test_does_not_report_unused_answers(run: Run) -> None:
    test = """
        def test_it(hermes):
            hermes.llm.script("never")
            assert not hermes.tools
    """
    run(dedent(BEGINS) + dedent(test)).assert_outcomes(failed=1)


def test_exception_at_the_end_of_the_session_fails_the_test(run: Run) -> None:
    result = run("def test_it(hermes):\n    hermes.llm.script('yes')\n    hermes.chat('hello')\n")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["The host swallowed an exception of the plugin in hook on_session_finalize: KeyError: 'lost'"]
    )


DEFAULTS = """
    import pytest
    from hermes_sdk.testing import call, say

    @pytest.mark.hermes(defaults=True)
    def test_a_model_reaches_the_tool_through_tool_search(hermes):
        hermes.expect_swallowed(match="hook on_session_finalize: KeyError")
        calls = [{"name": "add", "arguments": {"a": 1, "b": 2}}]
        hermes.llm.script(call("tool_call", calls=calls), say("three"))
        turn = hermes.chat("What is 1 + 2?")
        assert "add" not in hermes.llm.requests[0].tools
        assert turn.tool_calls[0].result.json == {"sum": 3}
"""


def test_marker_enables_tool_search(run: Run) -> None:
    run(DEFAULTS).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("toolset=['x']", "the marker `hermes` has no argument 'toolset'"),
        ("toolsets='notes'", "the marker `hermes`: toolsets must be list, not 'notes'"),
        ("config=[1]", "the marker `hermes`: config must be dict, not *1*"),
        ("['notes']", "the marker `hermes` takes only keyword arguments"),
        ("timelimit=1", "the marker `hermes` has no argument 'timelimit'"),
    ],
)
def test_invalid_marker_is_rejected(marker: str, message: str, run: Run) -> None:
    result = run(f"import pytest\n@pytest.mark.hermes({marker})\ndef test_it(hermes): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message, "*Its arguments are load=False, defaults=True, toolsets=*"])
    result.stdout.no_fnmatch_line("*During handling of the above exception*")


MEMORY = """
    from agent.memory_provider import MemoryProvider
    class Memo(MemoryProvider):
        name = "memo"
        def is_available(self): return True
        def initialize(self, session_id, **more): pass
        def get_tool_schemas(self): return []
        def system_prompt_block(self): return "You remember."
        def prefetch(self, query, *, session_id=""): return "My cat is called Zarathustra"
        def sync_turn(self, *said, **more): pass
    def register(ctx):
        ctx.register_memory_provider(Memo())
"""


@pytest.fixture
def run_memory(run: Run, pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Return a function that runs a test of a memory provider with a configuration."""
    (pytester.path / "plugin" / "plugin.yaml").write_text("name: memo\nkind: exclusive\n")

    def running(config: dict[str, object], *options: str, body: str = MEMORY) -> pytest.RunResult:
        (pytester.path / "plugin" / "__init__.py").write_text(dedent(body))
        test = f"""
            import pytest
            @pytest.mark.hermes(config={config})
            def test_it(hermes):
                hermes.llm.script("Zarathustra")
                hermes.chat("What is my cat called?")
                assert "My cat is called Zarathustra" in hermes.llm.requests[0].user_text
                assert "You remember." in hermes.llm.requests[0].system_text
        """
        return run(test, *options)

    return running


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_memory_provider_takes_part_in_a_turn(
    host: str, run_memory: Callable[..., pytest.RunResult], real_python: Callable[[str], object]
) -> None:
    if host == "real":
        real_python("0.19.0")
    run_memory({"memory": {"provider": "memo"}}, "--hermes-host", host).assert_outcomes(passed=1)


@pytest.mark.parametrize("config", [{}, {"memory": None}, {"memory": {"provider": "other"}}])
def test_unselected_memory_provider_suggests_the_selection(
    config: dict[str, object], run_memory: Callable[..., pytest.RunResult]
) -> None:
    result = run_memory(config)
    result.assert_outcomes(errors=1)
    marker = "*: @pytest.mark.hermes(config={'memory': {'provider': 'memo'}})"
    result.stdout.fnmatch_lines(["The plugin did not load (skipped): exclusive plugin*", marker])


def test_selected_plugin_without_a_memory_provider_fails_with_traceback(
    run_memory: Callable[..., pytest.RunResult],
) -> None:
    body = "# register_memory_provider\ndef register(ctx):\n    raise KeyError('lost')\n"
    result = run_memory({"memory": {"provider": "memo"}}, body=body)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["The plugin did not load (skipped): it does not provide a memory provider", "KeyError: 'lost'"]
    )
