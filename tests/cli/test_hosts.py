"""Hosts of commands, and the releases that each host supports."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import RealPython

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
    """Create a plugin in the current directory, and a scenario for it."""
    (tmp_path / "plugin.yaml").write_text("name: p\nkind: standalone\nversion: '1'\ndescription: A plugin.\n")
    (tmp_path / "__init__.py").write_text(PLUGIN)
    (tmp_path / "s.yaml").write_text("plugins: ['.']\nscript: {main: [{text: hello}]}\nturns: [hi]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_to_exit(capsys: pytest.CaptureFixture[str], argv: Sequence[str]) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as stop:
        run([*argv])
    return stop.value.code, *capsys.readouterr()


@pytest.mark.parametrize("name", ACTIONS)
def test_unmodelled_releases_are_usage_errors(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = [*ACTIONS[name], "--host", "embedded", "--release", "0.16.0"]
    assert run_to_exit(capsys, argv) == (2, "", TOO_OLD)


def test_comparisons_and_recordings_reject_unmodelled_releases(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_to_exit(capsys, ["trace", "s.yaml", "--compare", "embedded:0.18.2", "embedded"]) == (2, "", TOO_OLD)
    assert run_to_exit(capsys, ["record", "--scenario", "s.yaml", "-o", "a.trace", "--release", "0.18.2"]) == (
        2,
        "",
        TOO_OLD,
    )


def test_unmodelled_release_error_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_to_exit(capsys, ["show", ".", "--host", "embedded", "--release", "0.18.2", "--json"])
    assert (code, err) == (2, "")
    assert json.loads(out) == {
        "schema": "hermes-sdk.show/1",
        "error": {
            "message": "The embedded host models Hermes 0.19.0 and later.",
            "where": "",
            "fix": "Add --host real.",
        },
    }


REFUSED = """\
import run_agent


def t(args, **more):
    return f'"{run_agent.__name__}"'


def register(ctx):
    ctx.register_tool("t", "set", {"name": "t", "parameters": {}}, t)
    ctx.register_hook("pre_llm_call", lambda **more: None)
"""
IMPORTS = "the plugin imports host modules that the embedded host does not model: run_agent"
REALLY = f"Ran in the real Hermes 0.19.0, because {IMPORTS}.\n"
COMMANDS = ["show", "call", "fire", "chat", "trace"]


@pytest.fixture
def without_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there is no real host on this machine."""
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))


def select_host_keys(out: str) -> dict[str, object]:
    """Return the keys about the host in a document or in the header of a trace."""
    document = json.JSONDecoder().raw_decode(out)[0]
    return {key: document[key] for key in ("host", "release", "rerun", "reason")}


@pytest.mark.real_host
@pytest.mark.parametrize("name", COMMANDS)
def test_command_with_unsupported_use_runs_in_the_real_hermes(
    name: str, project: Path, capsys: pytest.CaptureFixture[str], real_python: RealPython
) -> None:
    real_python("0.19.0")
    (project / "__init__.py").write_text(REFUSED)
    code, out, err = run_to_exit(capsys, [*ACTIONS[name], "--host", "auto", "--release", "0.19.0", "--json"])
    assert code == 0
    told = select_host_keys(out)
    assert (told["host"], told["release"], told["rerun"]) == ("real", "0.19.0", True)
    assert "run_agent" in str(told["reason"])
    assert err == f"Ran in the real Hermes 0.19.0, because {told['reason']}.\n"


@pytest.mark.real_host
def test_command_with_swallowed_unsupported_use_runs_in_the_real_hermes(
    project: Path, capsys: pytest.CaptureFixture[str], real_python: RealPython
) -> None:
    real_python("0.19.0")
    text = "    try:\n        import run_agent\n    except ImportError:\n        return '0'\n    return '1'\n"
    (project / "__init__.py").write_text(
        f"def t(args, **more):\n{text}\n\ndef register(ctx):\n"
        '    ctx.register_tool("t", "set", {"name": "t", "parameters": {}}, t)\n'
    )
    code, out, err = run_to_exit(capsys, ["call", "t", "--host", "auto", "--release", "0.19.0"])
    assert (code, out.splitlines()[-1]) == (0, "❮ 1")
    assert err == "Ran in the real Hermes 0.19.0, because the embedded host does not model run_agent (__init__.py:3).\n"


