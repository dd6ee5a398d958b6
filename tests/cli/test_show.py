"""`hermes-sdk show`: text and JSON output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from form_projects import write_project

from hermes_sdk.cli.main import run

BODY = """
def register(ctx):
    for number in range(12):
        ctx.register_command(f"command-number-{number:02}", lambda line: line)
    ctx.register_hook("misspelt", lambda **more: None)
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    (tmp_path / "plugin.yaml").write_text("name: notes\nversion: 1.2.0\nkind: standalone\n")
    (tmp_path / "__init__.py").write_text(BODY)
    return tmp_path


def run_show(argv: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        run(["show", *argv])
    out, err = capsys.readouterr()
    assert err == ""
    assert isinstance(stop.value.code, int)
    return stop.value.code, out


def test_text_output_is_a_short_table(plugin: Path, capsys, monkeypatch) -> None:
    code, out = run_show([str(plugin)], capsys, monkeypatch)
    lines = [line.rstrip() for line in out.splitlines()]
    assert code == 0
    assert max(map(len, lines)) <= 80
    assert lines[:5] == [
        "notes 1.2.0  loaded  on embedded 0.22.2 (proven on a fork)",
        "key       notes",
        "kind      standalone",
        "source    user",
        "hooks     misspelt",
    ]
    assert lines[5].startswith("commands  command-number-00, command-number-01, ")
    assert lines[6].startswith("          command-number-")
    assert "warning Plugin 'notes' registered unknown hook 'misspelt'" in out


TOOL = """
def register(ctx):
    ctx.register_tool("{name}", "notes", {{"description": "d"}}, lambda args, **more: "4")
"""


@pytest.mark.parametrize(
    ("release", "name", "is_deferred"),
    [("0.22.2", "note", True), ("0.20.2", "note", True), ("0.19.0", "note", False), ("0.22.2", "misspelt", False)],
)
def test_deferred_tools_are_marked(
    release: str, name: str, is_deferred: bool, plugin: Path, capsys, monkeypatch
) -> None:
    if name == "note":
        (plugin / "__init__.py").write_text(TOOL.format(name=name))
    _, out = run_show([str(plugin), "--release", release], capsys, monkeypatch)
    told = "Models reach its tools through tool_call: tool search is on by default since"
    assert (told in " ".join(out.split())) is is_deferred


def test_error_is_printed_once(plugin: Path, capsys, monkeypatch) -> None:
    (plugin / "__init__.py").write_text("import nonsense\n")
    code, out = run_show([str(plugin), "--release", "0.19.0"], capsys, monkeypatch)
    assert code == 0
    assert [line.rstrip() for line in out.splitlines()] == [
        "notes 1.2.0  failed  on embedded 0.19.0 (proven)",
        "No module named 'nonsense'",
        "key              notes",
        "kind             standalone",
        "source           user",
        "missing imports  nonsense",
        "More: hermes-sdk docs troubleshooting#plugin-not-loading",
    ]


def test_json_describes_the_plugin_in_the_current_directory(plugin: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(plugin)
    code, out = run_show(["--json"], capsys, monkeypatch)
    assert code == 0
    assert json.loads(out)["schema"] == "hermes-sdk.show/1"


def test_installed_plugin_is_selected_by_its_entry_point(tmp_path: Path, capsys, monkeypatch) -> None:
    folder = tmp_path / "there-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: there\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[hermes_agent.plugins]\nthere = there_module\n")
    (tmp_path / "there_module.py").write_text("def register(ctx): pass\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    code, out = run_show(["--entry-point", "there", "--json"], capsys, monkeypatch)
    report = json.loads(out)
    assert (code, report["status"], report["plugin"]["source"]) == (0, "loaded", "entrypoint")


def test_plugin_that_exits_is_an_error_without_a_traceback(plugin: Path, capsys) -> None:
    (plugin / "__init__.py").write_text("import sys; sys.exit(3)\n")
    with pytest.raises(SystemExit) as stop:
        run(["show", str(plugin), "--release", "0.19.0"])
    assert stop.value.code == 1
    assert capsys.readouterr().err.startswith("hermes-sdk: plugin 'notes' ended the host with exit status 3.\n  ")


@pytest.mark.real_host
def test_non_default_release_is_printed(plugin: Path, capsys, monkeypatch, real_python) -> None:
    real_python("0.19.0")
    monkeypatch.delenv("HERMES_SDK_SOURCES")
    with pytest.raises(SystemExit):
        run(["show", str(plugin), "--host", "real"])
    out, err = capsys.readouterr()
    assert "on real 0.19.0" in out
    assert err.startswith("Running the real host of 0.19.0, because 0.22.2 is neither installed nor")


def test_only_the_error_of_a_failing_form_is_shown_if_another_loads(tmp_path: Path, capsys, monkeypatch) -> None:
    project = write_project("manifest_at_root", tmp_path)
    code, out = run_show([str(project), "--release", "0.19.0"], capsys, monkeypatch)
    lines = [line.rstrip() for line in out.splitlines()]
    assert code == 0
    assert lines[0] == "dunes  loaded as a package  on embedded 0.19.0 (proven)"
    assert lines[-1] == "As a directory, it does not load: No __init__.py in $HERMES_HOME/plugins/dunes"


def test_forms_that_register_the_same_are_shown_once(tmp_path: Path, capsys, monkeypatch) -> None:
    project = write_project("deep", tmp_path)
    _, out = run_show([str(project), "--release", "0.19.0", "--plugin", "pier"], capsys, monkeypatch)
    assert out.startswith("pier 2.0.0  loaded as a directory and as a package  on embedded 0.19.0")
    assert out.count("key") == 1


def test_json_includes_all_forms_and_plugins_of_a_project(tmp_path: Path, capsys, monkeypatch) -> None:
    project = str(write_project("deep", tmp_path))
    _, out = run_show([project, "--json"], capsys, monkeypatch)
    report = json.loads(out)
    found = [(one["plugin"]["key"], one["plugin"]["source"]) for one in (report, *report["others"])]
    assert found == [("pier", "user"), ("pier", "entrypoint"), ("quay", "entrypoint")]
    _, out = run_show([project, "--json", "--form", "package", "--plugin", "pier"], capsys, monkeypatch)
    report = json.loads(out)
    assert (report["plugin"]["key"], report["plugin"]["source"], "others" in report) == ("pier", "entrypoint", False)


@pytest.mark.parametrize("command", ["show", "check"])
def test_wheel_is_built_for_a_generated_plugin(command: str, tmp_path: Path, capsys) -> None:
    project = write_project("generated", tmp_path)
    with pytest.raises(SystemExit) as ended:
        run([command, str(project)])
    told = capsys.readouterr()
    assert ended.value.code == 0
    assert told.out.startswith("reeds 1.5  loaded  on " if command == "show" else "✓ No problems found in ")
    assert told.err == "The plugin is not in the source tree; using the wheel that the project builds.\n"
    assert sorted(one.name for one in project.iterdir()) == ["backend.py", "pyproject.toml"]


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (
            "'reeds.py'",
            "'weeds.py'",
            2,
            "no module reeds in ., which the entry point reeds in hermes_agent.plugins names",
        ),
        ("'reeds.py'", "'../reeds.py'", 3, "the path leads out of the directory"),
        ("def build_wheel", "def build", 1, "the wheel cannot be built: AttributeError"),
    ],
)
def test_wheel_without_the_plugin_is_an_error(
    old: str, new: str, code: int, message: str, tmp_path: Path, capsys
) -> None:
    project = write_project("generated", tmp_path)
    backend = project / "backend.py"
    backend.write_text(backend.read_text().replace(old, new))
    with pytest.raises(SystemExit) as ended:
        run(["show", str(project)])
    assert (ended.value.code, message in capsys.readouterr().err) == (code, True)


def test_missing_build_backend_is_reported_in_one_sentence(tmp_path: Path, capsys) -> None:
    project = write_project("generated", tmp_path)
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().replace('backend-path = ["."]', "").replace('"backend"', '"no_such.api"'))
    with pytest.raises(SystemExit) as ended:
        run(["show", str(project)])
    assert ended.value.code == 3
    assert "the build backend no_such is not installed; run `pip install" in capsys.readouterr().err


MEMORY = """
from agent.memory_provider import MemoryProvider


class Memo(MemoryProvider):
    name = "notes"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        pass

    def get_tool_schemas(self):
        return []


def register(ctx):
    ctx.register_memory_provider(Memo())
"""


def test_skipped_memory_provider_links_to_its_section(plugin: Path, capsys, monkeypatch) -> None:
    (plugin / "plugin.yaml").write_text("name: notes\nversion: 1.2.0\nkind: exclusive\n")
    (plugin / "__init__.py").write_text(MEMORY)
    _, out = run_show([str(plugin)], capsys, monkeypatch)
    assert "notes 1.2.0  skipped" in out
    assert "More: hermes-sdk docs troubleshooting#memory-provider-does-nothing" in out
