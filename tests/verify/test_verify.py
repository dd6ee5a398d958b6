"""`hermes-sdk verify`: the verdict, and the first problem to fix."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hermes_sdk import verify as package

SCHEMA = json.loads(Path(package.__file__).with_name("verify.schema.json").read_text(encoding="utf-8"))
MANIFEST = """\
name: dice
version: "1.0.0"
description: Rolls dice.
author: Someone
kind: standalone
requires_hermes: ">=0.19.0"
provides_tools: [dice_roll]
"""
SOURCE = """\
import json

SCHEMA = {
    "name": "dice_roll",
    "description": "Roll a die.",
    "parameters": {"type": "object", "properties": {}},
}


def roll(args, **kwargs):
    return json.dumps({"rolled": 4})


def watch(**kwargs):
    return None


def register(ctx):
    ctx.register_tool(name="dice_roll", toolset="dice", schema=SCHEMA, handler=roll)
    ctx.register_hook("pre_llm_call", watch)
"""
TEST = """\
def test_roll(hermes):
    assert hermes.call_tool("dice_roll").json == {"rolled": 4}
"""
PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "hermes-plugin-dice"
version = "1.0.0"

[project.entry-points."hermes_agent.plugins"]
dice = "dice"

[tool.hatch.build.targets.wheel]
packages = ["dice"]

[tool.hermes-sdk]
plugin = "dice"

[tool.pytest.ini_options]
testpaths = ["tests"]
"""
FILES = {
    "dice/plugin.yaml": MANIFEST,
    "dice/__init__.py": SOURCE,
    "tests/test_dice.py": TEST,
    "pyproject.toml": PROJECT,
}
PROVIDER = """\
from agent.memory_provider import MemoryProvider


class Memory(MemoryProvider):
    @property
    def name(self):
        return "dice"

    def is_available(self):
        return True

    def initialize(self, session_id):
        pass

    def get_tool_schemas(self):
        return []


def register(ctx):
    ctx.register_memory_provider(Memory())
"""

Verify = Callable[..., tuple[int, str]]


@pytest.fixture
def verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verify:
    """Return a function that writes a project with some files replaced, or omitted if empty, and verifies it."""
    monkeypatch.delenv("CI", raising=False)

    def run(files: dict[str, str] | None = None, *options: str) -> tuple[int, str]:
        write(tmp_path, files or {})
        command = [sys.executable, "-c", "from hermes_sdk.cli.main import run; run()", "verify", *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HERMES_SDK_CACHE": str(tmp_path / "c")}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        assert not done.stderr
        return done.returncode, done.stdout

    return run


def write(project: Path, files: dict[str, str]) -> None:
    for name, text in {**FILES, **files}.items():
        if text:
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")


def find_line(files: dict[str, str], path: str, mark: str) -> int:
    lines = {**FILES, **files}[path].splitlines()
    return next(number for number, line in enumerate(lines, 1) if mark in line)


def change(path: str, old: str, new: str) -> dict[str, str]:
    assert old in FILES[path]
    return {path: FILES[path].replace(old, new, 1)}


FAULTS = {
    "loading": (
        "load",
        "HS201",
        "dice/__init__.py",
        "1 / 0",
        change("dice/__init__.py", '"pre_llm_call", watch', "1 / 0"),
    ),
    "manifest": ("load", "HS118", "dice/plugin.yaml", "kind:", change("dice/plugin.yaml", "standalone", "standalon")),
    "hook": (
        "check",
        "HS401",
        "dice/__init__.py",
        "pre_llm_cal",
        change("dice/__init__.py", "pre_llm_call", "pre_llm_cal"),
    ),
    "handler": (
        "check",
        "HS302",
        "dice/__init__.py",
        "register_tool",
        change("dice/__init__.py", "def roll", "async def roll"),
    ),
    "provider": ("check", "HS501", "dice/__init__.py", "def initialize", {"dice/__init__.py": PROVIDER}),
    "tests": ("tests", "", "tests/test_dice.py", "assert", change("tests/test_dice.py", "4", "5")),
    "packaging": (
        "check",
        "HS602",
        "pyproject.toml",
        "hermes_agent.plugin",
        change("pyproject.toml", "hermes_agent.plugins", "hermes_agent.plugin"),
    ),
    "minimum version": (
        "minimum version",
        "HS401",
        "dice/__init__.py",
        "pre_command",
        change("dice/__init__.py", "pre_llm_call", "pre_command"),
    ),
    "types": (
        "types",
        "",
        "dice/__init__.py",
        "x: int",
        {
            **change("dice/__init__.py", "import json", "import json\n\nx: int = ''"),
            "mypy.ini": "[mypy]\nfiles = dice\n",
        },
    ),
    "security": ("check", "HS705", "dice/__init__.py", "eval", change("dice/__init__.py", "4}", "eval(args['x'])}")),
}


QUICK = ("handler", "tests")


@pytest.mark.parametrize(
    "fault", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in FAULTS]
)
def test_first_failure_is_the_seeded_fault(verify: Verify, fault: str) -> None:
    step, code, path, mark, files = FAULTS[fault]
    status, printed = verify(files, "--json")
    document = json.loads(printed)
    Draft202012Validator(SCHEMA).validate(document)
    assert len(printed.encode()) < 4096
    first = document["first"]
    assert (status, first["step"], first["code"], first["path"]) == (1, step, code, path)
    assert first["line"] == find_line(files, path, mark)
    assert all(first[name] for name in ("message", "fix", "command"))


