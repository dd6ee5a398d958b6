"""Loads of plugins in a child process: reports and isolation."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from textwrap import dedent
from typing import Any, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.inspection import inspect_plugin, show
from hermes_sdk.hosts.interface import HostExited, HostKind, PluginFacts, Report
from hermes_sdk.hosts.processes.isolation import landlock
from hermes_sdk.manifest import EntryPoint

SCHEMA = json.loads((files("hermes_sdk.hosts.interface") / "show.schema.json").read_text(encoding="utf-8"))
NOTHING = "def register(ctx): pass\n"

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a plugin called ``notes`` and returns its directory."""

    def write(body: str = NOTHING, *, manifest: str = "name: notes\nkind: standalone\n", into: str = "source") -> Path:
        folder = tmp_path / into
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text(manifest)
        (folder / "__init__.py").write_text(dedent(body))
        return folder

    return write


def show_validated(path: Path, **options: Any) -> Report:
    """Show a plugin, and validate the report with its schema."""
    report = show(path, **options)
    Draft202012Validator(SCHEMA).validate(report)
    return report


def test_schema_is_valid_and_has_keys_of_report() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"].keys() == {*get_type_hints(Report), "installed", "rerun", "reason", "others"}
    assert set(SCHEMA["else"]["required"]) == get_type_hints(Report).keys()
    assert SCHEMA["properties"]["plugin"]["properties"].keys() == get_type_hints(PluginFacts).keys()
    for of in (SCHEMA, SCHEMA["properties"]["plugin"], SCHEMA["properties"]["providers"]):
        assert [key for key, value in of["properties"].items() if not value.get("description")] == []


def test_report_lists_registrations_despite_output_of_plugin(make: Make) -> None:
    body = """
        import os, pathlib
        print('{"schema": "forged"}')
        os.write(1, b"raw")
        def register(ctx):
            schema = {"name": "t", "description": "d", "parameters": {"type": "object", "properties": {}}}
            ctx.register_tool("t", "notes", schema, lambda args, **more: "{}")
            ctx.register_hook("post_tool_call", lambda **more: None)
            ctx.register_middleware("llm_request", lambda **more: None)
            ctx.register_command("c", lambda line: line)
            ctx.register_cli_command("x", "help", lambda parser: None, print)
            skill = pathlib.Path(__file__).with_name("SKILL.md")
            skill.write_text("# A skill")
            ctx.register_skill("s", skill)
            ctx.register_auxiliary_task("a", display_name="A", description="An a")
    """
    folder = make(body)
    before = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    report = show_validated(folder)
    assert (report["status"], report["error"], report["warnings"]) == ("loaded", None, [])
    assert (report["tools"], report["hooks"], report["middleware"]) == (["t"], ["post_tool_call"], ["llm_request"])
    assert (report["commands"], report["cli_commands"], report["skills"]) == (["c"], ["x"], ["notes:s"])
    assert report["auxiliary_tasks"] == ["a"]
    assert report["plugin"] == {
        "key": "notes",
        "name": "notes",
        "kind": "standalone",
        "source": "user",
        "version": "",
        "path": ".",
        "manifest": {"name": "notes", "kind": "standalone"},
    }
    # The load leaves no bytecode, and no files that the plugin writes to its own directory.
    assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == before


