"""Repeated loading of a plugin."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from conftest import RealPython
from form_projects import write_project
from watchfiles import Change

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import LoadedPlugin
from hermes_sdk.inspector.actions import Attempt
from hermes_sdk.inspector.server import Sources
from hermes_sdk.inspector.workbench import Problem, Workbench


def total(plugin: LoadedPlugin | None) -> str:
    assert plugin is not None
    text: str = plugin.call_tool("total", {"numbers": [1, 2]})["value"]["text"]
    return text


def test_last_working_version_is_kept_while_the_current_one_fails(plugin: Path) -> None:
    source = plugin / "__init__.py"
    good = source.read_text()
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        assert (bench.problem, total(bench.plugin)) == (None, '{"total": 3}')
        source.write_text("\nimport nonsense\n" + good)
        bench.load()
        assert bench.problem is not None
        assert (bench.problem.message, bench.problem.where) == ("No module named 'nonsense'", "__init__.py:2")
        assert bench.problem.code == "import nonsense"
        assert "nonsense" in bench.problem.fix
        assert total(bench.plugin) == '{"total": 3}'
        source.write_text(good.replace('"total": sum', '"sum": sum'))
        bench.load()
        assert (bench.problem, total(bench.plugin), bench.version) == (None, '{"sum": 3}', 3)


def test_second_load_repeats_the_conversation(plugin: Path) -> None:
    source = plugin / "__init__.py"
    script = "main: [{tool_calls: [{name: total, args: {numbers: [2, 3]}}]}, {text: done}]"
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        bench.say(Attempt("chat", "add", script=script))
        source.write_text(source.read_text().replace('"total": sum', '"sum": sum'))
        bench.load()
        [said] = bench.conversations["chat"]
    assert not isinstance(said.outcome, HermesSdkError)
    assert said.outcome["value"]["tool_calls"][0]["result"] == '{"sum": 5}'


def test_plugin_that_hangs_at_import_is_stopped_and_reported(plugin: Path) -> None:
    (plugin / "__init__.py").write_text("while True: pass\n")
    with contextlib.closing(Workbench(plugin, time_limit=0.5)) as bench:
        bench.load()
        fix = "Look for a loop, a wait or a network call that runs at import or in register()."
        assert bench.problem == Problem(
            "plugin 'sums' did not load within 0.5 s.", "__init__.py:1", "while True: pass", fix
        )
        assert bench.plugin is None


def test_files_are_named_relative_to_the_path(plugin: Path) -> None:
    project = plugin.parent
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '1'\n")
    source = plugin / "__init__.py"
    good = source.read_text()
    with contextlib.closing(Workbench(project)) as bench:
        bench.load()
        assert bench.plugin is not None
        assert {one["file"] for one in bench.plugin.inspection["registrations"]} == {"sums/__init__.py"}
        [hidden] = bench.plugin.fire("pre_llm_call", {"user_message": 1})["swallowed"]
        assert 'File "sums/__init__.py", line 16, in remind' in hidden["traceback"]
        source.write_text("\nimport nonsense\n" + good)
        bench.load()
        assert bench.problem is not None
        assert bench.problem.where == "sums/__init__.py:2"


def test_code_at_an_invalid_location_is_not_shown(plugin: Path) -> None:
    (plugin.parent / "secret").write_text("mine\n")
    with contextlib.closing(Workbench(plugin)) as bench:
        for where in ("../secret:1", f"{plugin.parent}/secret:1", "__init__.py:9999", "__init__.py", "nowhere.py:1"):
            assert bench._read_line(where) == ""


def test_invalid_manifest_is_a_problem(plugin: Path) -> None:
    with contextlib.closing(Workbench(plugin)) as bench:
        bench.load()
        (plugin / "plugin.yaml").write_text("name: [\n")
        bench.load()
        assert bench.problem is not None
        assert "plugin.yaml" in bench.problem.message
        assert total(bench.plugin) == '{"total": 3}'


def test_only_edited_files_trigger_a_reload(tmp_path: Path) -> None:
    passes = Sources(tmp_path)
    for name in ("__init__.py", "plugin.yaml", "pkg/tools.py", "data/words.txt", "cache/__init__.py", "state.py"):
        assert passes(Change.modified, str(tmp_path / name)), name
    for name in (
        "plugin.log",
        "notes.db-journal",
        "__pycache__/x.pyc",
        ".git/index",
        ".venv/lib/a.py",
        "cache/x.json",
        "logs/today.txt",
        "state/x.json",
        ".pytest_cache/v",
        "__init__.py~",
    ):
        assert not passes(Change.modified, str(tmp_path / name)), name


REFUSED = """\
def total(args, **more):
    import run_agent

    return f'"{run_agent.__name__}"'


def register(ctx):
    ctx.register_tool("total", "sums", {"name": "total", "parameters": {}}, total)
    ctx.register_command("echo", lambda line: f"echo {line}", "Echo.")
"""


@pytest.mark.real_host
def test_auto_uses_real_hermes_until_the_next_load(plugin: Path, real_python: RealPython) -> None:
    real_python("0.19.0")
    (plugin / "__init__.py").write_text(REFUSED)
    with contextlib.closing(Workbench(plugin, host="auto", release="0.19.0")) as bench:
        bench.load()
        assert (bench.host, bench.note) == ("embedded", "")
        bench.say(Attempt("chat", "/echo 1"))
        assert bench.act(Attempt("call", "total", {}))["value"] == {"status": "ok", "text": '"run_agent"'}
        assert bench.host == "real"
        note = "Ran in the real Hermes 0.19.0, because the embedded host does not model run_agent (__init__.py:2)."
        assert bench.note == note
        assert [said.attempt.name for said in bench.conversations["chat"]] == ["/echo 1"]
        bench.load()
        assert (bench.host, bench.note) == ("embedded", "")


def test_auto_uses_the_embedded_host_without_a_real_one(
    plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    (plugin / "__init__.py").write_text(REFUSED)
    with contextlib.closing(Workbench(plugin, host="auto", release="0.19.0")) as bench:
        bench.load()
        assert bench.act(Attempt("call", "total", {}))["value"]["status"] == "error"
        assert bench.host == "embedded"
        assert bench.note.endswith("run `hermes-sdk hosts install 0.19.0`.")


def test_package_is_loaded_as_a_package(tmp_path: Path) -> None:
    project = write_project("imports_itself", tmp_path)
    with contextlib.closing(Workbench(project, form="package", plugin="tides")) as bench:
        bench.load()
        assert bench.problem is None
        assert bench.plugin
        assert bench.plugin.inspection["report"]["plugin"]["source"] == "entrypoint"
