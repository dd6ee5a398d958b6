"""The comment on a pull request: its contents, and escaping of untrusted text."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.cli.main import run
from hermes_sdk.compat.report.github import escape, render

HOSTILE = "@all [x](https://evil.example) <img src=x> ![i](//e) `code` **b** | #1 \u202e www.evil.example"


def cell(release: str, verdict: str = "passes", **more: Any) -> dict[str, Any]:
    tests = {"passed": 3, "failed": int(verdict == "fails"), "skipped": 0, "failures": [], "unsupported": []}
    return {
        "release": release,
        "host": "embedded",
        "python": "3.11",
        "grade": "proven",
        "verdict": verdict,
        "loads": True,
        "error": None,
        "registered": {},
        "tests": tests,
        "missing_apis": [],
        **more,
    }


def matrix(*cells: dict[str, Any], plugin: str = "notes") -> dict[str, Any]:
    about = {"schema": "hermes-sdk.compat/1", "plugin": plugin, "path": ".", "requires_hermes": None, "floor": None}
    return {**about, "releases": list(cells)}


def test_matrix_and_first_divergence_are_shown() -> None:
    broken = cell("0.20.2", "fails", error="ImportError: no module tools.old", missing_apis=["ctx.old"])
    shown = render([matrix(cell("0.19.0"), broken)])
    assert "| 0.19.0 | embedded | 3.11 | ✅ passes | 3 passed, 0 failed |" in shown
    assert (
        "**First divergence:** Hermes 0.20.2 on the embedded host\n\n- ImportError&#58; no module tools&#46;old"
        in shown
    )
    assert "- the release lacks ctx&#46;old" in shown


def test_releases_that_did_not_run_share_a_line() -> None:
    hostile = {"release": HOSTILE, "missing_apis": [HOSTILE]}
    listed = [{"release": "0.17.0", "missing_apis": [HOSTILE]}, {"release": "0.18.0", "missing_apis": []}, hostile]
    shown = render([{**matrix(cell("0.19.0")), "not_run": listed}])
    assert "0.17.0&#8211;0.18.0&#58; " in shown
    assert "not run" in shown
    assert not re.search(r"[@\[\]<>!]|evil\.|\u202e", shown)


def test_findings_have_a_position_a_fix_and_the_command_that_applies_it() -> None:
    finding = {
        "code": "HS401",
        "path": "notes/a.py",
        "line": 7,
        "message": "no such hook",
        "fix": "Rename it.",
        "repair": {},
    }
    shown = render([matrix()], [finding])
    assert (
        "- HS401 at notes&#47;a&#46;py&#58;7: no such hook\n  Fix: Rename it&#46;\n  There is no automatic fix."
        in shown
    )
    edits = [{"path": "notes/a.py", "start": 0, "end": 1, "text": "x"}]
    safe = render([matrix()], [{**finding, "repair": {"edits": edits, "safe": True}}])
    assert "\n  Command: `hermes-sdk check --fix`\n" in safe
    unsafe = render([matrix()], [{**finding, "repair": {"edits": edits, "safe": False}}])
    assert "\n  Command: `hermes-sdk check --fix --unsafe-fixes`, and review the change\n" in unsafe
    assert "newest `hermes-sdk`" in safe
    assert "newest `hermes-sdk`" not in shown


def test_errors_are_listed_before_warnings_with_their_releases() -> None:
    about = {"path": "a.py", "line": 1, "message": "m"}
    warning = {**about, "code": "HS1", "severity": "warning"}
    error = {**about, "code": "HS2", "severity": "error", "releases": ["0.20.2", HOSTILE]}
    shown = render([matrix()], [warning, error])
    assert shown.index("HS2") < shown.index("HS1")
    assert "m (Hermes 0.20.2" in shown
    assert not re.search(r"[@\[\]<>]|evil\.", shown)


def test_untrusted_text_is_escaped() -> None:
    broken = cell("0.20.2", "fails", error=HOSTILE, missing_apis=[HOSTILE])
    broken["tests"]["failures"] = [HOSTILE]
    hostile: dict[str, Any] = dict.fromkeys(("code", "path", "line", "message", "fix"), HOSTILE)
    shown = render([matrix(broken, plugin=HOSTILE)], [hostile])
    assert not re.search(r"[@\[\]<>!]|evil\.|\u202e", shown)
    assert "\n" not in escape("a\n# b")
    assert len(escape("x" * 10_000)) < 400


def test_saved_results_are_converted_to_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "compat.json").write_text(json.dumps(matrix(cell("0.19.0"))))
    (tmp_path / "check.json").write_text('{"findings": []}')
    target = tmp_path / "comment.md"
    argv = ["compat", "--from", str(tmp_path / "compat.json"), "--findings", str(tmp_path / "check.json")]
    with pytest.raises(SystemExit) as stop:
        run([*argv, "--markdown", str(target)])
    assert (stop.value.code, capsys.readouterr().err) == (0, "")
    assert target.read_text().startswith("### notes on Hermes Agent\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"schema": "hermes-sdk.compat/1", "releases": [1]}',
        '{"schema": "hermes-sdk.compat/1", "releases": [], "error": {"message": "m", "where": "", "fix": ""}}',
        '{"schema": "hermes-sdk.compat-workspace/1", "plugins": [5]}',
        "[" * 100_000,
    ],
)
def test_invalid_report_file_is_rejected(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "compat.json").write_text(text)
    with pytest.raises(SystemExit) as stop:
        run(["compat", "--from", str(tmp_path / "compat.json"), "--markdown", str(tmp_path / "comment.md")])
    assert stop.value.code == 2
    assert "compat.json" in capsys.readouterr().err
    assert not (tmp_path / "comment.md").exists()


@pytest.mark.parametrize("finding", [{}, [], {"code": "HS401", "severity": [], "message": {}, "releases": [1]}])
def test_invalid_findings_are_rejected(finding: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "compat.json").write_text(json.dumps(matrix(cell("0.19.0"))))
    (tmp_path / "check.json").write_text(json.dumps({"findings": [finding]}))
    argv = ["compat", "--from", str(tmp_path / "compat.json"), "--findings", str(tmp_path / "check.json")]
    with pytest.raises(SystemExit) as stop:
        run([*argv, "--markdown", str(tmp_path / "comment.md")])
    assert (stop.value.code, "is not the output of `hermes-sdk check --json`" in capsys.readouterr().err) == (2, True)
    assert not (tmp_path / "comment.md").exists()


BROKEN = {
    "plugin.yaml": "name: notes\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_hooks: [{hooks}]\n",
    "__init__.py": """\
