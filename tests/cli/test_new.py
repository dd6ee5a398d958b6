"""`hermes-sdk new`, as a person types it."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.cli.main import run


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def exit_code(*argv: str) -> object:
    with pytest.raises(SystemExit) as left:
        run(["new", *argv])
    return left.value.code


def test_without_a_template_the_templates_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code() == 0
    listed = capsys.readouterr().out
    assert listed.startswith("plugin               A tool, a hook, a slash command, a CLI command and a skill")
    assert "\nmemory-provider      Remembers conversations" in listed
    assert "hermes-sdk new plugin --name" in listed


def test_the_end_says_where_the_project_is_and_what_comes_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("plugin", "--name", "Team Notes", "--no-input") == 0
    assert capsys.readouterr().out == (
        "Created team-notes/\n\nNext:\n  cd team-notes\n  pip install -e '.[dev]'\n  pytest\n"
    )
    assert Path("team-notes/team_notes/plugin.yaml").is_file()


def test_the_next_commands_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("plugin", "--output-dir", "my plugins", "--no-input") == 0
    assert "  cd 'my plugins/team-notes'\n" in capsys.readouterr().out


def test_variables_are_given_with_extra() -> None:
    extra = ("--extra", "plugin_slug=notes-2", "--extra", "author=Ada = Countess")
    assert exit_code("plugin", "--no-input", *extra) == 0
    assert 'author: "Ada = Countess"' in Path("notes-2/notes_2/plugin.yaml").read_text()


def test_a_plugin_can_begin_with_more(tmp_path: Path) -> None:
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
    ],
)
def test_what_cannot_be_added_leaves_nothing(
    template: str, wanted: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(template, "--no-input", "--with", wanted) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_without_no_input_the_questions_are_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("Snack Log\n\n\nAda Lovelace\n" + "\n" * 7))
    assert exit_code("plugin") == 0
    asked = capsys.readouterr().out
    assert "Name of the plugin, for people (Team Notes)" in asked
    assert "(snack-log)" in asked
    assert 'author: "Ada Lovelace"' in Path("snack-log/snack_log/plugin.yaml").read_text()


def test_questions_that_nobody_answers_point_to_no_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert exit_code("plugin") == 2
    assert "--no-input" in capsys.readouterr().err
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["plugni"], "Did you mean 'plugin'?"),
        (["plugin", "--no-input", "--extra", "colour=red"], "plugin_name, plugin_slug, description, author"),
        (["plugin", "--no-input", "--extra", "author"], "KEY=VALUE"),
        (["plugin", "--no-input", "--name", "Café"], "for example 'team-notes'"),
        (["plugin", "--no-input", "--output-dir", __file__], "is a file"),
    ],
)
def test_a_wrong_call_ends_with_advice_and_makes_nothing(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*argv) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_the_cookiecutter_of_the_user_is_neither_read_nor_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    config = home / ".cookiecutterrc"
    config.write_text("default_context: {author: Somebody Else, plugin_name: Wrong}\n")
    environment = {**os.environ, "HOME": str(home), "COOKIECUTTER_CONFIG": str(config)}

    call = "from hermes_sdk.cli.main import run; run(['new', 'plugin', '--no-input'])"
    subprocess.run([sys.executable, "-c", call], env=environment, check=True)

    assert 'author: "Your Name"' in Path("team-notes/team_notes/plugin.yaml").read_text()
    assert list(home.iterdir()) == [config]
