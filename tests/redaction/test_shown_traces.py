"""Output for traces of other users and for failed sessions contains no secrets."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from hermes_sdk.cli.main import run

SECRET = "Kq7+fish&%tea"
PLUGIN = """
import os, sys


def fail(args, **more):
    print("the code is", os.environ["NOTES_CODE"], file=sys.stderr, flush=True)
    os._exit(3)


def register(ctx):
    ctx.register_tool("fail", "p", {"name": "fail", "description": "Fails.", "parameters": {}}, fail)
"""


def _run(*argv: object) -> int | str | None:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, argv)])
    return stop.value.code


def _write_trace(path: Path) -> Path:
    """Write a recording that is not redacted."""
    basic = base64.b64encode(f"user:{SECRET}".encode()).decode()
    recording = {
        "plugins": ["p"],
        "env": {"SMTP_PASS": SECRET},
        "config": {"smtp": {"pass": SECRET}},
        "files": {"notes.txt": f"password = '{SECRET}'\n"},
        "script": {"main": [{"text": f"It is {SECRET}."}]},
        "turns": ["hello"],
    }
    header = {
        "schema": "hermes-sdk.trace/1",
        "host": "embedded",
        "release": "0.22.2",
        "grade": None,
        "scenario": "s.yaml",
        "normalised": True,
        "problems": [],
        "recording": recording,
    }
    request = {"method": "GET", "url": "https://a.example/?sig=0a1b2c3d", "headers": {"x-key": "abcdef12"}, "body": ""}
    common = {"thread": "MainThread", "depth": 0, "t": 1, "end": 2}
    events = [
        {"kind": "turn", "name": "chat", "arguments": {"text": "hello"}, "returned": f"It is {SECRET}."},
        {
            "kind": "tool",
            "name": "send",
            "callback": "p.send",
            "arguments": {"pin": True},
            "returned": f"Basic {basic}",
        },
        {"kind": "http_request", "name": "GET https://a.example/", "arguments": request},
    ]
    lines = [header, *({"order": number, **common, **one} for number, one in enumerate(events, 1))]
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines))
    return path


@pytest.mark.parametrize(("command", "suffix"), [("view", "html"), ("codegen", "py")])
def test_view_and_codegen_redact_an_unredacted_trace(tmp_path: Path, command: str, suffix: str) -> None:
    trace = _write_trace(tmp_path / "s.trace")
    assert _run(command, trace, "-o", tmp_path / f"s.{suffix}") == 0
    shown = (tmp_path / f"s.{suffix}").read_text()
    assert "redacted" in shown
    assert "hello" in shown
    for secret in (
        SECRET,
        "Kq7+fish&amp;%tea",
        base64.b64encode(SECRET.encode()).decode()[:12],
        "0a1b2c3d",
        "abcdef12",
    ):
        assert secret not in shown


def test_output_of_crashed_session_is_redacted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "plugin.yaml").write_text("name: p\nrequires_env: [NOTES_CODE]\n")
    (tmp_path / "p" / "__init__.py").write_text(PLUGIN)
    scenario = {
        "plugins": ["p"],
        "env": {"NOTES_CODE": SECRET},
        "script": {"main": [{"tool_calls": [{"name": "fail", "args": {}}]}]},
        "turns": ["hello"],
    }
    (tmp_path / "s.yaml").write_text(json.dumps(scenario))
    assert _run("record", "--scenario", tmp_path / "s.yaml", "-o", tmp_path / "s.trace") == 1
    printed = "".join(capfd.readouterr())
    assert "the code is <redacted>" in printed
    assert SECRET not in printed
