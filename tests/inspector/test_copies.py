"""What is copied does the same."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.cli.main import run
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.inspector.actions import Attempt
from hermes_sdk.inspector.copies import write_command, write_test
from hermes_sdk.inspector.workbench import Workbench

ACTIONS = [
    ("call", "total", {"numbers": [1, 2]}),
    ("call", "total", {}),
    ("fire", "pre_llm_call", {"user_message": 'it\'s "so"\n'}),
    ("fire", "pre_llm_call", {"user_message": 1}),
    ("command", "/echo it's", {}),
    ("chat", "hello 'you'", {}),
]

pytest_plugins = ["pytester"]


SCRIPT = """
main:
- tool_calls: [{name: total, args: {numbers: [2, 3]}}, {name: total, args: "{x"}]
- {text: It's 5., reasoning: because}
"""


def done(bench: Workbench, kind: str, name: str, args: dict[str, Any]) -> Any:
    plugin = bench.plugin
    assert plugin is not None
    if kind == "call":
        return plugin.call_tool(name, args)
    if kind == "fire":
        return plugin.fire(name, args)
    return plugin.chat(name) if kind == "chat" else plugin.command(name)


def test_a_copied_test_passes(plugin: Path, pytester: pytest.Pytester) -> None:
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        tests = [write_test(Attempt(kind, name, args), done(bench, kind, name, args)) for kind, name, args in ACTIONS]
        said = bench.chat("add", SCRIPT).outcome
        assert not isinstance(said, HermesSdkError)
        tests.append(write_test(Attempt("chat", "add", {}, SCRIPT), said))
    for number, text in enumerate(tests):
        (plugin / f"test_copied_{number}.py").write_text(text)
    (plugin / "pytest.ini").write_text("[pytest]\n")
    result = pytester.runpytest_subprocess("-q", "--rootdir", str(plugin), str(plugin))
    result.assert_outcomes(passed=len(ACTIONS) + 1)


def test_a_copied_command_does_the_same(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        expected = [done(bench, *action) for action in ACTIONS]
    for (kind, name, args), one in zip(ACTIONS, expected, strict=True):
        line = write_command(Attempt(kind, name, args), path=str(plugin), host="embedded", release="0.22.2")
        program, verb, *rest = shlex.split(line)
        with pytest.raises(SystemExit):
            run([verb, "--json", *rest])
        [action] = json.loads(capsys.readouterr().out)["actions"]
        assert program == "hermes-sdk"
        assert (action["value"], len(action["swallowed"])) == (one["value"], len(one["swallowed"]))


def test_a_copied_script_is_a_file_of_the_shell(plugin: Path, tmp_path: Path) -> None:
    line = write_command(Attempt("chat", "add", {}, SCRIPT), path=str(plugin), host="embedded", release="0.22.2")
    program = f"{shlex.quote(sys.executable)} -c 'from hermes_sdk.cli.main import run; run()'"
    argv = ["bash", "-c", line.replace("hermes-sdk", program, 1)]
    ran = subprocess.run(argv, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert ran.stdout.rstrip().endswith("❮ It's 5.")
