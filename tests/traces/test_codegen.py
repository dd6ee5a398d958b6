"""Generated tests pass on both hosts, and fail if the plugin behaves differently."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from form_projects import settings
from traces.generation import find_foreign
from traces.sessions import SESSIONS, Session

from hermes_sdk import installer
from hermes_sdk.cache import cache_dir, make_once
from hermes_sdk.cli.main import run as run_command
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.traces import Trace, move_paths, play, read_recording
from hermes_sdk.traces.codegen import generate_test

SCENARIOS = Path(__file__).parents[1] / "conformance" / "scenarios"
ECHO = Session(
    (SCENARIOS / "plugins" / "echo",),
    {
        "mode": "gateway",
        "script": {"main": [{"text": "Hi."}, {"text": "Hello."}]},
        "messages": [{"text": "hello"}, {"text": "ignore me"}, {"text": "hi", "user_id": "u2", "chat_id": "c2"}],
    },
    ('event.text == "ignore me"', 'event.text == "hi"'),
)
REFUSED = {
    "delegation",
    "gateway_iteration_limit",
    "gateway_turn_stopped",
    "hook_examples",
    "iteration_limit",
    "plugin_of_a_path",
}
"""Scenarios that the fixtures do not support, or whose run fails."""

ALL = pytest.mark.parametrize("session", [*SESSIONS.values(), ECHO], ids=[*SESSIONS, "echo"])


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Return a function that runs the tests of a project."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run_tests(project: Path, *options: str) -> pytest.RunResult:
        plugins = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
        return pytester.runpytest_inprocess(*plugins, "-W", "error", "--rootdir", str(project), str(project), *options)

    return run_tests


@ALL
def test_generated_test_fails_only_when_plugin_changes(
    session: Session, tmp_path: Path, run: Callable[..., pytest.RunResult]
) -> None:
    _assert_passes_until_broken(session, tmp_path, run)


def _assert_passes_until_broken(session: Session, project: Path, run: Callable[..., pytest.RunResult]) -> None:
    """Record a session, and assert that its generated test passes with the plugin and fails with a changed one."""
    _, trace = session.record(project)
    (project / "test_it.py").write_text(source := generate_test(trace))
    assert find_foreign(source) == []
    run(project).assert_outcomes(passed=1)
    session.break_plugin(project)
    assert run(project).ret == 1


CLOCK = """
import datetime, json

DAYS = 0


def tell(args, **more):
    now = datetime.datetime(2026, 11, 29, 17, 5) + datetime.timedelta(days=DAYS, minutes=7 * DAYS)
    long = {"day": str(now.date()), "words": now.strftime("%A, %B %d, %Y, %H:%M"), "city": args["city"]}
    return json.dumps({**long, "at": now.timestamp(), "took": 0.25 + DAYS, "note": f"done in {12 + DAYS} ms"})


def register(ctx):
    schema = {"name": "tell", "description": "Tells.", "parameters": {"type": "object", "properties": {"city": {}}}}
    ctx.register_tool("tell", "clock", schema, tell)
    ctx.register_hook("pre_llm_call", lambda **more: {"context": json.loads(tell({"city": "Bonn"}))["words"]})
"""


def test_generated_test_passes_on_another_day(tmp_path: Path, run: Callable[..., pytest.RunResult]) -> None:
    plugin = tmp_path / "clock"
    plugin.mkdir()
    (plugin / "plugin.yaml").write_text("name: clock\n")
    (plugin / "__init__.py").write_text(CLOCK)
    main = [{"tool_calls": [{"name": "tell", "args": {"city": "Rome"}}]}, {"text": "It is late."}]
    session = Session((plugin,), {"script": {"main": main}, "turns": ["What time is it?"]}, ("DAYS = 0", "DAYS = 1"))
    project = tmp_path / "project"
    project.mkdir()
    _, trace = session.record(project)
    (project / "test_it.py").write_text(source := generate_test(trace))
    assert "Rome" in source
    session.break_plugin(project)
    run(project).assert_outcomes(passed=1)


@pytest.mark.slow
@pytest.mark.real_host
@ALL
def test_generated_test_fails_on_real_host_only_when_plugin_changes(
    session: Session, tmp_path: Path, run: Callable[..., pytest.RunResult], real_python: Callable[[str], Path]
) -> None:
    real_python("0.22.2")
    _, trace = session.record(tmp_path)
    (tmp_path / "test_it.py").write_text(generate_test(trace))
    run(tmp_path, "--hermes-host", "real").assert_outcomes(passed=1)
    session.break_plugin(tmp_path)
    assert run(tmp_path, "--hermes-host", "real").ret == 1


def test_command_writes_readable_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, _ = SESSIONS["word_count"].record(tmp_path)
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


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("two_plugins", '@pytest.mark.hermes(\n    plugin=["plugins/watcher", "plugins/examples"],'),
        ("gateway_two_chats", '    plugin=["plugins/watcher", "plugins/echo", "hooks/journal"],'),
        ("shell_hook", '"command": f"{tmp_path}/block.sh",'),
    ],
)
@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=[pytest.mark.slow, pytest.mark.real_host])])
def test_generated_test_uses_plugins_event_hooks_and_files_of_recording(
    name: str,
    expected: str,
    host: str,
    tmp_path: Path,
    run: Callable[..., pytest.RunResult],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for folder in ("plugins", "hooks"):
        shutil.copytree(SCENARIOS / folder, tmp_path / folder)
    scenario = shutil.copy(SCENARIOS / f"{name}.yaml", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nhermes_plugin = plugins/watcher\n")
    file = tmp_path / "traces" / "it.trace"
    monkeypatch.chdir(tmp_path)
    for command in (["record", "--scenario", scenario, "-o", str(file)], ["codegen", str(file), "-o", "test_it.py"]):
        with pytest.raises(SystemExit) as ended:
            run_command(command)
        assert ended.value.code == 0
    assert expected in (tmp_path / "test_it.py").read_text()
    run(tmp_path, "--hermes-host", host).assert_outcomes(passed=1)


WHICH = """
def register(ctx):
    ctx.register_command("which", lambda line: "{name}")