def test_plugin_without_a_failure_is_ready(verify: Verify) -> None:
    status, printed = verify()
    assert status == 0
    assert printed.splitlines()[0] == "✓ Ready to ship."
    assert re.search(r"(?m)^✓ tests: \d+ passed on ", printed)
    assert "✓ minimum version: 0.19.0" in printed
    assert "- types: no type checker is configured" in printed


def test_text_has_the_first_failure_then_the_others(verify: Verify) -> None:
    status, printed = verify(change("dice/__init__.py", "args, **kwargs", "args"))
    lines = printed.splitlines()
    assert status == 1
    assert lines[0] == "✗ Not ready: 4 failures."
    assert lines[2] == f"dice/__init__.py:{find_line({}, 'dice/__init__.py', 'def roll')}:1: HS301"
    assert "  fix   Write the handler as `def handler(args, **kwargs)`. (`hermes-sdk check --fix` does it)" in lines
    assert "  show  hermes-sdk check --target '>=0.19.0' --select HS301" in lines
    assert any(line.startswith("  tests/test_dice.py:2:1: minimum version: ") for line in lines)
    assert any(line.startswith("  dice/__init__.py:1:1: HS806: ") for line in lines)
    assert any(re.fullmatch(r"✓ check: \d+ rules; warnings: 1", line) for line in lines)
    assert max(map(len, lines[:-1])) <= 100
    log = Path(lines[-1].removeprefix("log: "))
    assert "got an unexpected keyword argument 'task_id'" in log.read_text(encoding="utf-8")


def test_manifest_error_is_not_reported_as_a_failed_load_if_the_plugin_loads(verify: Verify) -> None:
    failing = TEST.replace("4}", "5}")
    manifest = MANIFEST.replace("description: Rolls dice.", "description: [Rolls, dice]")
    status, printed = verify({"dice/plugin.yaml": manifest, "tests/test_dice.py": failing})
    lines = printed.splitlines()
    assert (status, lines[2]) == (1, "dice/plugin.yaml:3:1: HS119")
    assert "✓ load: Hermes 0.19.0 to 0.22.2" in lines
    assert any(re.fullmatch(r"✗ check: \d+ rules; errors: 1; warnings: \d", line) for line in lines)
    assert any(re.fullmatch(r"✗ tests: 1 failed, \d+ passed on 0.22.2", line) for line in lines)


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("HS108", {"dice/plugin.yaml": f"{MANIFEST}author: Another\n"}),
        ("HS203", change("dice/__init__.py", "register(ctx):", "register(ctx)")),
    ],
)
def test_rules_that_need_a_loaded_plugin_are_not_failures_when_it_does_not_load(
    verify: Verify, code: str, files: dict[str, str]
) -> None:
    strict = f"{PROJECT}\n[tool.hermes-sdk.check]\nstrict = true\n"
    status, printed = verify({**files, "pyproject.toml": strict}, "--json")
    document = json.loads(printed)
    assert (status, document["first"]["code"], document["first"]["step"]) == (1, code, "load")
    assert not [one for one in document["others"] if "did not run" in one["message"]]


