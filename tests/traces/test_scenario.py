"""Scenarios: allowed keys, and locations of errors."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.errors import UsageError
from hermes_sdk.llm import Answer, ToolCall
from hermes_sdk.traces import Scenario, ScenarioPlugin, read_scenario, schema_text


def write_scenario(folder: Path, text: str) -> Path:
    path = folder / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_scenario_with_all_keys_is_read(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "plugin.yaml").write_text("name: p\n", encoding="utf-8")
    (tmp_path / "lib").mkdir()
    path = write_scenario(
        tmp_path,
        """
plugins: [p]
enable: [a]
toolsets: [set]
config: {context: {engine: x}}
env: {A: b}
pythonpath: [lib]
script:
  main:
    - tool_calls: [{name: t, args: {n: 1}}, {name: u, args: 'no json', id: mine}, {name: v}]
    - {text: long, usage: {prompt_tokens: 7}, reasoning: r, finish_reason: length}
    - {status: 500, error: boom}
    - {status: 503}
    - interrupt: true
  aux: [{text: '{}'}]
turns: [hello, /new]
files: {block.sh: "#!/bin/sh"}
data: {plugin-data/notes/list.json: "[]"}
accept_hooks: true
stateless: true
defaults: true
mode: session
""",
    )
    assert read_scenario(path) == Scenario(
        path=path,
        plugins=(ScenarioPlugin(tmp_path / "p"),),
        enable=("a",),
        toolsets=("set",),
        config={"context": {"engine": "x"}},
        env={"A": "b"},
        pythonpath=(tmp_path / "lib",),
        main=(
            Answer(
                tool_calls=(ToolCall("t", '{"n": 1}'), ToolCall("u", "no json", "mine"), ToolCall("v", "{}")),
            ),
            Answer("long", usage={"prompt_tokens": 7}, reasoning="r", finish_reason="length"),
            Answer(status=500, error="boom"),
            Answer(status=503, error="the model failed"),
            Answer(interrupts=True),
        ),
        aux=(Answer("{}"),),
        turns=("hello", "/new"),
        messages=(),
        gateway_hooks=(),
        files={"block.sh": "#!/bin/sh"},
        data={"plugin-data/notes/list.json": "[]"},
        accept_hooks=True,
        stateless=True,
        defaults=True,
        builtin_results=None,
        http_answers=None,
    )


def test_messages_with_all_keys_are_read(tmp_path: Path) -> None:
    (tmp_path / "hook").mkdir()
    first = {"text": "a", "user_id": "u", "user_name": "U", "chat_id": "c", "chat_name": "C", "chat_type": "group"}
    second = {"text": "b", "thread_id": "t", "message_id": "m", "platform": "p", "wait_send": "w"}
    found = read_scenario(
        write_scenario(
            tmp_path, json.dumps({"mode": "gateway", "messages": [first, second], "gateway_hooks": ["hook"]})
        )
    )
    assert (found.turns, found.messages, found.gateway_hooks) == ((), (first, second), (tmp_path / "hook",))


def test_only_turns_are_required(tmp_path: Path) -> None:
    found = read_scenario(write_scenario(tmp_path, "turns: [hello]"))
    assert (found.plugins, found.enable, found.toolsets, found.main) == ((), None, None, ())


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("turns: [a]\nplugin: [p]", ":2:1", "unknown key 'plugin'"),
        ("turns: [a]\nscript:\n  main:\n    - txt: x", ":4:7", "unknown key 'txt'"),
        ("turns: [a]\nscript:\n  main:\n    - tool_calls: [{args: {}}]", ":4:20", "the key 'name' is missing"),
        ("turns: hello", ":1:1", 'turns must be a list, not "hello"'),
        ("turns: []", ":1:1", "turns"),
        ("turns: [a, 3]", ":1:12", "turns.1 must be text, not 3"),
        ("turns: [a]\nenv: {A: 1}", ":2:7", "env.A must be text, not 1"),
        ("turns: [a]\naccept_hooks: 'yes'", ":2:1", "accept_hooks must be true or false"),
        ("turns: [a]\nmode: chat", ":2:1", "mode must be 'session' or 'gateway', not \"chat\""),
        ("turns: [a]\nmessages: [{text: a}]\nmode: gateway", ":1:1", "turns is only allowed in mode session"),
        ("turns: [a]\nmessages: [{text: a}]", ":2:1", "messages is only allowed in mode gateway"),
        ("turns: [a]\ngateway_hooks: [a]", ":2:1", "gateway_hooks is only allowed in mode gateway"),
        ("mode: gateway", ":1:1", "the key 'messages' is missing in the scenario"),
        ("mode: gateway\nmessages: [hello]", ":2:12", 'messages.0 must be a mapping, not "hello"'),
        ("mode: gateway\nmessages: [{user_id: u1}]", ":2:12", "the key 'text' is missing in messages.0"),
        ("mode: gateway\nmessages: [{text: a, user: u1}]", ":2:22", "unknown key 'user'"),
        (
            "mode: gateway\nmessages: [{text: a, chat_type: forum}]",
            ":2:22",
            "messages.0.chat_type must be 'dm' or 'group'",
        ),
        ("mode: gateway\nmessages: [{text: a}]\ngateway_hooks: [a]", ":3:17", "the directory 'a' does not exist"),
        ("turns: [a]\nscript: {main: [{status: 200}]}", ":2:18", "status"),
        ("turns: [a]\nscript: {main: [{error: x}]}", ":2:17", "'status' is a dependency of 'error'"),
        ("turns: [a]\nscript: {aux: [{interrupt: true}]}", ":2:17", "`interrupt` belongs in script.main: the user"),
        (
            "turns: [a]\nscript: {main: [{text: x, interrupt: true}]}",
            ":2:27",
            "`interrupt` cannot be combined with other keys: an",
        ),
        (
            "turns: [a]\nscript: {aux: [{text: x, interrupt: true}]}",
            ":2:26",
            "`interrupt` cannot be combined with other keys",
        ),
        ("turns: [a]\nenv: {A: x}\nturns: [b]", ":3:1", "'turns' is a duplicate of line 1"),
        ("turns: [a]\nenv:\n  A: x\n  A: y\nturns: [b]", ":4:3", "'A' is a duplicate of line 3"),
        ("turns: [a]\nscript: {main: [{}]}", ":2:17", "script.main.0"),
        ("turns: [a]\nfiles: {a/b: x}", ":2:1", "files"),
        ("turns: [a]\nplugins: [nowhere]", ":2:11", "the directory 'nowhere' does not exist next to the scenario"),
        ("turns: [a]\npythonpath: [nowhere]", ":2:14", "the directory 'nowhere' does not exist"),
        ("turns: [a]\nplugins: [.]", ":2:11", "no plugin"),
        ("enable: [a]", ":1:1", "the key 'turns' is missing in the scenario"),
        ("", ":1:1", "the key 'turns' is missing in the scenario"),
        ("- a", ":1:1", 'the scenario must be a mapping, not ["a"]'),
        ("turns: ]", ":1:8", "not YAML"),
        ("turns: ['a]\nenable: ['b']\n", ":1:9", "this quote is never closed"),
        ("turns: !!python/name:os.system x", ":1:8", "not YAML"),
        ("turns: [2026-13-01]", "", "not YAML"),
        ("a: 1\n---\nb: 2", ":2:1", "not YAML"),
    ],
)
def test_error_has_location(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = write_scenario(tmp_path, text)
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        read_scenario(path)
    assert caught.value.where == f"{path}{place}"


def test_similar_key_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_scenario(write_scenario(tmp_path, "turn: [a]\nturns: [a]"))
    assert caught.value.fix == "Did you mean 'turns'?"


def test_unreadable_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_scenario(tmp_path / "none.yaml")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_scenario(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"turns: [\xff]")
    with pytest.raises(UsageError, match="not valid UTF-8"):
        read_scenario(tmp_path / "latin.yaml")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["turns", "main", "text", "p", "500"]),
        lambda one: (
            st.lists(one, max_size=3)
            | st.dictionaries(st.sampled_from(list(json.loads(schema_text())["properties"])), one)
        ),
    )
)
def test_any_yaml_is_scenario_or_error_with_location(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = write_scenario(tmp_path_factory.getbasetemp(), json.dumps(value))
    problem = ""
    try:
        read_scenario(path)
    except UsageError as error:
        problem = error.where
    assert problem in ("", str(path)) or problem.startswith(f"{path}:")


def test_schema_is_valid_and_describes_each_key() -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads(schema_text())
    Draft202012Validator.check_schema(schema)
    parts = [schema["properties"], *(part["properties"] for part in schema["$defs"].values())]
    assert all("description" in rules for properties in parts for rules in properties.values())
