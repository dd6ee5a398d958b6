"""`hermes-sdk new`: prompts, output and the created project."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from operate.tools import Terminal

from hermes_sdk import __version__
from hermes_sdk.cli.main import run


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def git_config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a Git configuration with the user's name."""
    file = tmp_path_factory.mktemp("git") / "config"
    file.write_text("[user]\nname = Grace Hopper\nemail = grace@example.com\n[init]\ndefaultBranch = trunk\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    return file


def git(*argv: str, cwd: str = ".") -> str:
    return subprocess.run(["git", *argv], cwd=cwd, capture_output=True, text=True, check=True).stdout


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Type lines into standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def exit_code(*argv: str) -> object:
    with pytest.raises(SystemExit) as left:
        run(["new", *argv])
    return left.value.code


def test_templates_are_listed_without_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code() == 0
    listed = capsys.readouterr().out
    assert listed.startswith("plugin               A tool, a hook, a slash command, a CLI command and a skill")
    assert "\nmemory-provider      Remembers conversations" in listed
    assert "hermes-sdk new plugin --name" in listed


def test_output_names_the_project_and_next_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("plugin", "--name", "Team Notes", "--no-input") == 0
    assert capsys.readouterr().out == (
        "Created team-notes/\n\nNext:\n  cd team-notes\n  pip install -e '.[dev]'\n  hermes-sdk verify\n"
    )
    assert Path("team-notes/team_notes/plugin.yaml").is_file()


def test_next_steps_quote_paths_with_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("plugin", "--output-dir", "my plugins", "--no-input") == 0
    assert "  cd 'my plugins/team-notes'\n" in capsys.readouterr().out


def test_extra_option_sets_variables_of_the_template() -> None:
    extra = ("--extra", "plugin_slug=notes-2", "--extra", "author=Ada = Countess")
    assert exit_code("plugin", "--no-input", *extra) == 0
    assert 'author: "Ada = Countess"' in Path("notes-2/notes_2/plugin.yaml").read_text()


def test_features_can_be_added_on_creation(tmp_path: Path) -> None:
    assert exit_code("plugin", "--no-input", "--name", "Team Notes", "--with", "tool:fetch_page, hook,skill") == 0
    project = Path("team-notes")
    manifest = (project / "team_notes/plugin.yaml").read_text()
    assert "- fetch_page\n" in manifest
    assert "- on_session_start\n" in manifest
    assert (project / "team_notes/skills/using-team-notes/SKILL.md").is_file()
    assert "fetch_page" in (project / "tests/test_tools.py").read_text()


@pytest.mark.parametrize(
    ("template", "wanted", "message"),
    [
        ("plugin", "toool", "'toool' cannot be added"),
        ("plugin", "tool:web_search", "Cannot add tool:web_search"),
        ("plugin", "tool,hook:no_such_hook", "Cannot add hook:no_such_hook"),
        ("gateway-hook", "tool", "Cannot add tool: a gateway event hook has no register(ctx)"),
        ("portable", "tool", "Cannot add tool: a portable plugin has no register(ctx)"),
    ],
)
def test_invalid_feature_creates_nothing(
    template: str, wanted: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(template, "--no-input", "--with", wanted) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_three_prompts_are_shown_when_git_knows_the_author(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "Snack Log", "", "Logs snacks")
    assert exit_code("plugin") == 0
    asked = capsys.readouterr().out
    assert "Display name of the plugin [Team Notes]: " in asked
    assert " [snack-log]: " in asked
    manifest = Path("snack-log/snack_log/plugin.yaml").read_text()
    assert 'description: "Logs snacks"' in manifest
    assert 'author: "Grace Hopper"' in manifest
    assert '{ name = "Grace Hopper", email = "grace@example.com" }' in Path("snack-log/pyproject.toml").read_text()


def test_author_is_the_fourth_prompt_when_git_does_not_know_it(
    monkeypatch: pytest.MonkeyPatch, git_config: Path
) -> None:
    git_config.write_text("")
    answer(monkeypatch, "Snack Log", "", "", "Ada Lovelace")
    assert exit_code("plugin") == 0
    assert 'author: "Ada Lovelace"' in Path("snack-log/snack_log/plugin.yaml").read_text()


def test_author_is_prompted_for_when_git_has_an_invalid_name(monkeypatch: pytest.MonkeyPatch, git_config: Path) -> None:
    git("config", "--file", str(git_config), "user.name", "Grace\tHopper")
    answer(monkeypatch, "", "", "", "Ada Lovelace")
    assert exit_code("plugin") == 0
    assert 'author: "Ada Lovelace"' in Path("team-notes/team_notes/plugin.yaml").read_text()


def test_given_values_are_not_prompted_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answer(monkeypatch, "")
    extra = ("--extra", "description=Logs snacks", "--extra", "author=Ada")
    assert exit_code("plugin", "--name", "Snack Log", *extra) == 0
    assert capsys.readouterr().out.count("]: ") == 1
    assert 'author: "Ada"' in Path("snack-log/snack_log/plugin.yaml").read_text()


def test_invalid_answer_is_prompted_for_again_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("taken").mkdir()
    answer(monkeypatch, 'Team "Notes"', "Gateway", "", "taken", "notes-2", "x" * 3 + "\t", 'Says "hello" — once')
    assert exit_code("plugin") == 0
    asked = capsys.readouterr().out
    assert "Error: plugin_name 'Team \"Notes\"', the display name, must be one line of text" in asked
    assert "Error: plugin_slug 'gateway', the name in Hermes, is a slash command of Hermes" in asked
    assert "Error: taken already exists; choose another name." in asked
    assert "Error: description 'xxx\\t' must be one line of text" in asked
    assert 'description: "Says \\"hello\\" — once"' in Path("notes-2/notes_2/plugin.yaml").read_text()


@pytest.mark.parametrize("extra", ["license=GPL", "hermes_floor=0.1", "plugin_slug=gateway", "email=Ada", "colour=red"])
def test_given_values_are_validated_before_the_first_prompt(
    extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "", "", "")
    assert exit_code("plugin", "--extra", extra) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert extra.partition("=")[0] in said.err
    assert not list(Path().iterdir())


def test_unanswered_prompts_suggest_no_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "Snack Log")
    assert exit_code("plugin") == 2
    assert "--no-input" in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_ctrl_c_at_a_prompt_creates_nothing() -> None:
    terminal = Terminal(sys.executable, "-c", "from hermes_sdk.cli.main import run; run(['new', 'plugin'])")
    terminal.wait_for("[Team Notes]: ")
    terminal.type("Snack Log\r")
    terminal.wait_for("[snack-log]: ")
    terminal.interrupt(until="Aborted.")
    assert terminal.end() == 130
    assert terminal.shown.splitlines()[-1] == "Aborted."
    assert "Traceback" not in terminal.shown
    assert not list(Path().iterdir())


def test_help_lists_the_variables_of_the_template(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("shell-hook", "--help") == 0
    listed = capsys.readouterr().out.partition("Variables of the template 'shell-hook':")[2]
    assert "  license       License: MIT, Apache-2.0, BSD-3-Clause" in listed
    assert "distribution" not in listed
    assert exit_code("--help") == 0
    assert "  distribution  How users install it: both" in capsys.readouterr().out


def test_project_is_a_repository_with_an_initial_commit() -> None:
    assert exit_code("plugin", "--no-input") == 0
    assert git("log", "--format=%an <%ae> %s", cwd="team-notes") == (
        f"Grace Hopper <grace@example.com> Start from the template 'plugin' of hermes-sdk {__version__}\n"
    )
    assert git("status", "--porcelain", "--ignored", cwd="team-notes") == ""
    assert git("branch", "--show-current", cwd="team-notes") == "main\n"
    assert ".hermes-sdk.base.zip" in git("ls-files", cwd="team-notes")


def test_initial_commit_includes_files_ignored_by_the_user(git_config: Path, tmp_path: Path) -> None:
    ignored = git_config.with_name("ignored")
    ignored.write_text("*.zip\n")
    git("config", "--file", str(git_config), "core.excludesFile", str(ignored))
    assert exit_code("plugin", "--no-input") == 0
    assert ".hermes-sdk.base.zip" in git("ls-files", cwd="team-notes")


def test_nothing_is_committed_inside_a_repository() -> None:
    git("init", "--quiet")
    assert exit_code("plugin", "--no-input") == 0
    assert not Path("team-notes/.git").exists()
    assert git("status", "--porcelain") == "?? team-notes/\n"


def test_missing_git_identity_creates_a_repository_and_a_hint(
    git_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git_config.write_text("")
    assert exit_code("plugin", "--no-input") == 0
    shown = capsys.readouterr().out
    assert shown.index("  cd ") < shown.index("git config --global user.name")
    assert git("diff", "--cached", "--name-only", cwd="team-notes").count("\n") > 10
    assert 'author: "Your Name"' in Path("team-notes/team_notes/plugin.yaml").read_text()


def test_project_is_created_without_git(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert exit_code("plugin", "--no-input") == 0
    assert "Created team-notes/" in capsys.readouterr().out
    assert not Path("team-notes/.git").exists()


def test_bare_plugin_has_no_example() -> None:
    assert exit_code("plugin", "--no-input", "--bare") == 0
    package = Path("team-notes/team_notes")
    assert sorted(path.name for path in package.iterdir()) == ["__init__.py", "plugin.yaml"]
    assert sorted(path.name for path in Path("team-notes/tests").iterdir()) == ["test_contract.py", "test_plugin.py"]
    assert "note" not in (package / "__init__.py").read_text().replace("Team Notes", "")


def test_bare_plugin_can_be_created_with_features() -> None:
    features = ("--with", "tool:fetch_page", "--with", "skill,command:notes")
    assert exit_code("plugin", "--no-input", "--bare", *features) == 0
    manifest = Path("team-notes/team_notes/plugin.yaml").read_text()
    assert "- fetch_page\n" in manifest
    package = Path("team-notes/team_notes/__init__.py").read_text()
    assert ("register_skill" in package, "register_command" in package) == (True, True)
    environment = {**os.environ, "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd="team-notes", env=environment, check=True)


def test_other_templates_cannot_be_bare(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("platform", "--no-input", "--bare") == 2
    assert "--bare applies only to the template 'plugin'" in capsys.readouterr().err
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["plugni"], "did you mean 'plugin'?"),
        (["plugin", "--no-input", "--extra", "colour=red"], "plugin_name, plugin_slug, example, description"),
        (["plugin", "--no-input", "--extra", "author"], "KEY=VALUE"),
        (["plugin", "--no-input", "--name", "Gateway"], "for example 'my-gateway'"),
        (["plugin", "--no-input", "--output-dir", __file__], "is a file"),
    ],
)
def test_usage_error_suggests_a_fix_and_creates_nothing(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*argv) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_users_cookiecutter_settings_are_ignored_and_unchanged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    config = home / ".cookiecutterrc"
    config.write_text("default_context: {author: Somebody Else, plugin_name: Wrong}\n")
    environment = {**os.environ, "HOME": str(home), "COOKIECUTTER_CONFIG": str(config)}

    call = "from hermes_sdk.cli.main import run; run(['new', 'plugin', '--no-input'])"
    subprocess.run([sys.executable, "-c", call], env=environment, check=True)

    assert 'author: "Grace Hopper"' in Path("team-notes/team_notes/plugin.yaml").read_text()
    assert list(home.iterdir()) == [config]
