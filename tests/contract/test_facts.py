"""Facts about hooks, members of ``ctx`` and modules are complete and short."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from importlib.resources import files

import jsonschema
import pytest

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.contract.facts import find_fact
from hermes_sdk.documentation import find_section
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host

SCHEMA = json.loads((files("hermes_sdk.cli") / "contract-show.schema.json").read_text(encoding="utf-8"))
NEWEST = contract.load(contract.DEFAULT)
MEMBERS = [name for name in NEWEST.context if not name.startswith("_")]
MODULES = ["gateway.platforms.base", "agent.auxiliary_client", "hermes_constants", "agent.file_safety"]
NAMED = [
    *(("hook", name) for name in NEWEST.hooks),
    *(("member", name) for name in MEMBERS),
    *(("module", name) for name in MODULES),
]


def output(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as stop:
        run(["contract", "show", *argv])
    printed = capsys.readouterr()
    assert stop.value.code == code, printed.err
    return printed.out + printed.err


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_every_fact_takes_less_than_1_kb(capsys: pytest.CaptureFixture[str], options: Sequence[str]) -> None:
    for kind, name in NAMED:
        out = output(capsys, kind, name, *options)
        assert len(out.encode()) < 1_000, name
        if options:
            jsonschema.validate(json.loads(out), SCHEMA)


@pytest.mark.parametrize("argv", [["0.19.0"], ["hook", "pre_tts_synthesis", "--release", "0.23.4"]])
def test_output_matches_its_schema(capsys: pytest.CaptureFixture[str], argv: Sequence[str]) -> None:
    jsonschema.validate(json.loads(output(capsys, *argv, "--json")), SCHEMA)
    jsonschema.validate(json.loads(output(capsys, "hook", "nothing", "--json", code=2)), SCHEMA)


@pytest.mark.parametrize("release", ["0.13.0", "0.19.0", contract.DEFAULT])
def test_every_fact_has_a_summary_and_a_documentation_link(release: str) -> None:
    loaded = contract.load(release)
    for name in loaded.hooks:
        fact = find_fact("hook", name, loaded)
        assert fact.summary, name
        assert fact.returns, name
        assert {*fact.arguments, *fact.sometimes} == loaded.hooks[name].arguments - {*loaded.injected_hook_arguments}
        assert find_section(fact.documentation), name
    for name in loaded.context:
        if not name.startswith("_"):
            fact = find_fact("member", name, loaded)
            assert fact.summary, name
            assert fact.returns, name
            assert ast.parse(fact.example), name
            assert find_section(fact.documentation), name


def test_example_of_every_hook_runs_in_the_host() -> None:
    with Home.temporary() as home:
        for name in NEWEST.hooks:
            plugin = home.plugins_dir / name
            plugin.mkdir(parents=True)
            (plugin / "plugin.yaml").write_text(f"name: {name}\nversion: '1'\n", encoding="utf-8")
            (plugin / "__init__.py").write_text(find_fact("hook", name, NEWEST).example, encoding="utf-8")
        home.update_config({"plugins": {"enabled": [*NEWEST.hooks]}})
        with open_host("embedded", contract.DEFAULT, home) as host:
            assert host.hooks == sorted(NEWEST.hooks)
            for name in NEWEST.hooks:
                fact = find_fact("hook", name, NEWEST)
                assert host.fire(name) == list(fact.values[:1]), name
            assert not host.swallowed


def test_hook_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "hook", "pre_tool_call", "--release", "0.16.0") == (
        "pre_tool_call: hook of Hermes 0.16.0, since 0.13.0\n"
        "Before a tool call, after middleware and before approval; once per call that the model makes.\n\n"
        "Arguments: tool_name: str, args: dict[str, Any], task_id: str, session_id: str, tool_call_id: str, "
        "turn_id: str, api_request_id: str\n\n"
        "Returns: Blocks or changes a call, or asks a person about it; None allows it.\n"
        'Such as: {"action": "block", "message": "message"}\n\n'
        "def callback(tool_name, args, **kwargs):\n"
        "    return {'action': 'block', 'message': 'message'}\n\n"
        "def register(ctx):\n"
        '    ctx.register_hook("pre_tool_call", callback)\n\n'
        "More: hermes-sdk docs reference/hooks#pre_tool_call\n"
    )


def test_member_has_the_parameters_of_the_release(capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (
        json.loads(output(capsys, "member", "register_tool", "--release", release, "--json"))
        for release in ("0.13.0", "0.14.0")
    )
    assert (old["schema"], old["kind"], old["since"]) == ("hermes-sdk.contract-show/1", "member", "0.13.0")
    assert new["arguments"].keys() - old["arguments"].keys() == {"override"}
    assert new["arguments"]["override"] == "bool = False"
    assert 'ctx.register_tool(name="name", toolset="toolset", schema=schema, handler=handler)' in new["example"]


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("gateway.platforms.base", "Plugins are meant to use it.\n\nNames: AudioFormat, BasePlatformAdapter, "),
        ("agent.auxiliary_client", "It is internal to Hermes. Use ctx.llm instead.\n"),
    ],
)
def test_module_fact_states_whether_plugins_may_use_it(
    capsys: pytest.CaptureFixture[str], module: str, said: str
) -> None:
    assert said in output(capsys, "module", module)


def test_name_known_only_from_documents_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert "since 0.23" in output(capsys, "hook", "pre_tts_synthesis", "--release", "0.23.4")


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["hook", "pre_tool_cal"], "Hermes 0.22.2 has no hook 'pre_tool_cal'; did you mean 'pre_tool_call'?"),
        (["hook", "pre_command", "--release", "0.19.0"], "no hook 'pre_command'; it exists since 0.20.1"),
        (["member", "_llm"], "has no member of ctx '_llm'"),
        (["module", "nowhere"], "has no module 'nowhere'"),
        (["hook"], "The release 'hook' of Hermes is not known."),
        (["tool", "terminal"], "There is no contract for 'tool terminal'."),
    ],
)
def test_name_missing_in_the_release_is_an_error(
    capsys: pytest.CaptureFixture[str], argv: Sequence[str], problem: str
) -> None:
    assert problem in output(capsys, *argv, code=2)