def test_child_does_not_inherit_environment(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
        import json, os, pathlib, socket
        def network():
            try:
                socket.create_connection(("192.0.2.1", 9), 1)
            except OSError as error:
                return str(error)
        def register(ctx):
            raise ValueError(json.dumps({
                "secrets": [value for value in os.environ.values() if "tell nobody" in value],
                "homes": [os.environ["HOME"], str(pathlib.Path.home()), os.environ["HERMES_HOME"], os.getcwd()],
                "file": __file__,
                "network": network(),
            }))
    """
    for name in ("OPENAI_API_KEY", "HERMES_TOKEN", "PYTHONPATH"):
        monkeypatch.setenv(name, "tell nobody")
    report = show_validated(make(body))
    seen = json.loads(report["error"] or "")
    assert seen["secrets"] == []
    assert str(Path.home()) not in seen["homes"]
    assert seen["homes"][2] == "$HERMES_HOME"
    assert seen["file"] == "$HERMES_HOME/plugins/notes/__init__.py"
    assert str(tmp_path) not in report["error"]
    assert "network is off: '192.0.2.1' is not on this machine" in seen["network"]


@pytest.mark.parametrize("asked", [".", "plugins/notes", "plugins/notes/plugin.yaml"])
def test_plugin_is_found_by_project_directory_and_manifest(asked: str, make: Make, tmp_path: Path) -> None:
    make(into="project/plugins/notes")
    report = show_validated(tmp_path / "project" / asked)
    assert report["status"] == "loaded"
    assert report["plugin"]["path"] == ("plugins/notes" if asked == "." else ".")


def test_report_of_unreadable_manifest_has_message_of_host(make: Make) -> None:
    report = show_validated(make(manifest="name: [\n"))
    assert (report["status"], report["plugin"]["kind"]) == ("failed", "")
    assert str(report["error"]).startswith("Failed to parse $HERMES_HOME/plugins/source/plugin.yaml: ")


def test_exclusive_plugin_is_skipped_and_memory_provider_is_named(make: Make) -> None:
    body = """
        class Provider:
            name = "remembers"
        def register(ctx):
            ctx.register_memory_provider(Provider())
    """
    report = show_validated(make(body, manifest="name: notes\nkind: exclusive\n"))
    assert (report["status"], report["memory_provider"]) == ("skipped", "remembers")


def test_model_provider_is_skipped_without_import(make: Make) -> None:
    report = show_validated(make("1 / 0\n", manifest="name: notes\nkind: model-provider\n"))
    assert (report["status"], report["error"]) == ("skipped", None)


def test_dependencies_of_hermes_sdk_are_visible_only_when_declared(make: Make) -> None:
    folder = make("import cookiecutter\n" + NOTHING)
    assert show_validated(folder)["missing_imports"] == ["cookiecutter"]
    (folder / "pyproject.toml").write_text('[project]\nname = "notes"\ndependencies = ["cookiecutter"]\n')
    assert show_validated(folder)["status"] == "loaded"


def test_installed_plugin_is_found_by_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed_notes.py").write_text(NOTHING)
    monkeypatch.syspath_prepend(tmp_path)
    report = show(None, installed=EntryPoint("notes", "installed_notes"))
    assert (report["status"], report["plugin"]["source"], report["plugin"]["path"]) == (
        "loaded",
        "entrypoint",
        "installed_notes",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["installed_notes.py"]


@pytest.mark.real_host
def test_installed_plugin_is_linked_for_real_host(tmp_path: Path, monkeypatch, real_python) -> None:
    real_python("0.19.0")
    package = tmp_path / "installed_notes"
    package.mkdir()
    (package / "__init__.py").write_text("import installed_helper\n" + NOTHING)
    (tmp_path / "installed_helper.py").write_text("")
    (tmp_path / "not_of_the_plugin.py").write_text("")
    folder = tmp_path / "notes-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: notes\nVersion: 1\nRequires-Dist: hermes-agent\n")
    (folder / "entry_points.txt").write_text("[hermes_agent.plugins]\nnotes = installed_notes\n")
    (folder / "top_level.txt").write_text("installed_notes\ninstalled_helper\n")
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("notes", "installed_notes")
    assert show(None, installed=entry, host="real") == {**show(None, installed=entry), "host": "real"}
    (package / "__init__.py").write_text("import not_of_the_plugin\n" + NOTHING)
    assert show(None, installed=entry, host="real")["missing_imports"] == ["not_of_the_plugin"]


def test_missing_module_of_installed_plugin_is_usage_error() -> None:
    with pytest.raises(UsageError, match="entry point's module no_such_plugin is not installed"):
        show(None, installed=EntryPoint("notes", "no_such_plugin"), host="real")


@pytest.mark.parametrize("base", [".", "src"])
def test_project_with_only_entry_point_is_loaded(base: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[project.entry-points."hermes_agent.plugins"]\nnotes = "only_module"\n'
    )
    (tmp_path / base).mkdir(exist_ok=True)
    (tmp_path / base / "only_module.py").write_text(NOTHING)
    report = show_validated(tmp_path)
    assert (report["status"], report["plugin"]["key"], report["plugin"]["path"]) == ("loaded", "notes", "only_module")
    assert list(tmp_path.rglob("__pycache__")) == []


def test_error_names_plugin_that_calls_sys_exit(make: Make) -> None:
    with pytest.raises(HostExited, match=r"plugin 'notes' ended the host with exit status 3"):
        show(make("import sys; sys.exit(3)\n"), release="0.19.0")


@pytest.mark.parametrize(
    ("ends", "how"),
    [
        ("os._exit(4)", "plugin 'notes' ended the host with exit status 4."),
        ("os.kill(os.getpid(), 9)", "plugin 'notes' ended the host with signal 9."),
    ],
)
def test_error_of_killed_child_contains_output(ends: str, how: str, make: Make) -> None:
    with pytest.raises(HermesSdkError) as caught:
        show(make(f"import os, sys; print('last words', file=sys.stderr, flush=True); {ends}\n"))
    assert caught.value.message == f"{how} It had printed:\nlast words"


def test_plugin_is_stopped_after_timeout(make: Make) -> None:
    with pytest.raises(HermesSdkError, match=r"did not load within 0\.5 s") as caught:
        show(make("while True: pass\n"), time_limit=0.5)
    assert caught.value.exit_code == 1


def test_path_without_plugin_is_rejected(tmp_path: Path) -> None:
    for call in (
        lambda: show(tmp_path),
        lambda: show(None),
        lambda: show(tmp_path, release="9"),
        lambda: show(None, installed=EntryPoint("x", "x"), host="real"),
    ):
        with pytest.raises(UsageError):
            call()


def test_inspection_contains_each_registration(make: Make) -> None:
    answer = inspect_plugin(make("def register(ctx):\n    ctx.register_hook('post_tool_call', print)\n"))
    assert answer["report"]["hooks"] == ["post_tool_call"]
    assert [(one["call"], one["file"], one["line"]) for one in answer["registrations"]] == [
        ("register_hook", "__init__.py", 2)
    ]


ESCAPES = """
    import json, subprocess, sys, sysconfig
    CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)"
    def install():
        try:
            open(sysconfig.get_path("purelib") + "/of_a_plugin.py", "w").close()
        except OSError as error:
            return error.strerror
    def register(ctx):
        connect = subprocess.run([sys.executable, "-c", CONNECT, "{port}"], capture_output=True, text=True)
        raise ValueError(json.dumps([install(), connect.stderr.strip().rpartition(" ")[2]]))
