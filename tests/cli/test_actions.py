"""`hermes-sdk call`, `fire` and `chat`: text and JSON output."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from form_projects import write_project

from hermes_sdk.cli.main import run

SCHEMA = json.loads((files("hermes_sdk.cli") / "action.schema.json").read_text(encoding="utf-8"))

BODY = """
import json

TOTAL = {
    "name": "total",
    "description": "Adds numbers.",
    "parameters": {
        "type": "object",
        "properties": {"numbers": {"type": "array", "items": {"type": "integer"}}, "times": {"type": "integer"}},
    },
}

def total(args, **more):
    return json.dumps({"total": sum(args["numbers"]) * args.get("times", 1)})

def remind(user_message=None, **more):
    return {"context": f"They said {user_message.upper()}"}

def register(ctx):
    ctx.register_tool(name="total", toolset="sums", schema=TOTAL, handler=total)
    ctx.register_hook("pre_llm_call", remind)
    ctx.register_command("echo", lambda line: f"echo {line}", "Echo.")
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "sums"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: sums\nversion: 1.0.0\nkind: standalone\n")
    (folder / "__init__.py").write_text(BODY)
    return folder


def run_to_exit(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(argv)
    out, err = capsys.readouterr()
    assert isinstance(stop.value.code, int)
    return stop.value.code, out, err


def read_json(argv: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> list[dict[str, Any]]:
    """Return the JSON output of a command with an expected exit status."""
    ended_with, out, err = run_to_exit([*argv, "--json"], capsys)
    assert (ended_with, err) == (code, "")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    actions: list[dict[str, Any]] = document["actions"]
    return actions


def test_call_prints_the_result_for_the_model(plugin: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(plugin)
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run_to_exit(["call", "total", "--args", '{"numbers": [1, 2]}'], capsys)
    assert (code, err) == (0, "")
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[0] == "sums  on embedded 0.22.2 (proven on a fork)"
    assert lines[-1] == '❮ {"total": 3}'


def test_call_runs_middleware_hooks_and_coercion(plugin: Path, capsys) -> None:
    given = {"numbers": [3, 4], "times": "2"}
    [action] = read_json(["call", "total", "--args", json.dumps(given), "--plugin", str(plugin)], capsys)
    assert (action["action"], action["name"], action["arguments"]) == ("call", "total", given)
    assert json.loads(action["value"]["text"]) == {"total": 14}
    assert [event["kind"] for event in action["events"]] == ["tool"]


def test_error_result_exits_with_1(plugin: Path, capsys) -> None:
    [action] = read_json(["call", "total", "--plugin", str(plugin)], capsys, 1)
    assert action["value"]["status"] == "error"
    assert "KeyError" in action["value"]["text"]


def test_fire_passes_sample_arguments_and_prints_return_values(plugin: Path, capsys) -> None:
    argv = ["fire", "pre_llm_call", "--args", '{"user_message": "hi"}', "--plugin", str(plugin)]
    [action] = read_json(argv, capsys)
    assert action["value"] == [{"context": "They said HI"}]
    assert action["events"][0]["arguments"]["session_id"] == "session_id"


def test_fire_names_a_hook_without_a_callback(plugin: Path, capsys) -> None:
    code, out, err = run_to_exit(["fire", "pre_tool_call", "--plugin", str(plugin)], capsys)
    assert (code, err) == (
        0,
        "The plugin has no callback for the hook pre_tool_call. `hermes-sdk show` lists its hooks.\n"
        "More: hermes-sdk docs troubleshooting#hook-never-called\n",
    )
    assert out.rstrip().endswith("❮ []")


def test_fire_mentions_sample_values_if_callbacks_return_nothing(plugin: Path, capsys) -> None:
    argv = ["fire", "pre_llm_call", "--plugin", str(plugin)]
    assert run_to_exit([*argv, "--args", '{"user_message": "hi"}'], capsys)[2] == ""
    source = (plugin / "__init__.py").read_text()
    assert "They said" in source
    (plugin / "__init__.py").write_text(source.replace("return {", "return None and {"))
    _, out, err = run_to_exit([*argv, "--args", '{"user_message": "hi"}'], capsys)
    assert out.rstrip().endswith("❮ []")
    assert err == "The callbacks returned None. Omitted arguments are sample values: pass others with --args.\n"


def test_fire_on_a_surface_passes_the_arguments_of_hermes(plugin: Path, capsys) -> None:
    argv = ["fire", "pre_llm_call", "--plugin", str(plugin), "--surface", "gateway"]
    [action] = read_json(argv, capsys)
    assert action["arguments"] == {"surface": "gateway"}
    assert [event["arguments"]["platform"] for event in action["events"]] == ["sdksurface"]
    assert action["value"][0]["context"].startswith("They said HELLO")


def test_fire_exits_with_1_if_the_surface_does_not_fire_the_hook(plugin: Path, capsys) -> None:
    (plugin / "__init__.py").write_text(
        "def register(ctx): ctx.register_hook('pre_gateway_dispatch', lambda **more: None)\n"
    )
    code, out, err = run_to_exit(["fire", "pre_gateway_dispatch", "--plugin", str(plugin), "--surface", "cli"], capsys)
    assert (code, err) == (1, "Hermes did not fire pre_gateway_dispatch in the conversation on cli.\n")
    assert out.rstrip().endswith("❮ []")


@pytest.mark.parametrize("surface", ["cron", "serve", "isolated"])
def test_embedded_host_rejects_unsupported_surface(plugin: Path, capsys, surface: str) -> None:
    argv = ["fire", "pre_llm_call", "--plugin", str(plugin), "--surface", surface, "--host", "embedded"]
    code, out, err = run_to_exit(argv, capsys)
    assert (code, out) == (1, "")
    assert err == f"hermes-sdk: The embedded host does not model the surface {surface}.\n  Run this on the real host.\n"


def test_fire_on_a_surface_rejects_arguments_and_hooks_without_a_callback(plugin: Path, capsys) -> None:
    code, _, err = run_to_exit(["fire", "post_llm_call", "--plugin", str(plugin), "--surface", "cli"], capsys)
    assert code == 2
    assert "the plugin has no callback for the hook post_llm_call\n  It has: pre_llm_call." in err
    code, _, err = run_to_exit(
        ["fire", "pre_llm_call", "--plugin", str(plugin), "--surface", "cli", "--args", "{}"], capsys
    )
    assert code == 2
    assert "--args has no effect with --surface" in err


def test_swallowed_exception_is_shown(plugin: Path, capsys) -> None:
    argv = ["fire", "pre_llm_call", "--args", '{"user_message": 1}', "--plugin", str(plugin)]
    code, out, _ = run_to_exit(argv, capsys)
    assert code == 1
    assert "swallowed hook pre_llm_call" in out
    assert "AttributeError: 'int' object has no attribute 'upper'" in out


def test_chat_plays_a_script(plugin: Path, tmp_path: Path, capsys) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("main:\n- tool_calls:\n  - {name: total, args: {numbers: [2, 3]}}\n- text: It is 5.\n")
    argv = ["chat", "add them", "/echo a", "thanks", "--script", str(script), "--plugin", str(plugin)]
    first, second, third = read_json(argv, capsys)
    assert (first["action"], first["value"]["reply"]) == ("chat", "It is 5.")
    assert first["value"]["tool_calls"][0]["result"] == '{"total": 5}'
    assert [event["kind"] for event in first["events"]] == ["hook", "llm_request", "tool", "llm_request"]
    assert (second["action"], second["value"]) == ("command", "echo a")
    assert third["value"]["reply"] == "ok"


def test_scenario_can_be_used_as_a_script(plugin: Path, tmp_path: Path, capsys) -> None:
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text("script: {main: [{text: hello}]}\nturns: [hi]\n")
    [action] = read_json(["chat", "hi", "--script", str(scenario), "--plugin", str(plugin)], capsys)
    assert action["value"]["reply"] == "hello"


@pytest.mark.parametrize(
    ("argv", "message", "fix"),
    [
        (["call", "totl"], "has no tool 'totl'; did you mean 'total'?", "It has total."),
        (["call", "total", "--args", "{x"], "--args is not valid JSON", "Quote the JSON for the shell"),
        (["call", "total", "--args", "[1]"], "--args must be a JSON object, not [1]", "Pass an object"),
        (["fire", "pre_llm_cal"], "has no hook 'pre_llm_cal'", "To list all hooks"),
        (["chat", "/nope"], "no plugin has the command /nope", "Commands of the plugins: /echo."),
        (["chat", "hi", "--script", "nowhere.yaml", "--script", "x"], "--script is given 2 times for 1 message ", ""),
        (
            ["call", "total", "--env", "SUMS_NOT_SET"],
            "'SUMS_NOT_SET' is not a variable of this environment; write NAME=VALUE",
            "",
        ),
        (["call", "total", "--env", "=x"], "write NAME=VALUE", ""),
        (["call", "total", "--config", "nowhere.yaml"], "--config cannot be read", ""),
        (["chat", "hi", "--script", "nowhere.yaml"], "the scenario cannot be read", ""),
        (["call", "total", "--release", "9.9"], "'9.9'", "The known releases are 0.13.0"),
    ],
)
def test_usage_error_suggests_a_fix(argv: list[str], message: str, fix: str, plugin: Path, capsys) -> None:
    code, out, _ = run_to_exit([*argv, "--plugin", str(plugin), "--json"], capsys)
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert code == 2
    assert message in document["error"]["message"]
    assert fix in document["error"]["fix"]


def test_invalid_script_error_has_a_position(plugin: Path, tmp_path: Path, capsys) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("main:\n- txt: hello\n")
    code, _, err = run_to_exit(["chat", "hi", "--script", str(script), "--plugin", str(plugin)], capsys)
    assert code == 2
    assert f"{script}:2:3" in err
    assert "Did you mean 'text'?" in err


CONFIGURED = """
import json
import os

TOLD = {"name": "told", "description": "Tells.", "parameters": {"type": "object", "properties": {}}}

def register(ctx):
    def told(args, **more):
        return json.dumps([ctx.get_config("unit"), os.environ["PLACE"], os.environ["TOKEN"]])

    ctx.register_tool(name="told", toolset="sums", schema=TOLD, handler=told)
"""


def test_plugin_gets_variables_and_configuration(plugin: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    (plugin / "__init__.py").write_text(CONFIGURED)
    config = tmp_path / "config.yaml"
    config.write_text("plugins: {entries: {sums: {settings: {unit: foot}}}}\n")
    monkeypatch.setenv("TOKEN", "s3cret")
    given = ["--env", "PLACE=here", "--env", "TOKEN", "--config", str(config)]
    [action] = read_json(["call", "told", *given, "--plugin", str(plugin)], capsys)
    assert json.loads(action["value"]["text"]) == ["foot", "here", "<redacted>"]


@pytest.mark.parametrize(
    ("text", "place", "told"), [("a: [\n", ":2:1", "--config is not YAML"), ("- a\n", "", "not a mapping")]
)
def test_invalid_configuration_error_has_a_position(
    text: str, place: str, told: str, plugin: Path, tmp_path: Path, capsys
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(text)
    code, _, err = run_to_exit(["call", "total", "--config", str(config), "--plugin", str(plugin)], capsys)
    assert code == 2
    assert f"{config}{place}: " in err
    assert told in err


def test_each_message_has_its_own_script(plugin: Path, tmp_path: Path, capsys) -> None:
    options: list[str] = []
    for name, answers in {"a": "[{text: one}]", "b": "[]", "c": "[{text: three}]"}.items():
        (tmp_path / name).write_text(f"main: {answers}\n")
        options += ["--script", str(tmp_path / name)]
    said = ["x", "/echo y", "z", "last"]
    actions = read_json(["chat", *said, *options, "--plugin", str(plugin)], capsys)
    assert [one["value"]["reply"] for one in actions if one["action"] == "chat"] == ["one", "ok", "three"]


def test_load_error_has_a_position(plugin: Path, capsys) -> None:
    (plugin / "__init__.py").write_text("\nimport nonsense\n")
    code, out, err = run_to_exit(["call", "total", "--plugin", str(plugin)], capsys)
    assert (code, out) == (1, "")
    assert err.startswith("hermes-sdk: __init__.py:2: plugin 'sums' does not load: No module named 'nonsense'\n")


def test_plugin_that_exits_its_process_is_an_error(plugin: Path, capsys) -> None:
    (plugin / "__init__.py").write_text(
        BODY.replace('return json.dumps({"total"', 'import os; os._exit(3)\n    ({"total"')
    )
    code, _, err = run_to_exit(["call", "total", "--args", '{"numbers": [1]}', "--plugin", str(plugin)], capsys)
    assert code == 1
    assert "tool total ended the host with exit status 3" in err


@pytest.mark.real_host
@pytest.mark.slow
def test_real_host_gives_the_same_results(plugin: Path, capsys, real_python) -> None:
    real_python("0.19.0")
    there = ["--host", "real", "--release", "0.19.0", "--plugin", str(plugin)]
    [action] = read_json(["call", "total", "--args", '{"numbers": [1, 2]}', *there], capsys)
    assert json.loads(action["value"]["text"]) == {"total": 3}
    [action] = read_json(["chat", "hello", *there], capsys)
    assert (action["value"]["reply"], action["events"][0]["name"]) == ("ok", "pre_llm_call")


def test_first_form_that_loads_is_used(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(write_project("imports_itself", tmp_path))
    code, out, err = run_to_exit(["call", "tides", "--json"], capsys)
    assert (code, json.loads(out)["actions"][0]["value"]["text"]) == (0, '{"water": "low"}')
    assert err == (
        "tides runs as a package; as a directory it does not load: ModuleNotFoundError: No module named 'tides'\n"
    )
    code, _, err = run_to_exit(["call", "tides", "--form", "directory"], capsys)
    assert code == 1
    assert err.startswith("hermes-sdk: src/tides/__init__.py:1: plugin 'tides' does not load")


def test_failing_form_is_reported_last(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(write_project("imports_itself", tmp_path))
    code, out, err = run_to_exit(["call", "tides", "--form", "all"], capsys)
    assert (code, err) == (1, "")
    assert "tides as a package  on embedded" in out.splitlines()[0]
    assert "\n\nAs a directory: src/tides/__init__.py:1: plugin 'tides' does not load: No module named 'tides'" in out
    code, out, _ = run_to_exit(["call", "tides", "--form", "all", "--json"], capsys)
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    [other] = document["others"]
    assert (code, document["form"], document["actions"][0]["value"]["status"]) == (1, "package", "ok")
    assert (other["form"], "does not load" in other["error"]["message"]) == ("directory", True)
    assert run_to_exit(["call", "unknown", "--form", "all"], capsys)[0] == 2


def test_all_forms_of_a_named_plugin_are_used(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(write_project("deep", tmp_path))
    code, out, _ = run_to_exit(["call", "pier", "--plugin", "pier", "--form", "all"], capsys)
    titles = [line.partition("  on")[0] for line in out.splitlines() if "  on embedded" in line]
    assert (code, titles) == (0, ["pier as a directory", "pier as a package"])
    assert read_json(["call", "pier", "--plugin", "quay"], capsys)[0]["value"]["status"] == "ok"
    code, _, err = run_to_exit(["call", "pier"], capsys)
    assert (code, "contains more than one plugin: src/coast/parts/built/pier, quay" in err) == (2, True)
