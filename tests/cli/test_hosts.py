"""The hosts that commands run a plugin on, and the releases that each of them takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hermes_sdk.cli.main import run

TOO_OLD = "hermes-sdk: The embedded host models Hermes 0.19.0 and later.\n  Add --host real.\n"

PLUGIN = """\
def register(ctx):
    ctx.register_tool("t", "set", {"name": "t", "parameters": {}}, lambda args, **more: "{}")
    ctx.register_hook("pre_llm_call", lambda **more: None)
"""
ACTIONS = {
    "show": ["show", "."],
    "call": ["call", "t"],
    "fire": ["fire", "pre_llm_call"],
    "chat": ["chat", "hello"],
    "trace": ["trace", "s.yaml"],
    "dev": ["dev", "--no-browser", "--port", "0"],
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin in the current directory, and a scenario that plays it."""
    (tmp_path / "plugin.yaml").write_text("name: p\nkind: standalone\nversion: '1'\ndescription: A plugin.\n")
    (tmp_path / "__init__.py").write_text(PLUGIN)
    (tmp_path / "s.yaml").write_text("plugins: ['.']\nscript: {main: [{text: hello}]}\nturns: [hi]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], argv: Sequence[str]) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as stop:
        run([*argv])
    return stop.value.code, *capsys.readouterr()


@pytest.mark.parametrize("name", ACTIONS)
def test_releases_that_the_embedded_host_does_not_model_are_usage_errors(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [*ACTIONS[name], "--host", "embedded", "--release", "0.16.0"]
    assert ran(capsys, argv) == (2, "", TOO_OLD)


def test_comparisons_and_recordings_take_only_releases_that_the_embedded_host_models(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ran(capsys, ["trace", "s.yaml", "--compare", "embedded:0.18.2", "embedded"]) == (2, "", TOO_OLD)
    assert ran(capsys, ["record", "--scenario", "s.yaml", "-o", "a.trace", "--release", "0.18.2"]) == (2, "", TOO_OLD)


def test_programs_get_the_reason_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, ["show", ".", "--host", "embedded", "--release", "0.18.2", "--json"])
    assert (code, err) == (2, "")
    assert json.loads(out) == {
        "schema": "hermes-sdk.show/1",
        "error": {
            "message": "The embedded host models Hermes 0.19.0 and later.",
            "where": "",
            "fix": "Add --host real.",
        },
    }
