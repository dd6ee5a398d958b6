"""`add`: additions work immediately, and additions that would break the plugin are rejected."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from scaffold.add.open_plugin import MANIFEST, SINGLE, open_plugin, plugin, snapshot

from hermes_sdk import contract
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.cli.add import command
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.manifest import load_yaml
from hermes_sdk.scaffold.add.engine import add
from hermes_sdk.scaffold.add.kinds import KINDS
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates

NAMES = {
    "tool": "fetch_page",
    "hook": "pre_tool_call",
    "command": "team-status",
    "cli-command": "team-sync",
    "skill": "summarise",
    "middleware": "tool_request",
    "aux-task": "note_titles",
    "setting": "greeting",
    "env": "ACME_API_KEY",
}
NEEDS = MANIFEST + 'requires_hermes: ">=0.18.0"\n'


def run_tests(project: Path) -> str:
    """Run the project's own tests, and return the last line of pytest's output."""
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()[-1]


def test_each_kind_of_addition_is_tested() -> None:
    assert list(NAMES) == list(KINDS)


def test_all_kinds_are_added_to_hand_written_plugin(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", manifest=NEEDS)
    for kind, name in NAMES.items():
        add(kind, name, path).changes.write()
    for hook in contract.load("0.18.0").hooks:
        add("hook", hook, path).changes.write()
    for kind in contract.load("0.18.0").middleware_kinds:
        add("middleware", kind, path).changes.write()

    assert run_tests(path).startswith("37 passed")
    assert not [finding for finding in check(path, Options()).findings if finding.severity != "info"]
    assert load_yaml((path / "plugin.yaml").read_text())["provides_tools"] == ["fetch_page"]


@pytest.mark.slow
def test_all_kinds_are_added_to_generated_project(tmp_path: Path) -> None:
    project = new("plugin", tmp_path, name="Team Notes")
    for kind, name in NAMES.items():
        add(kind, name, project).changes.write()

    run_tests(project)
    assert check(project, Options(strict=True)).passes()
    for tool in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy", "--cache-dir", os.devnull]):
        done = subprocess.run([sys.executable, "-m", *tool], cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_existing_addition_is_reported_and_not_changed(tmp_path: Path, kind: str) -> None:
    path = plugin(tmp_path / "notes", manifest=NEEDS)
    add(kind, NAMES[kind], path).changes.write()
    before = snapshot(tmp_path)

    again = add(kind, NAMES[kind], path)
    again.changes.write()

    assert again.existing.startswith("__init__.py:")
    assert not again.changes
    assert snapshot(tmp_path) == before


def test_additions_of_one_kind_keep_their_order(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    for name in ("one", "two"):
        add("tool", name, path).changes.write()

    text = (path / "__init__.py").read_text()
    assert text.index('name="one",\n        toolset') < text.index('name="two",\n        toolset')
    assert text.count("import json\n") == text.count("import ToolSchema\n") == 1
    assert load_yaml((path / "plugin.yaml").read_text())["provides_tools"] == ["one", "two"]


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("tool", "read_file", "has a built-in tool 'read_file', in the toolset 'file'"),
        ("tool", "Fetch-Page", "is not a valid name for a tool"),
        ("tool", "fetch page", "is not a valid name for a tool"),
        ("tool", "../x", "is not a valid name for a tool"),
        ("tool", "x" * 65, "is not a valid name for a tool"),
        ("tool", "", "is not a valid name for a tool"),
        ("hook", "pre_tool_cal", "has no hook 'pre_tool_cal'; did you mean 'pre_tool_call'?"),
        ("command", "help", "Hermes 0.22.2 has a built-in command"),
        ("command", "team_status", "is not a valid name for a slash command"),
        ("command", "models", "desktop application handles"),
        ("command", "a" * 33, "is not a valid name"),
        ("cli-command", "chat", "Hermes 0.22.2 has a built-in command"),
        ("skill", "../../x", "is not a valid name for a skill"),
        ("middleware", "tool", "has no middleware 'tool'"),
        ("aux-task", "compression", "has a built-in auxiliary task"),
        ("aux-task", "note-titles", "is not a valid name for an auxiliary task"),
        ("setting", "Greeting", "is not a valid name for a setting"),
        ("setting", "plugins", "is not a valid name for a setting"),
        ("env", "acme_key", "is not a valid name for an environment variable"),
        ("env", "HERMES_HOME", "is reserved for Hermes 0.22.2"),
    ],
)
def test_invalid_or_reserved_name_is_rejected(tmp_path: Path, kind: str, name: str, message: str) -> None:
    path = plugin(tmp_path / "notes")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError) as refused:
        add(kind, name, path)
    assert message in refused.value.message
    assert 0 < len(refused.value.fix) < 150
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("kind", "name", "since"),
    [
        ("hook", "pre_verify", "0.18.0"),
        ("middleware", "tool_request", "0.17.0"),
        ("aux-task", "note_titles", "0.15.0"),
    ],
)
def test_addition_that_minimum_version_lacks_is_rejected(tmp_path: Path, kind: str, name: str, since: str) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + 'requires_hermes: ">=0.14"\n')
    with pytest.raises(UsageError, match=f"{since} added it") as refused:
        add(kind, name, path)
    assert refused.value.fix == f"Set requires_hermes in the manifest to '>={since}'."


def test_target_of_the_project_limits_additions(tmp_path: Path) -> None:
    project = new("plugin", tmp_path, name="Team Notes")
    for file, floor in (("pyproject.toml", ">=0.16.0"), ("team_notes/plugin.yaml", ">=0.17.0")):
        (project / file).write_text((project / file).read_text().replace(">=0.19.0", floor))
    with pytest.raises(UsageError, match=r"Hermes 0\.16\.0, which the plugin supports, has no middleware") as refused:
        add("middleware", "tool_request", project)
    assert refused.value.fix == (
        "Set requires_hermes in the manifest and target of [tool.hermes-sdk.check] in pyproject.toml to '>=0.17.0'."
    )


def test_tool_that_newer_release_contains_is_rejected(tmp_path: Path) -> None:
    newer = set(contract.load("0.22.2").tools) - set(contract.load("0.19.0").tools)
    path = plugin(tmp_path / "notes", manifest=MANIFEST + 'requires_hermes: ">=0.13"\n')
    with pytest.raises(UsageError, match=r"Hermes 0\.22\.2 has a built-in tool"):
        add("tool", min(newer), path)


def test_function_with_the_same_name_is_kept(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", f"def fetch_page():\n    return 1\n\n\n{SINGLE}")
    add("tool", "fetch_page", path).changes.write()

    assert "def fetch_page_tool(args" in (path / "__init__.py").read_text()
    with open_plugin(path) as host:
        assert host.call_tool("fetch_page", text="tea").json == {"result": "tea"}


def test_names_of_builtins_and_keywords_are_not_shadowed(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    for name in ("print", "lambda", "json"):
        add("tool", name, path).changes.write()
    with open_plugin(path) as host:
        assert host.tools == ["json", "lambda", "print"]
        assert all(host.call_tool(name, text="tea").json == {"result": "tea"} for name in host.tools)


def test_addition_is_rejected_when_no_name_is_free(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", f"fetch_page = FETCH_PAGE_TOOL = 1\n{SINGLE}")
    with pytest.raises(UsageError, match="the name `fetch_page` is already used"):
        add("tool", "fetch_page", path)


@pytest.mark.parametrize(
    "table", ["{'fetch_page': print}", "[('fetch_page', print)]", "[{'name': 'fetch_page'}]", "dict(name='fetch_page')"]
)
def test_tool_that_may_be_registered_in_a_loop_is_rejected(tmp_path: Path, table: str) -> None:
    path = plugin(tmp_path / "notes", f"TOOLS = {table}\n\n\ndef register(ctx):\n    ctx.tools = TOOLS\n")
    with pytest.raises(UsageError, match="perhaps as a tool registered in a loop") as refused:
        add("tool", "fetch_page", path)
    assert refused.value.where == "__init__.py:1"


def test_tool_that_only_a_hook_mentions_is_added(tmp_path: Path) -> None:
    source = "def look(tool_name, **kw):\n    return tool_name == 'fetch_page'\n\n\ndef register(ctx):\n    pass\n"
    path = plugin(tmp_path / "notes", source)
    assert add("tool", "fetch_page", path).changes


def test_existing_test_with_the_same_name_is_rejected(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    (path / "tests").mkdir()
    (path / "tests/test_tools.py").write_text("def test_fetch_page_answers():\n    pass\n")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match="`test_fetch_page_answers` already exists"):
        add("tool", "fetch_page", path)
    assert snapshot(tmp_path) == before


def test_existing_skill_file_is_registered(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    file = path / "skills/summarise/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: summarise\ndescription: Mine.\n---\n\nMine.\n")

    add("skill", "summarise", path).changes.write()

    assert file.read_text().endswith("\nMine.\n")
    with open_plugin(path) as host:
        assert host.skills == ["notes:summarise"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_order_and_line_ends_of_the_manifest_are_kept(tmp_path: Path, end: str) -> None:
    manifest = "# Ours\nprovides_tools:   # all of them\n  - one  # the first\nname: notes\nhooks: [x]\n".replace(
        "\n", end
    )
    path = plugin(tmp_path / "notes", manifest=manifest)
    add("tool", "two", path).changes.write()
    wanted = manifest.replace("# the first" + end, f"# the first{end}  - two{end}")
    assert (path / "plugin.yaml").read_bytes().decode() == wanted


def test_only_lists_that_the_manifest_contains_are_extended(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", manifest=f"{MANIFEST}provides_commands: [notes]\n")
    add("command", "team-status", path).changes.write()
    add("cli-command", "team-sync", path).changes.write()
    fields = load_yaml((path / "plugin.yaml").read_text())
    assert fields["provides_commands"] == ["notes", "team-status"]
    assert "provides_cli_commands" not in fields


@pytest.mark.parametrize(
    ("manifest", "message"),
    [("a: [\n", "cannot be read"), (f"{MANIFEST}provides_tools: one\n", "provides_tools is not a list")],
)
def test_manifest_that_cannot_be_extended_is_rejected(tmp_path: Path, manifest: str, message: str) -> None:
    path = plugin(tmp_path / "notes", manifest=manifest)
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=message):
        add("tool", "fetch_page", path)
    assert snapshot(tmp_path) == before


def test_new_tool_uses_the_toolset_of_other_tools(tmp_path: Path) -> None:
    source = "SET = 'ours'\n\n\ndef register(ctx):\n    ctx.register_tool('one', SET, {'description': 'x'}, print)\n"
    path = plugin(tmp_path / "notes", source)
    add("tool", "two", path).changes.write()
    text = (path / "__init__.py").read_text()
    assert "        toolset=SET,\n" in text
    assert "name='two'" in text, "the file writes single quotes"


def test_all_files_or_none_are_written(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    added = add("skill", "summarise", path)
    # The last write fails, because a file has the name of its directory.
    (path / "tests").write_text("")
    before = snapshot(tmp_path)
    with pytest.raises(UnavailableError, match="cannot write"):
        added.changes.write()
    assert snapshot(tmp_path) == before
    assert not (path / "skills").exists()


def test_diff_can_be_applied_by_git(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", "def register(ctx):\n    pass")
    done = CliRunner().invoke(command, ["tool", "fetch_page", str(path), "--diff"])
    assert done.exit_code == 0
    assert sorted(snapshot(path)) == ["__init__.py", "plugin.yaml"]

    subprocess.run(["git", "apply", "-"], cwd=path, input=done.output, text=True, check=True)
    applied = snapshot(path)
    plugin(path, "def register(ctx):\n    pass")
    (path / "tests/test_tools.py").unlink()
    add("tool", "fetch_page", path).changes.write()
    assert snapshot(path) == applied


def test_json_output_lists_changes(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    done = CliRunner().invoke(command, ["tool", "fetch_page", str(path), "--json"])
    result = json.loads(done.output)
    diff = result.pop("diff")
    assert "+++ b/tests/test_tools.py" in diff
    assert result == {
        "schema": "hermes-sdk.add/1",
        "kind": "tool",
        "name": "fetch_page",
        "existing": None,
        "created": ["tests/test_tools.py"],
        "changed": ["__init__.py", "plugin.yaml"],
        "written": True,
    }
    again = json.loads(CliRunner().invoke(command, ["tool", "fetch_page", str(path), "--json"]).output)
    assert again["existing"].startswith("__init__.py:")
    assert not again["written"]


def test_text_output_lists_changes_and_next_steps(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    first = CliRunner().invoke(command, ["tool", "fetch_page", str(path)]).output
    assert first.splitlines()[:4] == [
        "Added tool 'fetch_page':",
        "  new      tests/test_tools.py",
        "  changed  __init__.py",
        "  changed  plugin.yaml",
    ]
    again = CliRunner().invoke(command, ["tool", "fetch_page", str(path)]).output
    assert "already has the tool 'fetch_page'" in again


@pytest.mark.parametrize("template", ["plugin", "platform", "context-engine", "image-gen-provider"])
def test_tool_is_added_to_projects_of_other_templates(tmp_path: Path, template: str) -> None:
    if template not in templates():
        pytest.skip(f"no template {template}")
    project = new(template, tmp_path, name="Team Notes")
    add("tool", "fetch_page", project).changes.write()
    with open_plugin(project) as host:
        assert host.call_tool("fetch_page", text="tea").json == {"result": "tea"}


def test_tests_of_workspace_plugin_are_added_to_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    for name in ("dice", "clock"):
        plugin(tmp_path / "plugins" / name, manifest=MANIFEST.replace("notes", name))

    created = add("tool", "roll_one", tmp_path / "plugins/dice").changes
    created.write()

    assert created.created == ("tests/test_dice_tools.py",)
    assert created.changed == ("plugins/dice/__init__.py", "plugins/dice/plugin.yaml")
    run_tests(tmp_path)
    with pytest.raises(UsageError, match="more than one plugin"):
        add("tool", "roll_two", tmp_path)


def test_imports_are_sorted(tmp_path: Path) -> None:
    path = plugin(
        tmp_path / "notes",
        '"""Notes."""\n\nimport os\nimport re\nfrom typing import TYPE_CHECKING\n\nimport yaml\n\nif TYPE_CHECKING:\n'
        "    from hermes_sdk.api import (\n        PluginContext,\n        PreLlmCallArguments,\n    )\n\n\n"
        'def register(ctx: "PluginContext") -> None:\n    os.stat(re.escape(yaml.__file__))\n',
    )
    add("tool", "fetch_page", path).changes.write()
    for hook in ("kanban_task_completed", "pre_gateway_dispatch"):
        add("hook", hook, path).changes.write()

    text = (path / "__init__.py").read_text()
    assert text.startswith(
        '"""Notes."""\n\nimport json\nimport os\nimport re\nfrom typing import TYPE_CHECKING, Any, Unpack\n\n'
        "import yaml\n\nif TYPE_CHECKING:\n    from hermes_sdk.api import (\n        KanbanTaskCompletedArguments,\n"
        "        PluginContext,\n        PreGatewayDispatchArguments,\n        PreGatewayDispatchResult,\n"
        "        PreLlmCallArguments,\n        ToolSchema,\n    )\n\n\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select=I,E", "--line-length=120", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