"""


@pytest.mark.parametrize("form", ["directory", "package"])
def test_generated_test_names_plugin_in_project_with_several(
    form: str, tmp_path: Path, run: Callable[..., pytest.RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pier", "quay"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(WHICH.format(name=name))
        if form == "directory":
            (tmp_path / name / "plugin.yaml").write_text(f"name: {name}\nkind: standalone\n")
    if form == "package":
        (tmp_path / "pyproject.toml").write_text(settings("pier", "pier", more='quay = "quay"\n'))
    (tmp_path / "scenario.yaml").write_text("plugins: [{path: ., plugin: quay}]\nturns: [/which]\n")
    monkeypatch.chdir(tmp_path)
    for command in (
        ["record", "--scenario", "scenario.yaml", "-o", "it.trace"],
        ["codegen", "it.trace", "-o", "test_it.py"],
    ):
        with pytest.raises(SystemExit) as ended:
            run_command(command)
        assert ended.value.code == 0
    assert '@pytest.mark.hermes(plugin="quay")' in (tmp_path / "test_it.py").read_text()
    run(tmp_path).assert_outcomes(passed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({path.stem for path in SCENARIOS.glob("*.yaml")} - REFUSED))
def test_generated_test_of_each_scenario_passes(
    name: str, tmp_path: Path, run: Callable[..., pytest.RunResult]
) -> None:
    trace = play(SCENARIOS / f"{name}.yaml", record=True)
    assert trace.recording is not None
    moved = move_paths(trace.recording, SCENARIOS, tmp_path)
    (tmp_path / "test_it.py").write_text(generate_test(replace(trace, recording=moved)))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nhermes_plugin = {moved['plugins'][0]}\n")
    run(tmp_path).assert_outcomes(passed=1)


def test_generated_test_of_event_hook_needs_no_other_plugin(
    tmp_path: Path, run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    """The recording of `pytest --hermes-record` contains the platform that the fixture adds."""
    shutil.copytree(SCENARIOS / "hooks" / "journal", tmp_path / "journal")
    (tmp_path / "pytest.ini").write_text("[pytest]\nhermes_plugin = journal\n")
    (tmp_path / "test_it.py").write_text(
        "def test_it(hermes_gateway):\n"
        "    hermes_gateway.llm.script('Hi.')\n"
        "    assert not hermes_gateway.dm().receives('Hello')\n"
    )
    run(tmp_path, "--hermes-record=traces").assert_outcomes(failed=1)
    [file] = (pytester.path / "traces").iterdir()
    text = generate_test(read_recording(file))
    assert "@pytest" not in text
    (tmp_path / "test_it.py").write_text(text)
    run(tmp_path).assert_outcomes(passed=1)


@pytest.fixture(scope="module")
def inline_snapshot() -> Path:
    """Return a directory with inline-snapshot, which is not installed because pytest would load its plugin in tests."""
    package = "inline-snapshot==0.36.1"
    folder = cache_dir() / "tests" / package
    try:
        make_once(
            folder,
            lambda target: installer.install(installer.create(target, sys.executable), [package]),
            what=package,
            fix="Check the network.",
        )
    except UnavailableError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(error.message, pytrace=False)
        pytest.skip(error.message)
    [packages] = folder.glob("lib/python*/site-packages")
    return packages


@pytest.mark.slow
def test_inline_snapshot_updates_expected_values(tmp_path: Path, inline_snapshot: Path) -> None:
    _, trace = SESSIONS["word_count"].record(tmp_path)
    test = tmp_path / "test_it.py"
    test.write_text(generate_test(trace, snapshot=True))
    assert "from inline_snapshot import snapshot\n" in test.read_text()
    assert 'assert turn.tool_calls[0].result.json == snapshot({"words": 2})' in test.read_text()

    # inline-snapshot does not write in processes of pytest-xdist.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    variables["PYTHONPATH"] = str(inline_snapshot)

    def run(what: str) -> int:
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--inline-snapshot={what}"]
        return subprocess.run(argv, cwd=tmp_path, env=variables, capture_output=True, check=False).returncode

    before = test.read_text()
    assert run("create,fix") == 0
    assert test.read_text() == before
    SESSIONS["word_count"].break_plugin(tmp_path)
    assert run("disable") == 1
    run("fix")
    assert test.read_text() == before.replace('{"words": 2}', '{"words": 9}')
    assert run("disable") == 0


INTERRUPTED = {
    "mode": "gateway",
    "plugins": ["a"],
    "script": {"main": [{"interrupt": True}]},
    "messages": [{"text": "x"}, {"text": "/stop"}],
}


SKY = """
import json, urllib.request


