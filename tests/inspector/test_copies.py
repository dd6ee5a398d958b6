"""Copied tests and commands repeat the action."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from inspector.test_pages import open_pages
from inspector.test_panes import EXAMPLES, PLATFORM
from inspector.test_settings import BODY, CALL, MANIFEST, SECRET

from hermes_sdk.cli.main import run
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.inspector.actions import Attempt, Done, perform
from hermes_sdk.inspector.copies import Conditions, write_command, write_test
from hermes_sdk.inspector.workbench import Workbench

ACTIONS = [
    ("call", "total", {"numbers": [1, 2]}),
    ("call", "total", {}),
    ("fire", "pre_llm_call", {"user_message": 'it\'s "so"\n'}),
    ("fire", "pre_llm_call", {"user_message": 1}),
    ("command", "/echo it's", {}),
    ("chat", "hello 'you'", {}),
]


SCRIPT = """
main:
- tool_calls: [{name: total, args: {numbers: [2, 3]}}, {name: total, args: "{x"}]
- {text: It's 5., reasoning: because}
"""


def read_copy(answer: str, what: str) -> str:
    found = re.search(rf'data-copy="([^"]+)">Copy as {what}', answer)
    assert found is not None
    return unescape(found[1])


def conditions(plugin: Path, **more: Any) -> Conditions:
    return Conditions(str(plugin), "embedded", "0.22.2", **more)


def run_copied(line: str, folder: Path) -> dict[str, Any]:
    """Run a command in a shell, and return its output, parsed as JSON."""
    program = f"{shlex.quote(sys.executable)} -c 'from hermes_sdk.cli.main import run; run()'"
    argv = ["bash", "-c", line.replace("hermes-sdk", program, 1).replace(" -- ", " --json -- ", 1)]
    ran = subprocess.run(argv, capture_output=True, text=True, cwd=folder, check=False)
    document: dict[str, Any] = json.loads(ran.stdout)
    return document


def assert_copies_pass(plugin: Path, copies: list[str], pytester: pytest.Pytester) -> None:
    (plugin / "tests").mkdir()
    for number, text in enumerate(copies):
        (plugin / "tests" / f"test_copied_{number}.py").write_text(text)
    (plugin / "pytest.ini").write_text("[pytest]\n")
    result = pytester.runpytest_subprocess("-q", "--rootdir", str(plugin), str(plugin))
    result.assert_outcomes(passed=len(copies))


def test_copied_test_passes(plugin: Path, pytester: pytest.Pytester) -> None:
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        given = conditions(plugin)
        attempts = [Attempt(*action) for action in ACTIONS]
        tests = [write_test(Done(one, perform(bench.plugin, one)), given) for one in attempts]
        said = bench.say(Attempt("chat", "add", {}, SCRIPT))
        assert not isinstance(said.outcome, HermesSdkError)
        tests.append(write_test(Done(said.attempt, said.outcome), given))
    assert_copies_pass(plugin, tests, pytester)


def test_copied_command_repeats_the_action(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempts = [Attempt(*action) for action in ACTIONS]
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        expected = [perform(bench.plugin, one) for one in attempts]
    for attempt, one in zip(attempts, expected, strict=True):
        program, verb, *rest = shlex.split(write_command(attempt, conditions(plugin)))
        with pytest.raises(SystemExit):
            run([verb, "--json", *rest])
        [action] = json.loads(capsys.readouterr().out)["actions"]
        assert program == "hermes-sdk"
        assert (action["value"], len(action["swallowed"])) == (one["value"], len(one["swallowed"]))


SAID = [
    ("hello", "main: [{text: one}, {tool_calls: [{name: total, args: {numbers: [1]}}]}, {text: never asked for}]"),
    ("/echo x", ""),
    ("go on", ""),
    ("it's all", "main: [{text: four}, {text: left over}]"),
]


def test_copies_of_a_chat_contain_earlier_turns(plugin: Path, pytester: pytest.Pytester) -> None:
    with open_pages(plugin) as client:
        said = [{"kind": "chat", "name": name, "script": script} for name, script in SAID]
        *_, answer = [client.post("/act", data=one).text for one in said]
    assert_copies_pass(plugin, [read_copy(answer, "pytest")], pytester)
    actions = run_copied(read_copy(answer, "command"), plugin)["actions"]
    assert [one["name"] for one in actions] == [name for name, _ in SAID]
    assert [one["value"]["reply"] for one in actions if one["action"] == "chat"] == ["one", "never asked for", "four"]


def test_copies_contain_settings_but_no_secret(
    plugin: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    (plugin / "plugin.yaml").write_text(MANIFEST)
    (plugin / "__init__.py").write_text(BODY)
    with open_pages(plugin) as client:
        form = {"settings.unit": "foot", "variables.SUMS_PLACE": "it's here", "variables.SUMS_KEY": SECRET}
        client.post("/settings", data=form)
        answer = client.post("/act", data=CALL).text
    test, command = read_copy(answer, "pytest"), read_copy(answer, "command")
    assert SECRET not in test + command
    assert_copies_pass(plugin, [test], pytester)
    monkeypatch.setenv("SUMS_KEY", SECRET)
    [action] = run_copied(command, plugin)["actions"]
    told = {"limit": None, "unit": "foot", "loud": None, "SUMS_KEY": "<redacted>", "SUMS_PLACE": "it's here"}
    assert json.loads(action["value"]["text"]) == told
    assert SECRET not in str(action)


def test_copy_sets_up_the_memory_provider(tmp_path: Path, pytester: pytest.Pytester) -> None:
    plugin = tmp_path / "sqlite_memory"
    shutil.copytree(EXAMPLES / "sqlite_memory", plugin)
    with open_pages(plugin) as client:
        copies = [client.post("/set-up", data={"answer.language": "de", "answer.key": SECRET}).text]
        for name in ("I like tea", "Who likes tea?"):
            copies.append(client.post("/act", data={"kind": "chat", "name": name}).text)
    assert "Copy as command" not in copies[-1]
    assert_copies_pass(plugin, [read_copy(one, "pytest") for one in copies], pytester)


def test_copied_gateway_conversation_passes(plugin: Path, pytester: pytest.Pytester) -> None:
    manifest = "name: sums\nversion: 1.0.0\nkind: platform\nrequires_env: [{name: LETTERS_BOX, secret: false}]\n"
    (plugin / "plugin.yaml").write_text(manifest)
    (plugin / "__init__.py").write_text(PLATFORM)
    said = [("Hello?", "main: [{text: one}, {text: left}]"), ("/status", ""), ("And now?", "")]
    with open_pages(plugin) as client:
        client.post("/settings", data={"variables.LETTERS_BOX": "7"})
        sent = [{"kind": "receive", "name": name, "script": script} for name, script in said]
        *_, answer = [client.post("/act", data=one).text for one in sent]
    assert "<p>left</p>" in answer
    assert_copies_pass(plugin, [read_copy(answer, "pytest")], pytester)
