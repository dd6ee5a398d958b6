"""A test that uses an unmodelled feature of the host fails, even if the plugin swallows the exception."""

from collections.abc import Callable
from textwrap import dedent

import pytest

TEST = """
    def test_it(hermes):
        assert hermes.call_tool("where").json == {"session": "none"}
"""

TOOL = """
    import asyncio, json, threading
    def look():
        try:
            from hermes_state_of_nobody import get_session_env
        except ImportError:
            pass
        try:
            from gateway.run import GatewayRunner
        except ImportError:
            return "none"
        return "some"
    def register(ctx):
        schema = {"name": "where", "description": "d", "parameters": {"type": "object", "properties": {}}}
        ctx.register_tool("where", "notes", schema, handler)
"""

HANDLERS = {
    "handler": "def handler(args, **more): return json.dumps({'session': look()})",
    "thread": """
def handler(args, **more):
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return json.dumps({'session': 'none'})
""",
    "coroutine": """
def handler(args, **more):
    async def ask(): return look()
    return json.dumps({'session': asyncio.run(ask())})
""",
}

REMOVED_DIRECTORY = """
def handler(args, **more):
    import os
    place = os.path.join(os.environ["HERMES_HOME"], "gone")
    os.mkdir(place)
    os.chdir(place)
    os.rmdir(place)
    return json.dumps({'session': look()})
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a test of a project whose plugin has a tool."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def running(test: str, code: str) -> pytest.RunResult:
        folder = pytester.mkdir("plugin")
        (folder / "plugin.yaml").write_text("name: notes\nkind: standalone\n")
        (folder / "__init__.py").write_text(dedent(TOOL) + code)
        pytester.makepyfile(test_it=dedent(test))
        plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
        options = ("--strict-markers", "-W", "error", "--hermes-host", "embedded")
        return pytester.runpytest_inprocess(*plugins, *options)

    return running


@pytest.mark.parametrize("code", [*HANDLERS.values(), REMOVED_DIRECTORY], ids=[*HANDLERS, "removed-directory"])
def test_guarded_import_fails_the_test_that_reaches_it(code: str, run: Run) -> None:
    result = run(TEST, code)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "The embedded host does not model gateway.run (plugin/__init__.py:9).",
            "This test may behave differently in Hermes: run it with --hermes-host real.",
            "If this is expected, declare it in the test: hermes.expect_unsupported(match='model gateway.run')",
            "More: hermes-sdk docs troubleshooting#unsupported",
        ]
    )


def test_expected_unsupported_use_passes_and_unmet_expectation_fails(run: Run) -> None:
    test = """
        def test_met(hermes):
            hermes.expect_unsupported(match="gateway.run")
            hermes.call_tool("where")
        def test_unmet(hermes):
            hermes.expect_unsupported(match="gateway.run")
    """
    result = run(test, HANDLERS["handler"])
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["Nothing matched the expected 'gateway.run'."])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('"browser_click", {"ref": "1"}', "does not run the built-in tool 'browser_click'"),
        (
            '"search_files", {"pattern": "x", "order": "path"}',
            "does not support the argument 'order' of the built-in tool 'search_files'",
        ),
    ],
    ids=["tool", "argument"],
)
def test_swallowed_unsupported_call_is_reported(call: str, message: str, run: Run) -> None:
    code = f"""
def handler(args, **more):
    try:
        CTX.dispatch_tool({call})
    except Exception:
        pass
    return json.dumps({{'session': 'none'}})
_register = register
def register(ctx):
    global CTX
    CTX = ctx
    _register(ctx)
"""
    result = run(TEST, code)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"The embedded host {message} (plugin/__init__.py:*"])


def test_unmodelled_configuration_key_fails_the_test(run: Run) -> None:
    test = """
        from hermes_sdk.home import Home
        def test_it(hermes):
            Home(hermes.home).update_config({"display": {"turn_completion_explainer": False}})
            hermes.chat("Hello.")
    """
    result = run(test, HANDLERS["handler"])
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*does not follow `display.turn_completion_explainer` of config.yaml: it changes how a turn goes on or ends*"]
    )


def test_unsupported_error_in_the_test_is_reported_once(run: Run) -> None:
    test = """
        import pytest
        def test_it(hermes):
            with pytest.raises(Exception, match="does not run the built-in tool"):
                hermes.call_tool("browser_click", ref="1")
    """
    run(test, HANDLERS["handler"]).assert_outcomes(passed=1)


def test_missing_package_of_the_release_is_reported(run: Run) -> None:
    code = """
def handler(args, **more):
    try:
        import croniter
    except ImportError:
        pass
    return json.dumps({'session': 'none'})
"""
    result = run(TEST, code)
    result.stdout.fnmatch_lines(
        ["The embedded host does not have the package croniter, which Hermes Agent * brings (plugin/__init__.py:*"]
    )


def test_import_in_a_child_process_is_reported(run: Run) -> None:
    code = """
def handler(args, **more):
    import subprocess, sys
    source = "import gateway.session_context"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    return json.dumps({'session': 'none' if done.returncode else 'some'})
"""
    result = run(TEST, code)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["The embedded host does not model gateway in child processes."])
