"""`pytest --hermes-record` saves a redacted trace of each failed test, and prints the command to view it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from hermes_sdk.traces import read_recording, read_trace, replay
from hermes_sdk.traces.timeline import render_page

SECRET = "planted-5ecret-value"
PLUGIN = """
    import json, os
    KEY = os.environ.get("SUMS_API_KEY", "")
    SCHEMA = {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}
    def register(ctx):
        ctx.register_tool("add", "sums", SCHEMA, lambda args, **more: json.dumps({"sum": args["a"] + args["b"]}))
        ctx.register_hook("pre_llm_call", lambda **more: {"context": f"The key is {KEY}"})
"""
TURN = f"""
    import pytest
    from hermes_sdk.testing import call, say

    @pytest.mark.hermes(env={{"SUMS_API_KEY": "{SECRET}"}})
    @pytest.mark.parametrize("total", [3, 4])
    def test_turn(hermes, total):
        hermes.llm.script(call("add", a=1, b=2), say("three"))
        turn = hermes.chat("What is 1 + 2?")
        assert turn.tool_calls[0].result.json == {{"sum": total}}
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makefile(".ini", pytest="[pytest]")
    monkeypatch.setenv("HOME", str(tmp_path))  # A directory that contains HOME is not a project.
    folder = pytester.mkdir("plugin")
    (folder / "plugin.yaml").write_text("name: sums\nkind: standalone\nrequires_env: [SUMS_API_KEY]\n")
    (folder / "__init__.py").write_text(dedent(PLUGIN))

    def running(test: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=dedent(test))
        plugins = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-W", "error")
        return pytester.runpytest_inprocess(*plugins, *(() if "-n" in options else ("-p", "no:xdist")), *options)

    return running


def list_traces(result: pytest.RunResult) -> list[str]:
    return [line.removeprefix("hermes-sdk view ") for line in result.outlines if line.startswith("hermes-sdk view ")]


def test_only_failed_test_writes_a_replayable_trace(run: Run, pytester: pytest.Pytester) -> None:
    result = run(TURN, "--hermes-record", "test_it.py")
    result.assert_outcomes(passed=1, failed=1)
    [file] = list_traces(result)
    assert re.fullmatch(r"\.hermes-traces/test_it\.py-test_turn-4-[0-9a-f]{8}\.trace", file)
    assert [one.name for one in (pytester.path / ".hermes-traces").iterdir()] == [Path(file).name]
    path = pytester.path / file
    recorded = read_recording(path)
    assert recorded.scenario == "test_it.py::test_turn[4]"
    assert SECRET not in path.read_text()
    assert "The key is" in path.read_text()
    assert "What is 1 + 2?" in render_page(recorded, "it")
    assert replay(recorded, path).differences == ()


def test_without_the_option_nothing_is_recorded(run: Run, pytester: pytest.Pytester) -> None:
    assert list_traces(run(TURN)) == []
    assert not list(pytester.path.glob("**/*.trace"))


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("hermes.llm.script('left')", "errors"),
        ("assert hermes.call_tool('add', {'a': 1, 'b': 1}).json == {}", "failed"),
        ("hermes.chat('nobody answers')", "failed"),
    ],
)
def test_every_kind_of_failure_writes_a_trace(body: str, outcome: str, run: Run, pytester: pytest.Pytester) -> None:
    result = run(f"def test_it(hermes): {body}", "--hermes-record=out", "--junitxml=it.xml")
    assert result.parseoutcomes()[outcome] == 1
    [file] = list_traces(result)
    assert file == "out/test_it.py-test_it.trace"
    trace = read_trace(pytester.path / file)
    assert {"register"} < {event["kind"] for event in trace.events} or "left" in body
    assert f'name="hermes_trace" value="{pytester.path / file}"' in (pytester.path / "it.xml").read_text()


def test_gateway_trace_includes_its_shutdown(run: Run, pytester: pytest.Pytester) -> None:
    test = """
        def test_it(hermes_gateway):
            hermes_gateway.llm.script("Hello.")
            assert hermes_gateway.dm().receives("Hi")[-1].text == "Bye."
    """
    [file] = list_traces(run(test, "--hermes-record"))
    events = read_trace(pytester.path / file).events
    sent = [event["arguments"]["content"] for event in events if event["name"] == "send"]
    assert sent[-1] == "Hello."
    assert events[-1]["name"] == "disconnect"


def test_xdist_workers_report_their_traces(run: Run) -> None:
    [file] = list_traces(run(TURN, "--hermes-record", "-n", "2"))
    assert "test_turn-4" in file
