"""Recordings of the user's own host: they replay, contain no secrets, and do not change the home."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest
from traces.http_service import serve
from traces.machine import SDK, Machine
from traces.real_sessions import SESSIONS

from hermes_sdk.llm import call, say
from hermes_sdk.traces import Trace, read_recording, replay

SECRET = "kq7-blue-fish-9zzz"
STORED = "amber7Goose+tea"
"""Value in `.env` of a variable with an inconspicuous name that no plugin requires."""
PLUGIN = """
import json, os


def look_up(args, **more):
    return json.dumps({"for": args["text"], "with": os.environ["NOTES_TOKEN"]})


def register(ctx):
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    schema = {"name": "look_up", "description": "Looks.", "parameters": parameters}
    ctx.register_tool("look_up", "notes", schema, look_up)
    ctx.register_hook("pre_llm_call", lambda **more: {"context": "Be short."})
    ctx.register_hook("transform_tool_result", lambda **more: None)
    ctx.register_hook("on_session_end", lambda **more: None)
"""
WITH_HTTP = """
import json, os, urllib.request


def look_up(args, **more):
    import httpx

    url, headers = "{url}/" + args["text"], {{"X-Notes": os.environ["NOTES_TOKEN"]}}
    urllib.request.urlopen(urllib.request.Request(url, headers=headers)).read()
    # The model of this machine is one that a plugin may ask too.
    return json.dumps(httpx.post(url + "/chat/completions", headers=headers, json={{"messages": []}}).json())


def register(ctx):
    ctx.register_tool("look_up", "notes", {{"name": "look_up", "description": "Looks."}}, look_up)
    ctx.register_middleware("llm_execution", lambda **more: more["next_call"](more["request"]))
"""
RACE = """import sys


class Racing(str):
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        if "{plugin}" in str(other):
            sys.modules["raced" + str(len(sys.modules))] = sys
        return str.__eq__(self, other)


