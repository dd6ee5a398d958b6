"""Commands that play scenarios, in projects whose plugin has several forms."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from form_projects import write_project

from hermes_sdk.cli.main import run
from hermes_sdk.traces import read_recording

SCHEMA = json.loads((files("hermes_sdk.cli") / "replay.schema.json").read_text(encoding="utf-8"))
PLAY = "script: {main: [{tool_calls: [{name: NAME}]}, {text: done}]}\nturns: [how high is it]\n"
NOTE = "tides runs as a package; as a directory it does not load: ModuleNotFoundError: No module named 'tides'\n"


def write_scenario(project: str, folder: Path, plugins: str = "[.]", name: str = "pier") -> Path:
    path = write_project(project, folder) / "s.yaml"
    path.write_text(f"plugins: {plugins}\n{PLAY.replace('NAME', name)}")
    return path


def run_to_exit(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, argv)])
    out, err = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return stop.value.code, out, err


def read_headers(out: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, out.splitlines()) if "schema" in line]


def test_scenario_is_played_in_the_first_form_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_scenario("imports_itself", tmp_path, name="tides")
    code, out, err = run_to_exit(capsys, "trace", path, "--release", "0.19.0")
    assert (code, err) == (0, NOTE)
    assert out.startswith("s.yaml  on embedded 0.19.0 (proven) with tides as a package\n")
    assert "No module named 'tides'" in run_to_exit(capsys, "trace", path, "--form", "directory")[1]


@pytest.mark.parametrize("form", ["directory", "package"])
def test_scenario_selects_the_form_and_the_plugin(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_scenario("deep", tmp_path, f"[{{path: ., plugin: pier, form: {form}}}]")
    code, out, _ = run_to_exit(capsys, "trace", path, "--json")
    assert (code, [one["forms"] for one in read_headers(out)]) == (0, [{"pier": form}])


def test_scenario_is_played_in_all_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_scenario("deep", tmp_path)
    options = "--form", "all", "--plugin", "pier"
    code, out, _ = run_to_exit(capsys, "trace", path, *options, "--json")
    both = [{"pier": "directory"}, {"pier": "package"}]
    assert (code, [one["forms"] for one in read_headers(out)]) == (0, both)
    compared = run_to_exit(
        capsys, "trace", path, *options, "--compare", "embedded:0.19.0", "embedded:0.19.0", "--json"
    )[1]
    document = json.loads(compared)
    assert [one["forms"] for one in (document, *document["others"])] == both


@pytest.mark.parametrize(
    ("plugins", "options", "message"),
    [
        (
            "[{path: ., plugin: pier, form: wheel}]",
            [],
            "plugins.0.form must be 'directory' or 'package', not \"wheel\"",
        ),
        ("[{path: ., plugin: pear}]", [], "has no plugin 'pear'"),
        ("[{plugin: pier}]", [], "the key 'path' is missing in plugins.0"),
        ("[{path: ., name: pier}]", [], "unknown key 'name'"),
        ("[.]", [], "contains more than one plugin"),
        ("[.]", ["--plugin", "pear"], "the scenario names no project with a plugin 'pear'"),
        ("[{path: ., plugin: quay}]", ["--form", "directory"], "no plugin of the scenario has the form 'directory'"),
    ],
)
def test_unknown_form_or_plugin_error_has_a_position(
    plugins: str, options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_scenario("deep", tmp_path, plugins)
    code, out, err = run_to_exit(capsys, "trace", path, *options)
    assert (code, out, str(path) in err, message in err) == (2, "", True, True), err


def test_plugin_of_a_scenario_must_be_inside_the_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_project("imports_itself", tmp_path / "other")
    path = write_scenario("deep", tmp_path / "mine", "[{path: ../other, form: package}]")
    code, _, err = run_to_exit(capsys, "trace", path)
    assert (code, f"{path}:1:11: plugins.0 leads to" in err) == (2, True), err


def test_recording_is_replayed_in_its_own_form_or_in_all_forms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, trace = write_scenario("deep", tmp_path), tmp_path / "traces" / "good.trace"
    trace.parent.mkdir()
    options = "--plugin", "pier", "--form", "package", "--release", "0.19.0"
    code, _, err = run_to_exit(capsys, "record", "--scenario", path, "-o", trace, *options)
    assert (code, " events with pier as a package in " in err) == (0, True), err
    recording = read_recording(trace).recording
    assert recording is not None
    assert recording["plugins"] == [{"path": "..", "plugin": "pier", "form": "package"}]
    code, out, _ = run_to_exit(capsys, "replay", trace)
    assert (code, "embedded 0.19.0 (proven) with pier as a package shows the same" in out) == (0, True), out
    code, out, _ = run_to_exit(capsys, "replay", trace, "--form", "all", "--json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert [one["forms"]["pier"] for one in document["replays"]] == ["directory", "package"]
    assert (code, [one["reason"] for one in document["replays"]]) == (0, ["", ""])
    code, out, _ = run_to_exit(capsys, "replay", trace, "--form", "all")
    assert [line.split("  ")[0] for line in out.splitlines()] == [
        f"✓ 0.19.0 (proven) with pier as a {form}" for form in ("directory", "package")
    ]


def test_replay_in_a_different_form_diverges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, trace = write_scenario("imports_itself", tmp_path, name="tides"), tmp_path / "good.trace"
    assert run_to_exit(capsys, "record", "--scenario", path, "-o", trace, "--release", "0.19.0")[0] == 0
    code, out, _ = run_to_exit(capsys, "replay", trace, "--form", "all")
    assert (code, [line[0] for line in out.splitlines()[:2]]) == (1, ["✗", "✓"])
    assert "good.trace first diverges on 0.19.0 with tides as a directory" in out


def test_failing_test_is_recorded_in_its_form(pytester: pytest.Pytester) -> None:
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(
        test_it="def test_it(hermes):\n    hermes.llm.script('ok')\n    assert not hermes.chat('hi').reply"
    )
    pytester.runpytest("--hermes-record=failed").assert_outcomes(failed=1)
    (trace,) = pytester.path.glob("failed/*.trace")
    recording = read_recording(trace).recording
    assert recording is not None
    assert recording["plugins"] == [{"path": "..", "form": "package", "plugin": "tides"}]