def test_rules_that_did_not_run_for_one_reason_are_one_failure(verify: Verify) -> None:
    project = PROJECT.replace("hatchling.build", "missing_backend").replace("hatchling", "missing-backend")
    strict = f"{project}\n[tool.hermes-sdk.check]\nstrict = true\n"
    manifest = f"{MANIFEST}provides_hooks: [pre_llm_call]\n"
    files = {"pyproject.toml": strict, "dice/plugin.yaml": manifest}
    status, printed = verify(files, "--json")
    document = json.loads(printed)
    first = document["first"]
    assert (status, first["step"], document["others"]) == (1, "check", [])
    codes = re.findall(r"HS6\d\d", first["message"])
    assert len(codes) > 1
    assert first["command"].count("--select") == len(codes)
    assert "did not run: the build backend missing_backend is not installed" in first["message"]
    assert first["fix"] == "Install the development requirements of the project."
    _, text = verify(files)
    assert text.splitlines()[2] == "check"
    assert re.search(rf"(?m)^✗ check: \d+ rules; warnings: 0; not run: {', '.join(codes)}$", text)


def test_finding_in_both_releases_is_reported_once(verify: Verify) -> None:
    _, printed = verify(change("dice/__init__.py", 'json.dumps({"rolled": 4})', '{"rolled": 4}'), "--json")
    document = json.loads(printed)
    found = [one for one in [document["first"], *document["others"]] if one["code"] == "HS313"]
    assert [one["step"] for one in found] == ["check"]
    details = {step["name"]: step["detail"] for step in document["steps"]}
    assert re.fullmatch(r"\d+ rules; errors: 1; warnings: \d+", details["check"])