sys.modules[Racing("racing")] = sys
"""
"""Code with a module name that imports another module when it is compared, as a concurrent thread might."""


@pytest.fixture(params=[pytest.param("0.19.0", marks=pytest.mark.slow), "0.22.2"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Machine]:
    made = Machine(tmp_path, request.param, {"notes": PLUGIN}, manifest="requires_env: [NOTES_TOKEN]\n")
    (made.home / ".env").write_text(f"NOTES_TOKEN={SECRET}\nTEAROOM={STORED}\nDRINK=green tea\n")
    yield made
    made.server.close()


def _talk(machine: Machine, *argv: object) -> "subprocess.CompletedProcess[str]":
    machine.model.clear()
    machine.model.script(
        say("", machine.call("look_up", text="tea")),
        say("", call("write_file", path="note.txt", content="tea")),
        call("read_file", path="note.txt"),
        say(f"I used {SECRET} and {STORED} for green tea."),
    )
    return machine.run(*argv)


def _list_tree(folder: Path) -> Mapping[str, str]:
    """Return the files of a home, with the content of those that do not differ between runs."""
    listed = {}
    for file in sorted(folder.rglob("*")):
        name = re.sub(r"\d{8}[-_]\d{6}(_[0-9a-f]{6,8})?|\d{4}-\d\d-\d\d", "<id>", file.relative_to(folder).as_posix())
        same = file.is_file() and (file.suffix in {".yaml", ".py", ".md"} or file.name == ".env")
        listed[name] = file.read_text(encoding="utf-8") if same else ""
    return listed


def test_recording_does_not_change_home_and_has_no_secrets(machine: Machine) -> None:
    plugin = machine.home / "plugins" / "notes"
    plugin.unlink()
    (machine.work / "notes").rename(plugin)
    before = shutil.copytree(machine.home, machine.path / "before")
    plain = _talk(machine, machine.program, "chat", "-q", "find tea")
    assert plain.returncode == 0, plain.stderr
    without = _list_tree(machine.home)
    shutil.rmtree(machine.home)
    before.rename(machine.home)
    (machine.work / "note.txt").unlink()

    trace = machine.work / "out" / "bug.trace"
    record = [SDK, "record", "-o", trace, "--", machine.program]
    done = _talk(machine, *record, "chat", "-q", "find tea")
    assert done.returncode == 0, done.stderr
    assert "I used" in done.stdout
    assert "in " + str(trace) in done.stderr
    assert _list_tree(machine.home) == without

    content = trace.read_bytes()
    assert SECRET.encode() not in content
    assert STORED.encode() not in content
    assert b"I used <redacted> and <redacted> for green tea." in content
    found = [file for file in machine.path.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]
    assert all(file.is_relative_to(machine.home) for file in found)

    recorded = read_recording(trace)
    assert recorded.recording is not None
    assert (recorded.host, recorded.observed, recorded.problems) == ("real", True, ())
    assert recorded.recording["plugins"] == ["../../hermes/plugins/notes"]
    assert recorded.recording["env"] == {"NOTES_TOKEN": "<redacted>"}
    assert recorded.recording["turns"] == ["find tea"]
    assert [one["tool"] for one in recorded.recording["builtin_results"]] == ["write_file", "read_file"]
    tool = next(event for event in recorded.events if event["kind"] == "tool")
    assert json.loads(tool["returned"]) == {"for": "tea", "with": "<redacted>"}

    again = replay(recorded, trace, allowed=[machine.home])
    assert again.is_equal, again.reason


@pytest.mark.slow
@pytest.mark.parametrize("plugin", ["notes", "web__exa"])
def test_load_race_is_omitted_or_reported(tmp_path: Path, plugin: str) -> None:
    machine = Machine(tmp_path, "0.22.2", {"notes": PLUGIN})
    machine.program.write_text(machine.program.read_text().replace("import sys\n", RACE.format(plugin=plugin), 1))
    machine.model.script("hello")
    trace = machine.work / "bug.trace"
    done = machine.run(SDK, "record", "-o", trace, "--", machine.program, "chat", "-q", "hi")
    machine.server.close()
    recorded = read_recording(trace)
    problem = "Hermes failed to load the plugin notes, because it was importing its own modules at the same time."
    assert (problem in done.stderr) == (plugin == "notes"), done.stderr
    assert [problem in one for one in recorded.problems] == [True] * (plugin == "notes")
    logged = [event["message"] for event in recorded.events if event["kind"] == "log"]
    assert logged == ["Failed to load plugin 'notes': dictionary changed size during iteration"] * (plugin == "notes")
    if plugin != "notes":
        log = (machine.home / "logs" / "agent.log").read_text()
        assert "Failed to load plugin 'web-exa': dictionary changed size during iteration" in log
        again = replay(recorded, trace)
        assert again.is_equal, again.reason


@pytest.mark.slow
def test_installed_plugin_is_replayed_from_its_project(machine: Machine) -> None:
    (machine.home / "plugins" / "notes").unlink()
    shutil.rmtree(machine.work / "notes")
    project, installed = machine.work / "project", machine.path / "site" / "notes-1.dist-info"
    for folder in (project, installed):
        folder.mkdir(parents=True)
    (project / "pyproject.toml").write_text('[project.entry-points."hermes_agent.plugins"]\nnotes = "noting"\n')
    (project / "noting.py").write_text(PLUGIN.replace('os.environ["NOTES_TOKEN"]', '"it"'))
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[hermes_agent.plugins]\nnotes = noting\n")
    noted = installed / "direct_url.json"
    noted.write_text(json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}}))
    paths, launcher = [str(project), str(installed.parent)], machine.program.read_text()
    machine.program.write_text(launcher.replace("import sys\n", f"import sys\nsys.path += {paths}\n", 1))

    def record() -> Trace:
        machine.model.script(say("", machine.call("look_up", text="tea")), "done")
        done = machine.run(SDK, "record", "-o", machine.work / "x.trace", "--", machine.program, "chat", "-q", "hi")
        assert done.returncode == 0, done.stderr
        return read_recording(machine.work / "x.trace")

    recorded = record()
    assert recorded.problems == ()
    assert recorded.recording is not None
    assert recorded.recording["plugins"] == [{"path": "project", "form": "package", "plugin": "notes"}]
    again = replay(recorded, machine.work / "x.trace")
    assert again.is_equal, again.reason

    noted.unlink()
    (told,) = record().problems
    assert told.startswith("cannot be replayed: the plugin notes is installed as a package, but a replay needs its")


@pytest.mark.slow
def test_http_requests_are_recorded_and_replayed(machine: Machine) -> None:
    with serve() as service:
        (machine.work / "notes" / "__init__.py").write_text(WITH_HTTP.format(url=service.url))
        trace = machine.work / "http.trace"
        done = _talk(machine, SDK, "record", "--http", "-o", trace, "--", machine.program, "chat", "-q", "find tea")
        assert done.returncode == 0, done.stderr
        assert service.requests == ["GET /tea", "POST /tea/chat/completions"]
    found = [file for file in machine.path.rglob("*.trace") if SECRET.encode() in file.read_bytes()]
    assert found == []
    recorded = read_recording(trace)
    requests = [event["name"] for event in recorded.events if event["kind"] == "http_request"]
    assert requests == ["GET http://127.0.0.1:<port>/tea", "POST http://127.0.0.1:<port>/tea/chat/completions"]
    again = replay(recorded, trace)
    assert again.is_equal, again.reason


def test_exit_status_is_that_of_hermes(tmp_path: Path) -> None:
    program = tmp_path / "hermes"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    done = subprocess.run(
        [SDK, "record", "-o", tmp_path / "x.trace", "--", program],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "nothing was recorded" in done.stderr
    assert not (tmp_path / "x.trace").exists()


def test_command_keeps_terminal_and_sitecustomize(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import sys\nsys.own = 'ran'\n")
    code = (
        "import os, sys;"
        "print([s.isatty() for s in (sys.stdin, sys.stdout)], getattr(sys, 'own', None), dict(os.environ))"
    )
    for path, own in (("", "None"), (str(tmp_path / "own"), "ran")):
        command = [SDK, "record", "-o", tmp_path / "x.trace", "--", sys.executable, "-c", code]
        ours, theirs = pty.openpty()
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": path}
        subprocess.run([*map(str, command)], env=environment, stdin=theirs, stdout=theirs, stderr=theirs, check=False)
        os.close(theirs)
        printed = os.read(ours, 100_000).decode()
        os.close(ours)
        assert f"[True, True] {own} {{" in printed
        assert "Error in sitecustomize" not in printed
        assert "HERMES_SDK_RECORDER" not in printed


ISOLATED = """#!/bin/sh
unset PYTHONPATH PYTHONHOME
exec "{python}" -I -c "from hermes_cli.main import main; main()" "$@"
"""


@pytest.mark.parametrize(
    "kind", ["wrapper", *(pytest.param(one, marks=pytest.mark.slow) for one in ("flag", "link", "python"))]
)
def test_launcher_that_ignores_variables_is_recorded(tmp_path: Path, kind: str) -> None:
    machine = Machine(tmp_path, "0.22.2", {"notes": PLUGIN})
    python = machine.program.read_text().splitlines()[0].removeprefix("#!")
    if kind == "wrapper":
        machine.program.write_text(ISOLATED.format(python=python))
    elif kind == "flag":
        machine.program.write_text(machine.program.read_text().replace(python, f"{python} -I", 1))
    program: list[object] = ["--python", python, "--"] if kind == "python" else ["--", machine.program]
    if kind == "link":
        link = tmp_path / "another name"
        link.symlink_to(machine.program)
        program = ["--", link]
    machine.model.script("Hello.")
    trace = machine.work / "out.trace"
    done = machine.run(SDK, "record", "-o", trace, *program, "chat", "-q", "Hi")
    machine.server.close()
    assert (done.returncode, "Hello." in done.stdout) == (0, True), done.stderr
    recorded = read_recording(trace)
    assert replay(recorded, trace).reason == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("#!/nowhere/python\n", "/nowhere/python cannot be started: No such file or directory"),
        ("no program\n", "program cannot be started: Exec format error"),
        ("#!/bin/sh\nexit 0\n", "did not load Hermes plugins in a Python process that could be observed"),
    ],
)
def test_error_names_program_that_cannot_be_recorded(tmp_path: Path, text: str, told: str) -> None:
    program = tmp_path / "program"
    program.write_text(text)
    program.chmod(0o755)
    command = [str(SDK), "record", "-o", str(tmp_path / "out.trace"), "--", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert "--python PATH" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_divergence_names_omitted_data(tmp_path: Path) -> None:
    session = SESSIONS["data"]
    machine = session.prepare(tmp_path, "0.22.2")
    trace = machine.work / "out.trace"
    session.record(machine, trace, "--without-data")
    machine.server.close()
    reason = replay(read_recording(trace), trace).reason
    assert reason.endswith("(the plugin had stored plugin-data/counter/count.json, which the recording lacks)")