"""


@pytest.mark.real_host
@pytest.mark.skipif(landlock.landlock_version() < 1, reason="the kernel has no Landlock")
@pytest.mark.parametrize("host", ["embedded", "real"])
def test_plugin_has_no_network_and_installs_no_packages(host: HostKind, make: Make, real_python) -> None:
    if host == "real":
        real_python("0.19.0")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        report = show(make(ESCAPES.replace("{port}", str(port))), host=host, release="0.19.0")
    installed, reached = json.loads(report["error"] or "")
    assert installed in ("Read-only file system", "Permission denied")
    assert reached == "refused"


SPEAKS_OF_ITS_ENVIRONMENT = """
    import json, os
    def register(ctx): raise ValueError(json.dumps(dict(os.environ)))
"""
HOST_SPECIFIC_VARIABLES = {"HERMES_BUNDLED_PLUGINS", "HERMES_MANAGED_DIR", "PYTHONPATH"}
"""Variables that isolate the real host from the machine's plugins, or add packages to the embedded host."""


@pytest.mark.real_host
def test_children_of_both_hosts_have_same_environment(make: Make, real_python: Callable[[str], Path]) -> None:
    real_python("0.19.0")
    plugin = make(SPEAKS_OF_ITS_ENVIRONMENT)
    reports = [show(plugin, host=host, release="0.19.0") for host in ("embedded", "real")]
    embedded, real = (json.loads(report["error"] or "") for report in reports)
    assert embedded.keys() - HOST_SPECIFIC_VARIABLES == real.keys() - HOST_SPECIFIC_VARIABLES
    differing = {name for name in embedded.keys() & real.keys() if embedded[name] != real[name]}
    assert differing == {"HOME", "TMPDIR"}, "each child has directories of its own"
    assert embedded["HERMES_DISABLE_LAZY_INSTALLS"] == "1"


@pytest.mark.real_host
def test_both_hosts_show_plugin_with_empty_name(make: Make, real_python: Callable[[str], Path]) -> None:
    real_python("0.19.0")
    path = make(manifest="name: ''\n")
    embedded, real = (show_validated(path, host=kind, release="0.19.0") for kind in ("embedded", "real"))
    assert (embedded["status"], embedded["plugin"]["key"]) == (real["status"], real["plugin"]["key"]) == ("loaded", "")


IMPORTS_ITSELF = """
    from plugins.web.exa.provider import NAME
    def register(ctx): ctx.register_command(NAME, lambda text: "yes")
"""


def test_plugin_in_source_tree_of_hermes_can_import_itself_by_full_name(make: Make) -> None:
    folder = make(IMPORTS_ITSELF, manifest="name: web-exa\nkind: backend\n", into="tree/plugins/web/exa")
    (folder / "provider.py").write_text("NAME = 'mine'\ntry: import nothing_like_it\nexcept ImportError: pass\n")
    report = show(folder)
    assert report["status"] == "unsupported", "the host would give it the modules of its own plugin of that name"
    assert "plugins.web.exa.provider" in str(report["error"])
    (core := folder.parents[2] / "hermes_cli").mkdir()
    (core / "plugins.py").touch()
    report = show(folder)
    assert report["commands"] == ["mine"]
    assert report["missing_imports"] == []


def test_plugin_in_source_tree_of_hermes_sees_only_modules_of_release(make: Make) -> None:
    body = """
        try: import plugins.web.exa.extra
        except ImportError as error: NAME = error.name.rpartition(".")[2]
        def register(ctx): ctx.register_command(NAME, lambda text: "yes")
    """
    folder = make(body, manifest="name: web-exa\nkind: backend\n", into="tree/plugins/web/exa")
    (folder / "extra.py").touch()
    (core := folder.parents[2] / "hermes_cli").mkdir()
    (core / "plugins.py").touch()
    assert show(folder)["commands"] == ["extra"]
