"""A generated test passes on either host, and fails when the plugin behaves differently."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

# Each run of pytester forgets the modules that it imported, so they are imported here, once.
import hermes_sdk.hosts.embedded.agent.conversation
import hermes_sdk.hosts.embedded.host
import hermes_sdk.manifest.project
import hermes_sdk.testing.fixtures  # noqa: F401
from hermes_sdk.cli.main import run as run_command
from hermes_sdk.errors import UsageError
from hermes_sdk.traces import Trace, play
from hermes_sdk.traces.codegen import generate_test

pytest_plugins = ["pytester"]

TESTS = Path(__file__).parents[1]
FULL = {"prompt_tokens": 190_000, "completion_tokens": 10}


@dataclass(frozen=True)
class Example:
    """A plugin, a run of it, and a change of its behaviour."""

    plugin: Path
    scenario: dict[str, Any]
    change: tuple[str, str]


def example(name: str, change: tuple[str, str], **scenario: Any) -> Example:
    return Example(TESTS / "examples" / name, scenario, change)


EXAMPLES = {
    "tool and command": example(
        "word_count",
        ("len(text.split())", "len(text)"),
        script={"main": [{"tool_calls": [{"name": "word_count", "args": {"text": 'it\'s "so"'}}]}, {"text": "Two."}]},
        turns=["How many words?", "/wordcount a b c"],
    ),
    "memory": example(
        "sqlite_memory",
        ('"\\n".join(self._store.search(query))', '"".join(self._store.search(query)).upper()'),
        config={"memory": {"provider": "sqlite_memory"}},
        script={"main": [{"text": "Noted."}, {"text": "It is Ada."}]},
        turns=["My name is Ada", "What is my name?"],
    ),
    "context engine": example(
        "window_engine",
        ("TURNS = 2", "TURNS = 1"),
        config={"context": {"engine": "window_engine"}},
        script={"main": [{"text": "one"}, {"text": "two"}, {"text": "three", "usage": FULL}, {"text": "four"}]},
        turns=["first", "second", "third", "fourth"],
    ),
    "images": example(
        "tile_images",
        ('MODEL = "tile-1"', 'MODEL = "tile-2"'),
        config={"image_gen": {"provider": "tile_images"}},
        toolsets=["image_gen"],
        script={"main": [{"tool_calls": [{"name": "image_generate", "args": {"prompt": "red"}}]}, {"text": "Here."}]},
        turns=["Draw a red tile"],
    ),
    "platform": Example(
        TESTS / "conformance" / "scenarios" / "plugins" / "echo",
        {
            "mode": "gateway",
            "script": {"main": [{"text": "Hi."}, {"text": "Hello."}]},
            "messages": [{"text": "hello"}, {"text": "ignore me"}, {"text": "hi", "user_id": "u2", "chat_id": "c2"}],
        },
        ('event.text == "ignore me"', 'event.text == "hi"'),
    ),
}


def record(one: Example, folder: Path) -> tuple[Path, Trace]:
    """Copy the plugin to a project of its own and record its run."""
    project = folder / "project"
    shutil.copytree(one.plugin, project / one.plugin.name, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "pytest.ini").write_text("[pytest]\n")
    scenario = project / "scenario.yaml"
    scenario.write_text(yaml.safe_dump({"plugins": [one.plugin.name], **one.scenario}))
    return project, play(scenario, record=True)


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Run the tests of a project."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def running(project: Path, *options: str) -> pytest.RunResult:
        plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
        return pytester.runpytest_inprocess(*plugins, "-W", "error", "--rootdir", str(project), str(project), *options)

    return running


@pytest.mark.parametrize("one", EXAMPLES.values(), ids=[*EXAMPLES])
def test_a_generated_test_passes_until_the_plugin_behaves_differently(
    one: Example, tmp_path: Path, run: Callable[..., pytest.RunResult]
) -> None:
    project, trace = record(one, tmp_path)
    (project / "test_it.py").write_text(generate_test(trace))
    run(project).assert_outcomes(passed=1)
    source = project / one.plugin.name / "__init__.py"
    text = source.read_text()
    assert one.change[0] in text
    source.write_text(text.replace(*one.change))
    assert run(project).ret == 1


@pytest.mark.slow
@pytest.mark.parametrize("one", EXAMPLES.values(), ids=[*EXAMPLES])
def test_a_generated_test_passes_on_the_real_host(
    one: Example, tmp_path: Path, run: Callable[..., pytest.RunResult]
) -> None:
    project, trace = record(one, tmp_path)
    (project / "test_it.py").write_text(generate_test(trace))
    run(project, "--hermes-host", "real").assert_outcomes(passed=1)


def test_the_command_writes_a_test_that_reads_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project, trace = record(EXAMPLES["tool and command"], tmp_path)
    file = project / "it.trace"
    file.write_text("".join(f"{line}\n" for line in trace.lines()))
    with pytest.raises(SystemExit) as ended:
        run_command(["codegen", str(file)])
    assert ended.value.code == 0
    assert (
        capsys.readouterr().out
        == """\
from hermes_sdk.testing import call, say


def test_how_many_words(hermes):
    hermes.llm.script(call("word_count", text='it\\'s "so"'), say("Two."))
    turn = hermes.chat("How many words?")
    assert turn.reply == "Two."
    assert turn.tool_calls[0].result.json == {"words": 2}
    reply = hermes.command("/wordcount a b c")
    assert reply == "3 words here, 3 said."
"""
    )


def test_snapshots_are_those_of_inline_snapshot(tmp_path: Path) -> None:
    project, trace = record(EXAMPLES["tool and command"], tmp_path)
    (project / "test_it.py").write_text(generate_test(trace, snapshot=True))
    if find_spec("inline_snapshot") is None:
        (project / "inline_snapshot.py").write_text("def snapshot(value): return value\n")
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    ran = subprocess.run(argv, cwd=project, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    text = (project / "test_it.py").read_text()
    assert "from inline_snapshot import snapshot\n" in text
    assert 'assert turn.tool_calls[0].result.json == snapshot({"words": 2})' in text


def make_trace(returned: Any, **about: Any) -> Trace:
    turn = {"kind": "turn", "name": "chat", "thread": "MainThread", "t": 1, "end": 2, "arguments": {"text": "Hi"}}
    recording = {"plugins": ["p"], "turns": ["Hi"]}
    facts: dict[str, Any] = {"host": "embedded", "release": "0.22.2", "scenario": "s", "recording": recording, **about}
    return Trace.of([{**turn, "returned": returned}], **facts).normalise({"/tmp/home": "<home>"})


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Saved.", 'assert turn.reply == "Saved."'),
        (None, "assert turn.reply is None"),
        ("Saved to /tmp/home/a.txt (now).", 'assert re.fullmatch(r"(?s)Saved to .* \\(now\\)\\.", turn.reply)'),
        ("2026-11-23 08:00:00", "hermes.chat("),
    ],
)
def test_what_differs_from_run_to_run_is_matched_or_left_out(reply: str | None, expected: str) -> None:
    assert expected in generate_test(make_trace(reply)).splitlines()[-1]


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"recording": None}, "no scenario to replay"),
        ({"problems": ("the host stopped",)}, "the host stopped"),
        ({"recording": {"plugins": ["a", "b"], "turns": ["x"]}}, "the recording has 2"),
        ({"recording": {"plugins": ["a"], "turns": ["x"], "files": {"f": "g"}}}, "do not support `files`"),
    ],
)
def test_a_run_that_no_test_can_do_is_refused(about: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        generate_test(make_trace("x", **about))
