"""The command `hermes-sdk trace`."""

import json
from pathlib import Path

import pytest
from docs.schemas import validate

from hermes_sdk.cli.main import run

PLUGIN = """
import json, os
def hook(**kwargs): return json.loads(os.environ.get("RETURN", "null"))
def tool(args, **kwargs): raise ValueError("no")
def register(ctx):
    ctx.register_tool("t", "set", {"name": "t", "parameters": {}}, tool)
    ctx.register_hook("pre_llm_call", hook)
"""


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "plugin.yaml").write_text("name: p\n")
    (tmp_path / "p" / "__init__.py").write_text(PLUGIN)
    path = tmp_path / "s.yaml"
    path.write_text(
        "plugins: [p]\nscript: {main: [{tool_calls: [{name: t}]}, {text: final answer}]}\nturns: [use the tool]\n"
    )
    return path


def run_trace(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(["trace", *map(str, argv)])
    out, err = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return stop.value.code, out, err


def test_text_output_shows_the_events(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_trace(capsys, scenario, "--release", "0.19.0", "--env", 'RETURN={"context": "It rains."}')
    lines = out.splitlines()
    assert code == 0
    assert lines[:4] == [
        "s.yaml  on embedded 0.19.0 (proven)",
        "registered  tool 1, hook 1",
        "",
        "❯ use the tool",
    ]
    assert [line.split()[1:3] for line in lines[4:-1]] == [
        ["hook", "pre_llm_call"],
        ["model", "main"],
        ["tool", "t"],
        ["log", "ERROR"],
        ["model", "main"],
    ]
    assert lines[4].endswith('→ {"context": "It rains."}')
    assert lines[5].endswith("→ t({})")
    assert lines[6].endswith("✗ ValueError: no")
    assert lines[-1] == "❮ final answer"
    assert all(len(line) <= 80 for line in lines)


def test_missing_plugin_is_rejected(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario.write_text(scenario.read_text() + "enable: [zzz]\n")
    code, out, err = run_trace(capsys, scenario)
    assert (code, out) == (2, "")
    assert err == f"hermes-sdk: {scenario}:4:10: the scenario has no plugin 'zzz'\n  Use one of: p.\n"


def test_json_output_has_one_event_per_line(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_trace(capsys, scenario, "--json", "--release", "0.19.0")
    header, *events = map(json.loads, out.splitlines())
    assert code == 0
    assert (header["schema"], header["host"], header["release"]) == ("hermes-sdk.trace/1", "embedded", "0.19.0")
    assert (header["normalised"], header["problems"]) == (True, [])
    assert [event["order"] for event in events] == list(range(1, len(events) + 1))
    assert "t" not in events[0]


def test_raw_output_has_unnormalised_events(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run_trace(capsys, scenario, "--json", "--raw")
    header, *events = map(json.loads, out.splitlines())
    assert header["normalised"] is False
    assert "t" in events[0]


def test_incomplete_run_exits_with_1(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario.write_text(scenario.read_text().replace(", {text: final answer}", ""))
    code, out, _ = run_trace(capsys, scenario)
    assert code == 1
    assert "✗ The main script has no answer for request 2" in out
    code, out, _ = run_trace(capsys, scenario, "--json")
    assert code == 1
    assert len(json.loads(out.splitlines()[0])["problems"]) == 1


def test_equal_runs_exit_with_0(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_trace(capsys, scenario, "--compare", "embedded", "embedded:0.22.2")
    assert code == 0
    host = "embedded 0.22.2 (proven on a fork)"
    assert " ".join(out.split()) == f"s.yaml: {host} and {host} show the same 8 events"


def test_different_runs_are_compared_event_by_event(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run_trace(capsys, scenario, "--compare", "embedded:0.19.0", "embedded:0.22.2")
    assert code == 1
    assert out.splitlines()[0] == "s.yaml  - embedded 0.19.0 (proven)  + embedded 0.22.2 (proven on a fork)"
    assert '\n  arguments.reasoning_effort\n  - nothing\n  + "medium"\n' in out
    code, out, _ = run_trace(capsys, scenario, "--json", "--compare", "embedded:0.19.0", "embedded:0.22.2")
    told = json.loads(out)
    assert code == 1
    assert told["schema"] == "hermes-sdk.trace-comparison/1"
    validate(told, "")
    assert told["left"] == {"host": "embedded", "release": "0.19.0", "grade": "proven", "events": 8, "problems": []}
    found = {"event": "llm request main", "path": "arguments.reasoning_effort", "right": "medium"}
    assert any(found.items() <= one.items() for one in told["differences"])


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--env", "A"], "write NAME=VALUE"),
        (["--env", "=b"], "write NAME=VALUE"),
        (["--release", "9.9.9"], "9.9.9"),
        (["--compare", "embedded", "true:0.19.0"], "write embedded or real"),
        (["--compare", "embedded", "real", "--host", "real"], "Drop --host"),
        (["--compare", "embedded", "real", "--raw"], "--raw"),
    ],
)
def test_incompatible_options_are_usage_errors(
    scenario: Path, capsys: pytest.CaptureFixture[str], argv: list[str], message: str
) -> None:
    code, _, err = run_trace(capsys, scenario, *argv)
    assert code == 2
    assert message in err


def test_invalid_scenario_error_has_a_position(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario.write_text("turns: [a]\nplugin: [p]\n")
    code, out, err = run_trace(capsys, scenario)
    assert (code, out) == (2, "")
    assert err == f"hermes-sdk: {scenario}:2:1: unknown key 'plugin'\n  Did you mean 'plugins'?\n"