@pytest.mark.real_host
def test_command_with_an_unsupported_surface_runs_in_the_real_hermes(
    capsys: pytest.CaptureFixture[str], real_python: RealPython
) -> None:
    real_python("0.19.0")
    argv = [*ACTIONS["fire"], "--surface", "cron", "--host", "auto", "--release", "0.19.0"]
    code, out, err = run_to_exit(capsys, argv)
    assert (code, out.splitlines()[0]) == (0, "p  on real 0.19.0")
    assert err == "Ran in the real Hermes 0.19.0, because the embedded host does not model the surface cron.\n"


@pytest.mark.real_host
def test_broken_plugin_also_fails_in_the_real_hermes(
    project: Path, capsys: pytest.CaptureFixture[str], real_python: RealPython
) -> None:
    real_python("0.19.0")
    (project / "__init__.py").write_text(REFUSED.replace("f'\"{run_agent.__name__}\"'", "1 / 0"))
    code, out, err = run_to_exit(capsys, ["call", "t", "--host", "auto", "--release", "0.19.0"])
    assert (code, err) == (1, REALLY)
    assert "ZeroDivisionError" in out


@pytest.mark.real_host
def test_command_that_fails_for_another_reason_is_not_rerun(
    project: Path, capsys: pytest.CaptureFixture[str], real_python: RealPython
) -> None:
    real_python("0.19.0")
    (project / "__init__.py").write_text("import nonsense\n")
    code, out, err = run_to_exit(capsys, ["show", ".", "--host", "auto", "--release", "0.19.0", "--json"])
    assert (code, err) == (0, "")
    assert json.loads(out)["error"] == "No module named 'nonsense'"
    assert select_host_keys(out) == {"host": "embedded", "release": "0.19.0", "rerun": False, "reason": None}


@pytest.mark.real_host
def test_earlier_releases_run_in_the_real_hermes(capsys: pytest.CaptureFixture[str], real_python: RealPython) -> None:
    real_python("0.13.0")
    code, out, err = run_to_exit(capsys, ["show", ".", "--host", "auto", "--release", "0.13.0", "--json"])
    reason = "the embedded host models Hermes 0.19.0 and later"
    assert (code, err) == (0, f"Ran in the real Hermes 0.13.0, because {reason}.\n")
    assert select_host_keys(out) == {"host": "real", "release": "0.13.0", "rerun": False, "reason": reason}


@pytest.mark.parametrize("name", [*COMMANDS, "dev"])
def test_earlier_releases_need_the_real_hermes(
    name: str, without_hosts: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_to_exit(capsys, [*ACTIONS[name], "--host", "auto", "--release", "0.13.0"]) == (2, "", TOO_OLD)


@pytest.mark.parametrize("name", COMMANDS)
def test_outcome_is_kept_and_installation_suggested_without_the_real_hermes(
    name: str, project: Path, without_hosts: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "__init__.py").write_text(REFUSED)
    code, out, err = run_to_exit(capsys, [*ACTIONS[name], "--host", "auto", "--release", "0.19.0"])
    strict = run_to_exit(capsys, [*ACTIONS[name], "--host", "embedded", "--release", "0.19.0"])
    first, rest = err.split("\n", 1)
    # The position of the unsupported use contains the temporary home.
    assert re.sub(r"home-\w+", "", f"{code} {out} {rest}") == re.sub(r"home-\w+", "", "{} {} {}".format(*strict))
    command = "`hermes-sdk hosts install 0.19.0`"
    assert first.endswith(f"; the real Hermes 0.19.0 is not installed: run {command}.")
    assert "embedded host does not model" in first


@pytest.mark.parametrize(("variable", "is_auto"), [(None, True), ("", True), ("true", False)])
def test_ci_variable_selects_the_embedded_host(
    variable: str | None,
    is_auto: bool,
    project: Path,
    without_hosts: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("CI", raising=False)
    if variable is not None:
        monkeypatch.setenv("CI", variable)
    (project / "__init__.py").write_text(REFUSED)
    _, out, err = run_to_exit(capsys, ["show", ".", "--release", "0.19.0", "--json"])
    assert ("is not installed" in err) == is_auto
    assert select_host_keys(out) == {"host": "embedded", "release": "0.19.0", "rerun": False, "reason": IMPORTS}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_with_supported_use_runs_in_the_embedded_host(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_to_exit(capsys, [*ACTIONS[name], "--host", "auto", "--release", "0.19.0", "--json"])
    assert (code, err) == (0, "")
    assert select_host_keys(out) == {"host": "embedded", "release": "0.19.0", "rerun": False, "reason": None}