def look(args, **more):
    with urllib.request.urlopen("https://sky.example/now?city=" + args["city"]) as answer:
        return json.dumps({"sky": json.load(answer)["sky"]})


def register(ctx):
    ctx.register_tool("look", "sky", {"name": "look", "description": "Looks.", "parameters": {}}, look)
"""


def test_generated_test_answers_http_requests(tmp_path: Path, run: Callable[..., pytest.RunResult]) -> None:
    project = tmp_path / "project"
    source = project / "sky" / "__init__.py"
    source.parent.mkdir(parents=True)
    source.write_text(SKY)
    (project / "sky" / "plugin.yaml").write_text("name: sky\n")
    (project / "pytest.ini").write_text("[pytest]\n")
    content = {
        "plugins": ["sky"],
        "script": {"main": [{"tool_calls": [{"name": "look", "args": {"city": "Oslo"}}]}, {"text": "It is."}]},
        "http_answers": [
            {"method": "GET", "url": "https://sky.example/now?city=Oslo", "status": 200, "body": '{"sky": "clear"}'}
        ],
        "turns": ["How is the sky?"],
    }
    (project / "scenario.yaml").write_text(json.dumps(content))
    text = generate_test(play(project / "scenario.yaml", record=True))
    assert "assert hermes.http_problems() == []" in text
    (project / "test_it.py").write_text(text)
    run(project).assert_outcomes(passed=1)
    source.write_text(SKY.replace("now?city=", "later?city="))
    assert run(project).ret == 1
    # The changed plugin returns the same result without sending the request.
    made = SKY[SKY.index("    with") : SKY.index("def register")]
    source.write_text(SKY.replace(made, '    return \'{"sky": "clear"}\'\n'))
    run(project).assert_outcomes(failed=1)


COUNTER = """
import json
from hermes_constants import get_hermes_home


def register(ctx):
    file = get_hermes_home() / "plugin-data" / "counter" / "count.json"
    count = json.loads(file.read_text())["count"] if file.exists() else 0
    ctx.register_command("count", lambda line: f"{count + 1} é")
"""


@pytest.mark.parametrize("mode", ["session", "gateway"])
def test_generated_test_writes_stored_data_of_plugin(
    mode: str, tmp_path: Path, run: Callable[..., pytest.RunResult]
) -> None:
    plugin = tmp_path / "counter"
    plugin.mkdir()
    (plugin / "plugin.yaml").write_text("name: counter\n")
    (plugin / "__init__.py").write_text(COUNTER)
    said: dict[str, Any] = {"turns": ["/count"]}
    if mode == "gateway":
        said = {"mode": mode, "messages": [{"text": "/count"}]}
    data = {"plugin-data/counter/count.json": '{"count": 41}', "plugin-data/note.txt": "a é\n"}
    plugins = (plugin, SCENARIOS / "plugins" / "echo") if mode == "gateway" else (plugin,)
    session = Session(plugins, {"data": data, **said}, ("count + 1", "count + 2"))
    project = tmp_path / "project"
    project.mkdir()
    _assert_passes_until_broken(session, project, run)


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
        ("/tmp/home/x_20261123_080000_0a1b2c3d.png", "hermes.chat("),
    ],
)
def test_volatile_values_are_matched_or_omitted(reply: str | None, expected: str) -> None:
    assert expected in generate_test(make_trace(reply)).splitlines()[-1]


def test_run_with_failed_plugin_is_rejected() -> None:
    log = {"kind": "log", "name": "WARNING", "message": "Failed to load plugin 'quay': no"}
    trace = make_trace("Saved.")
    with pytest.raises(UsageError, match="need plugins that load, but quay did not"):
        generate_test(replace(trace, events=(log, *trace.events)))


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"recording": None}, "no scenario to replay"),
        ({"problems": ("the host stopped",)}, "the host stopped"),
        ({"recording": {"plugins": [], "turns": ["x"]}}, "no plugin to test"),
        ({"recording": {"plugins": ["a", "b"], "enable": ["a"], "turns": ["x"]}}, "a disabled plugin"),
        ({"recording": {"plugins": ["a"], "turns": ["x"], "stateless": True}}, "do not support `stateless`"),
        ({"recording": INTERRUPTED}, "a message that interrupts a turn"),
        ({"recording": {"plugins": ["a"], "turns": ["x"], "pythonpath": ["b"]}}, "do not support `pythonpath`"),
    ],
)
def test_run_that_fixtures_do_not_support_is_rejected(about: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        generate_test(make_trace("x", **about))
