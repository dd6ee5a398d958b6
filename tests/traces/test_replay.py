"""Recordings of scenarios, and divergences of their replays."""

import json
from dataclasses import replace as change
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.cli.main import run
from hermes_sdk.errors import UsageError
from hermes_sdk.traces import Trace, read_recording, write_recording
from hermes_sdk.traces.replay import forget_late_ends, join_deltas

PLUGIN = """
import json, os
def search(args, **more):
    return json.dumps({"found": args.get("text", "").upper()})
def register(ctx):
    ctx.register_tool("search", "p", {"name": "search", "description": "Searches.", "parameters": {}}, search)
    ctx.register_hook("pre_llm_call", lambda **more: {"context": "Be short."})
"""
SCENARIO: dict[str, Any] = {
    "plugins": ["p"],
    "toolsets": ["p", "file", "web"],
    "script": {
        "main": [
            {"tool_calls": [{"name": "search", "args": {"text": "tea"}}, {"name": "read_file", "args": {"path": "x"}}]},
            {"text": "done"},
        ]
    },
    "turns": ["look"],
}


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / ".git").mkdir()
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "plugin.yaml").write_text("name: p\n")
    (tmp_path / "p" / "__init__.py").write_text(PLUGIN)
    (tmp_path / "s.yaml").write_text(json.dumps(SCENARIO))
    path = tmp_path / "out" / "s.trace"
    assert _run("record", "--scenario", tmp_path / "s.yaml", "-o", path, "--release", "0.19.0") == 0
    capsys.readouterr()
    return path


def _run(*argv: object) -> int:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, argv)])
    assert isinstance(stop.value.code, int)
    return stop.value.code


def _edit(path: Path, **changes: Any) -> None:
    header, *events = path.read_text().splitlines()
    value = json.loads(header)
    value["recording"] |= changes
    path.write_text("\n".join([json.dumps(value), *events, ""]))


def _mutate(path: Path, old: str, new: str) -> None:
    file = path.parents[1] / "p" / "__init__.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def test_recording_contains_scenario(recording: Path) -> None:
    held = read_recording(recording).recording
    assert held is not None
    assert held["plugins"] == ["../p"]
    assert held["script"] == SCENARIO["script"]
    assert [(one["tool"], one["args"]) for one in held["builtin_results"]] == [("read_file", {"path": "x"})]
    assert "error" in json.loads(held["builtin_results"][0]["result"])


def test_unchanged_plugin_replays_without_divergence(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("replay", recording) == 0
    assert capsys.readouterr().out == "s.trace: embedded 0.19.0 (proven) shows the same 8 events\n"


def test_builtin_tool_returns_recorded_result(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = [{"tool": "read_file", "args": {"path": "x"}, "result": '{"content": "from the recording"}'}]
    _edit(recording, builtin_results=result)
    assert _run("replay", recording, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    first = document["replays"][0]["differences"][0]
    assert (first["event"], first["path"], first["right"]) == (
        "builtin tool read_file",
        "returned",
        '{"content": "from the recording"}',
    )


def test_first_divergence_names_both_values(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _mutate(recording, ".upper()", ".title()")
    assert _run("replay", recording) == 1
    lines = capsys.readouterr().out.splitlines()
    told = 'diverges at event 6: tool search returned "{\\"found\\": \\"TEA\\"}", now "{\\"found\\": \\"Tea\\"}"'
    assert lines[0] == f"s.trace  embedded 0.19.0 (proven)  {told}"
    assert lines[1:4] == ["  returned", '  - "{\\"found\\": \\"TEA\\"}"', '  + "{\\"found\\": \\"Tea\\"}"']
    assert lines[4] == "  … and 1 more difference; --json prints all"


def test_missing_event_of_plugin_is_divergence(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _mutate(recording, '{"context": "Be short."}', '{"context": "Be long."}')
    assert _run("replay", recording) == 1
    assert 'hook pre_llm_call returned "Be short." in context, now "Be long."' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"script": {"main": [*SCENARIO["script"]["main"], {"text": "more"}]}}, "The main script has unused answers"),
        ({"script": {"main": SCENARIO["script"]["main"][:1]}}, "has no answer for request 2"),
        ({"builtin_results": []}, 'no recorded result is left for the built-in tool read_file({"path": "x"})'),
        (
            {
                "builtin_results": [
                    {"tool": "read_file", "args": {"path": "x"}, "result": "{}"},
                    {"tool": "web_search", "args": {"query": "tea"}, "result": "{}"},
                ]
            },
            'a recorded result was not used: web_search({"query": "tea"})',
        ),
    ],
)
def test_unused_or_missing_answers_fail_replay(
    recording: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], problem: str
) -> None:
    _edit(recording, **changes)
    assert _run("replay", recording, "--json") == 1
    problems = json.loads(capsys.readouterr().out)["replays"][0]["problems"]
    assert any(problem in one for one in problems), problems