def shorten(response_text, session_id, model, platform):
    return response_text[:100]


def register(ctx):
    ctx.register_hook("transform_llm_output", shorten)
    ctx.register_hook("transform_gadget", lambda **kwargs: None)
""",
}


def test_plugin_broken_by_a_new_release_gets_position_and_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = tmp_path / "notes"
    plugin.mkdir()
    for name, text in BROKEN.items():
        (plugin / name).write_text(text.replace("{hooks}", "transform_llm_output, transform_gadget"))
    (tmp_path / "compat.json").write_text(json.dumps(matrix(cell("0.19.0"), cell("0.22.2", "fails"))))

    def issue() -> str:
        with pytest.raises(SystemExit):
            run(["check", "--target", ">=0.19", "--json", str(plugin)])
        (tmp_path / "check.json").write_text(capsys.readouterr().out)
        argv = ["compat", "--from", str(tmp_path / "compat.json"), "--findings", str(tmp_path / "check.json")]
        with pytest.raises(SystemExit):
            run([*argv, "--markdown", str(tmp_path / "issue.md")])
        return unescape((tmp_path / "issue.md").read_text())

    refused = "the callback of 'transform_llm_output' does not accept telemetry_schema_version"
    shown = issue()
    broken = shown.partition("- HS402 at __init__.py:1: ")[2].partition("\n- ")[0].partition("\n\n")[0]
    assert broken.startswith(f"{refused} (Hermes 0.19.0, 0.19.1, 0.20.0)")
    assert broken.endswith("\n  Fix: Add **kwargs to the callback's parameters.\n  Command: `hermes-sdk check --fix`")
    unknown = shown.partition("- HS401 at __init__.py:7: ")[2].partition("\n- ")[0].partition("\n\n")[0]
    assert unknown.endswith("There is no automatic fix.")
    with pytest.raises(SystemExit):
        run(["check", "--fix", "--release", "0.19.0", str(plugin)])
    capsys.readouterr()
    assert "platform, **kwargs):" in (plugin / "__init__.py").read_text()
    assert refused not in issue()
