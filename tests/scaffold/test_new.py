"""`new` creates a complete project or nothing."""

import errno
import os
import re
from pathlib import Path

import cookiecutter.generate
import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.manifest import load_yaml
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates


def contents(directory: Path) -> dict[str, bytes | str | None]:
    """Return the content of a directory: files with their bytes, and links with their targets."""
    return {
        path.relative_to(directory).as_posix(): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in directory.rglob("*")
    }


def test_project_is_created_in_the_output_directory(tmp_path: Path) -> None:
    project = new("plugin", tmp_path, name="Snack Log")

    assert project == tmp_path.resolve() / "snack-log"
    assert (project / "snack_log/plugin.yaml").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["snack-log"]


@pytest.mark.parametrize(
    ("wanted", "hooks"),
    [
        (["hook:pre_tool_call"], ["pre_tool_call"]),
        (["hook", "tool"], ["on_session_start"]),
        (["command:snacks"], []),
        (["env", "setting"], ["on_session_start"]),
        ([], ["on_session_start"]),
    ],
)
def test_project_without_example_has_only_the_wanted_hooks(tmp_path: Path, wanted: list[str], hooks: list[str]) -> None:
    project = new("plugin", tmp_path, name="Snack Log", extra={"example": "no"}, with_=wanted)
    source = (project / "snack_log/__init__.py").read_text(encoding="utf-8")
    manifest = load_yaml((project / "snack_log/plugin.yaml").read_text(encoding="utf-8"))
    assert re.findall(r'register_hook\("(\w+)"', source) == hooks
    assert re.findall(r"def (on_\w+|pre_\w+)", source) == hooks
    assert manifest.get("provides_hooks", []) == hooks
    assert source.count("Any") != 1
    assert check(project, Options(static=True, strict=True)).passes()


def test_missing_output_directory_is_created(tmp_path: Path) -> None:
    project = new("plugin", tmp_path / "some/where", name="Snack Log")

    assert project.is_dir()
    assert [path.name for path in tmp_path.iterdir()] == ["some"]


def test_current_directory_is_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert new("plugin", Path(), name="Snack Log") == tmp_path.resolve() / "snack-log"
    assert Path.cwd() == tmp_path.resolve()


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        project = new("plugin", tmp_path)
    finally:
        os.umask(before)
    assert project.stat().st_mode & 0o777 == 0o755
    assert (project / "README.md").stat().st_mode & 0o777 == 0o644


def test_values_are_not_rendered_as_templates(tmp_path: Path) -> None:
    description = "Renders {{ mustache }}, {% raw %} and 'quotes' 😀"

    project = new("plugin", tmp_path, extra={"description": description})

    assert description in (project / "README.md").read_text(encoding="utf-8")


HOSTILE = ["../x", "$(touch x)", "; touch x", "{{ 7 * 7 }}", "{% raw %}", "x\ny", "x" * 300, "\0", "-x"]
CODE = "$(touch x); `touch x` {{ 7 * 7 }} {% raw %} {# no #} ../x"
CODE_IN_NAME = "$(touch x); `touch x` {{ 7 * 7 }} ../x"


@pytest.mark.parametrize("variable", ["plugin_slug", "email", "github_owner", "license", "ci"])
def test_hostile_answer_is_rejected(tmp_path: Path, variable: str) -> None:
    (tmp_path / "here").mkdir()
    for text in HOSTILE:
        with pytest.raises(UsageError):
            new("plugin", tmp_path / "here", extra={"plugin_slug": "team-notes", variable: text})
        assert contents(tmp_path) == {"here": None}


@pytest.mark.parametrize("template", templates())
def test_code_in_text_answers_is_not_executed(tmp_path: Path, template: str) -> None:
    extra = {"plugin_slug": "team-notes", "plugin_name": CODE_IN_NAME, "description": CODE, "author": CODE}

    project = new(template, tmp_path / "here", extra=extra)

    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*")] == ["here/team-notes"]
    assert not list(tmp_path.rglob("x"))
    assert CODE in (project / "README.md").read_text(encoding="utf-8")
    assert CODE_IN_NAME in (project / "README.md").read_text(encoding="utf-8")
    assert f'author = "{CODE}"' in (project / ".hermes-sdk.toml").read_text(encoding="utf-8")


def test_output_directory_with_template_syntax_is_rejected(tmp_path: Path) -> None:
    output = tmp_path / "{{ 7 * 7 }}"
    output.mkdir()
    with pytest.raises(UsageError, match="template syntax"):
        new("plugin", output)
    assert contents(tmp_path) == {output.name: None}


@pytest.mark.parametrize("kind", ["project", "empty directory", "file", "dangling link"])
def test_existing_path_is_rejected_and_not_changed(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "team-notes"
    match kind:
        case "project":
            new("plugin", tmp_path)
            (target / "README.md").write_text("mine")
        case "empty directory":
            target.mkdir()
        case "file":
            target.write_text("mine")
        case _:
            target.symlink_to("nowhere")
    before = contents(tmp_path)

    with pytest.raises(UsageError, match="team-notes already exists"):
        new("plugin", tmp_path)

    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("failure", "seen"),
    [
        (KeyboardInterrupt(), KeyboardInterrupt),
        (RuntimeError("a bug"), RuntimeError),
        (OSError(errno.ENOSPC, "No space left on device"), UnavailableError),
    ],
)
def test_failure_leaves_no_partial_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, seen: type[BaseException]
) -> None:
    write = cookiecutter.generate.generate_file

    def fail_at_the_manifest(project_dir: str, infile: str, *rest: object) -> None:
        if infile.endswith("plugin.yaml"):
            raise failure
        write(project_dir, infile, *rest)

    monkeypatch.setattr(cookiecutter.generate, "generate_file", fail_at_the_manifest)

    with pytest.raises(seen):
        new("plugin", tmp_path / "some/where")

    assert not list(tmp_path.iterdir())


def test_unwritable_output_directory_is_reported_with_advice(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UnavailableError, match="Cannot write to") as refused:
        new("plugin", tmp_path / "file")

    assert refused.value.fix


@pytest.mark.parametrize(
    ("template", "extra", "message", "fix"),
    [
        ("plugni", {}, "There is no template 'plugni'; did you mean 'plugin'?", "Use one of: plugin"),
        ("", {}, "There is no template ''", "Use one of: plugin"),
        ("../plugin", {}, "There is no template '../plugin'; did you mean 'plugin'?", "Use one of: plugin"),
        ("plugin", {"colour": "red"}, "The template has no variable 'colour'", "plugin_name, plugin_slug"),
        (
            "plugin",
            {"licence": "MIT"},
            "The template has no variable 'licence'; did you mean 'license'?",
            "plugin_name, plugin_slug",
        ),
        ("plugin", {"__package": "x"}, "The template has no variable '__package'", "plugin_name, plugin_slug"),
    ],
)
def test_unknown_template_or_variable_is_rejected(
    tmp_path: Path, template: str, extra: dict[str, str], message: str, fix: str
) -> None:
    with pytest.raises(UsageError) as refused:
        new(template, tmp_path, extra=extra)

    assert refused.value.message == message
    assert fix in refused.value.fix
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("template", templates())
def test_each_template_has_defaults_for_all_answers(tmp_path: Path, template: str) -> None:
    assert new(template, tmp_path).is_dir()