@pytest.mark.slow
def test_replay_on_all_releases_names_first_divergence(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _mutate(recording, "    ctx.register_hook", "    ctx.on_unload(print)\n    ctx.register_hook")
    assert _run("replay", recording, "--update", "--release", "0.22.2") == 0
    capsys.readouterr()
    assert _run("replay", recording, "--release", "all", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    reasons = {one["release"]: one["reason"] for one in document["replays"]}
    assert {release for release, reason in reasons.items() if not reason} == {"0.20.2", "0.22.2"}
    assert document["first"] == "0.19.0"
    assert reasons["0.19.0"].startswith("at event 2: register register_hook is missing from")


def test_recording_of_unknown_release_replays_on_nearest(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording.write_text(recording.read_text().replace('"0.19.0"', '"0.19.0.post1"', 1))
    assert _run("replay", recording) == 0
    assert "Replaying on Hermes 0.19.0: the recording was made on 0.19.0.post1" in capsys.readouterr().err
    assert _run("codegen", recording, "-o", recording.with_name("test_it.py")) == 0
    assert "--hermes-release installed" in recording.with_name("test_it.py").read_text()
    capsys.readouterr()
    assert _run("replay", recording, "--release", "installed") == 3
    assert "your own Hermes was not found" in capsys.readouterr().err


def test_update_replaces_recording(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _mutate(recording, ".upper()", ".title()")
    assert _run("replay", recording, "--update") == 0
    assert capsys.readouterr().out == f"Updated {recording}: 2 differences.\n"
    assert _run("replay", recording) == 0
    held = read_recording(recording).recording
    assert held is not None
    assert held["plugins"] == ["../p"]


def test_failed_update_does_not_change_recording(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(recording, script={})
    before = recording.read_bytes()
    assert _run("replay", recording, "--update") == 1
    assert "is unchanged: The main script has no answer" in capsys.readouterr().err
    assert recording.read_bytes() == before


def test_paths_are_replaced_by_those_of_replay(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The temporary homes of a recording and its replay differ."""
    script = {"main": [{"tool_calls": [{"name": "search", "args": {"text": "<home>"}}]}, {"text": "done"}]}
    _mutate(recording, ".upper()", "")
    _edit(recording, script=script, builtin_results=[])
    _run("replay", recording, "--update")
    capsys.readouterr()
    assert _run("replay", recording) == 0
    event = next(one for one in read_recording(recording).events if one["kind"] == "tool")
    assert event["arguments"]["args"] == {"text": "<home>"}
    assert json.loads(event["returned"]) == {"found": "<home>"}


def test_control_characters_are_escaped_in_terminal(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31m[bold]\u202e::error::x\n::error::y"
    _edit(recording, script={"main": [{"text": hostile}]}, turns=[hostile])
    assert _run("replay", recording) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert not any(line.startswith("::") for line in out.splitlines())


def test_recorded_lone_surrogate_can_be_read(recording: Path) -> None:
    write_recording(change(read_recording(recording), problems=("\ud800",)), recording)
    assert read_recording(recording).problems == ("\ud800",)


def test_file_that_is_not_a_recording_is_rejected(tmp_path: Path, recording: Path) -> None:
    trace = read_recording(recording)
    path = tmp_path / "t.trace"
    for text in ("", "{}\n", "\n".join(change(trace, recording=None).lines()), "[" * 100_000):
        path.write_text(text)
        with pytest.raises(UsageError, match=r"not a valid trace|does not have the schema|has no scenario to replay"):
            read_recording(path)


def test_error_names_missing_plugin(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(recording, plugins=["../gone"])
    assert _run("replay", recording) == 2
    assert "the directory '../gone' does not exist next to the scenario" in capsys.readouterr().err


def _make_delta(text: str, iteration: int, callback: str = "a") -> dict[str, Any]:
    about = {"kind": "hook", "name": "on_stream_delta", "thread": "deltas", "callback": callback, "returned": None}
    return {**about, "arguments": {"delta": text, "iteration": iteration}}


def test_deltas_are_joined_per_callback() -> None:
    log = {"kind": "log", "name": "log", "thread": "deltas", "message": "m"}
    pieces = [_make_delta("Hel", 1), _make_delta("Hel", 1, "b"), _make_delta("lo", 1), _make_delta("lo", 1, "b")]
    events = [{**one, "t": t, "end": t} for t, one in enumerate([*pieces, log, _make_delta("Bye", 2)])]
    trace = Trace.of(events, host="real", release="0.22.2", scenario="s").normalise({})
    found = [event.get("arguments", {}).get("delta") for event in join_deltas(trace).events]
    assert found == ["Hello", "Hello", None, "Bye"]


def test_unsupported_feature_is_reported_instead_of_divergence(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _edit(recording, toolsets=["browser"])
    assert _run("replay", recording, "--release", "0.21.4") == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "The embedded host does not offer the toolset 'browser'" in told
    assert "diverges" not in told


@pytest.mark.parametrize("interrupts", [True, False])
def test_late_end_of_stopped_stream_is_ignored(interrupts: bool) -> None:
    turn = {"kind": "turn", "name": "chat", "thread": "MainThread", "arguments": {"text": "hi"}}
    request = {"kind": "llm_request", "name": "main", "thread": "", "returned": {"interrupts": interrupts}}
    start, late, end = (
        {"kind": "hook", "name": name, "thread": "streams", "arguments": {"turn_id": turn_id, "finished": finished}}
        for name, turn_id, finished in (
            ("on_stream_start", "a", None),
            ("on_stream_end", "a", False),
            ("on_stream_end", "b", False),
        )
    )
    events = [{**one, "t": t, "end": t} for t, one in enumerate([turn, start, request, turn, late, end])]
    trace = Trace.of(events, host="real", release="0.22.2", scenario="s")
    ends = [event["arguments"]["turn_id"] for event in forget_late_ends(trace).events if event["name"] == late["name"]]
    assert ends == ["b"] if interrupts else ["a", "b"]