def test_ci_prints_the_output_of_failed_tests(verify: Verify, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    _, printed = verify({"tests/test_dice.py": "def test_it():\n    print('a trace')\n    assert 0\n"})
    assert "Captured stdout call" in printed
    assert "a trace" in printed


def test_json_stays_small_with_many_failures(verify: Verify) -> None:
    tests = "".join(f"def test_{number}():\n    assert {'x' * 300!r} == ''\n" for number in range(100))
    status, printed = verify({"tests/test_dice.py": tests}, "--json")
    document = json.loads(printed)
    Draft202012Validator(SCHEMA).validate(document)
    assert status == 1
    assert len(printed.encode()) < 4096
    assert 1 + len(document["others"]) + document["omitted"] == 100


def test_test_that_fails_in_the_plugin_names_its_line(verify: Verify) -> None:
    test = "def test_roll(hermes):\n    from dice import roll\n    roll()\n"
    status, printed = verify({"tests/test_dice.py": test}, "--json")
    first = json.loads(printed)["first"]
    assert (status, first["path"], first["line"]) == (1, "tests/test_dice.py", 3)


def test_suite_of_the_project_replaces_ours(verify: Verify) -> None:
    suite = (
        "from hermes_sdk.testing import PluginContract\n\n\n"
        "class TestDice(PluginContract):\n    exclude = {'HS801': 'a reason'}\n"
    )
    status, printed = verify({"tests/test_dice.py": suite}, "--json")
    document = json.loads(printed)
    assert status == 1
    assert (document["first"]["step"], document["first"]["code"]) == ("contract suite", "HS801")
    assert document["first"]["command"] == "pytest tests/test_dice.py::TestDice::test_it_loads"
    assert not document["others"]


def test_test_that_reaches_unsupported_import_is_a_failure(verify: Verify, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")  # In CI, tests do not run again in a real Hermes.
    files = change("dice/__init__.py", "    return json", "    import run_agent\n    return json")
    status, printed = verify(files, "--json")
    document = json.loads(printed)
    found = [one for one in [document["first"], *document["others"]] if "run_agent" in one["message"]]
    assert status == 1
    assert "the embedded host does not model" in found[0]["message"]


def test_missing_tests_of_the_project_are_reported(verify: Verify) -> None:
    status, printed = verify({"tests/test_dice.py": "", "pyproject.toml": PROJECT.partition("[tool.pytest")[0]})
    assert status == 0
    assert "- tests: the project has no tests" in printed


def find_notes(printed: str) -> list[str]:
    return [note.removeprefix("note: ") for note in printed.splitlines() if note.startswith("note: ")]


def test_placeholders_of_the_template_are_reported_as_a_note(verify: Verify) -> None:
    settings = {".hermes-sdk.toml": 'template = "plugin"\nversion = "0.1.0"\n[answers]\n'}
    url = f"{PROJECT}\n[project.urls]\nRepository = 'https://github.com/your-name/dice'\n"
    status, printed = verify({**settings, **change("dice/plugin.yaml", "Someone", "Your Name"), "pyproject.toml": url})
    place = url.splitlines().index("Repository = 'https://github.com/your-name/dice'") + 1
    assert status == 0
    assert find_notes(printed) == [
        f"still as in the template: author (dice/plugin.yaml:4), URL (pyproject.toml:{place})"
    ]
    _, printed = verify({**settings, **change("dice/plugin.yaml", "Rolls dice.", "Extends Hermes Agent")})
    assert find_notes(printed) == ["still as in the template: description (dice/plugin.yaml:3)"]
    assert not find_notes(verify(settings)[1])


def test_uncommitted_work_is_reported_as_a_note(verify: Verify, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    files = {".gitignore": "__pycache__\n/c\n.pytest_cache\n"}
    status, printed = verify(files)
    assert (status, find_notes(printed)) == (0, ["nothing is committed to the Git repository yet"])
    git("add", ".")
    git("commit", "--quiet", "--message", "Start")
    assert not find_notes(verify(files)[1])
    files |= change("dice/plugin.yaml", "Someone", "Another")
    assert find_notes(verify(files)[1]) == ["1 file with uncommitted changes, such as dice/plugin.yaml"]
    _, printed = verify({**files, **change("dice/__init__.py", "args, **kwargs", "args")})
    assert not find_notes(printed)


def test_missing_plugin_is_a_usage_error(verify: Verify) -> None:
    status, printed = verify({}, "nowhere", "--json")
    Draft202012Validator(SCHEMA).validate(json.loads(printed))
    assert status == 2


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGINT, signal.SIGKILL))]
)
def test_verify_ends_its_tests_when_it_is_terminated(tmp_path: Path, number: signal.Signals) -> None:
    project, temporary, mark = tmp_path / "project", tmp_path / "tmp", tmp_path / "pid"
    for folder in (project, temporary):
        folder.mkdir()
    test = f"import os, pathlib, time\ndef test_it():\n    pathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\n"
    write(project, {"tests/test_dice.py": f"{test}    time.sleep(60)\n"})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", "from hermes_sdk.cli.main import run; run()", "verify"]
    with subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE) as process:
        wait_until(lambda: mark.is_file() and mark.read_text() != "")
        process.send_signal(number)
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    wait_until(lambda: not Path("/proc", mark.read_text()).exists())
    if number != signal.SIGKILL:
        assert not list(temporary.iterdir())


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
