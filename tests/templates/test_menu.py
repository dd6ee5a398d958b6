"""Cookiecutter, run on the whole repository or on one template, creates the same project as `hermes-sdk new`."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cookiecutter.exceptions import FailedHookException
from cookiecutter.main import cookiecutter

from hermes_sdk import __version__, contract
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates, variables

ROOT = Path(__file__).parents[2]
MENU = json.loads((ROOT / "cookiecutter.json").read_text(encoding="utf-8"))["templates"]


def bake(tmp_path: Path, directory: str | None = None, repository: Path = ROOT, **answers: str) -> Path:
    """Run cookiecutter on a repository, with its configuration and output below `tmp_path`."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"cookiecutters_dir": str(tmp_path), "replay_dir": str(tmp_path)}))
    output = tmp_path / "output"
    output.mkdir()
    made = cookiecutter(
        str(repository),
        directory=directory,
        no_input=True,
        extra_context=answers,
        config_file=str(config),
        output_dir=str(output),
    )
    return Path(made)


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def test_menu_lists_each_template_by_its_directory() -> None:
    directories = sorted(path.parent.name for path in ROOT.glob("templates/*/cookiecutter.json"))
    assert sorted(MENU) == sorted(templates()) == directories
    assert {entry["path"] for entry in MENU.values()} == {f"./templates/{name}" for name in directories}


def test_templates_share_hooks_and_parts() -> None:
    for template in templates():
        directory = ROOT / "templates" / template
        assert (directory / "hooks/post_gen_project.py").readlink() == Path("../../_hooks/post_gen_project.py")
        for module in ("answer_rules.py", "template_extension.py"):
            assert (directory / module).readlink() == Path("../_hooks") / module
        assert (directory / "templates").readlink() == Path("../_shared")


@pytest.mark.parametrize("directory", [None, "templates/plugin"])
def test_cookiecutter_creates_the_same_project_as_new(tmp_path: Path, directory: str | None) -> None:
    theirs = bake(tmp_path, directory, plugin_name="Snack Log")
    ours = new("plugin", tmp_path, name="Snack Log")

    assert files(theirs) == files(ours)


def test_bytecode_in_a_template_is_not_copied(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(ROOT / "templates/plugin", repository / "templates/plugin", symlinks=False)
    package = repository / "templates/plugin/{{cookiecutter.plugin_slug}}/{{cookiecutter.__package}}"
    (package / "__pycache__").mkdir()
    (package / "__pycache__/notes.cpython-311.pyc").write_bytes(b"\0compiled")
    (package / "notes.pyc").write_bytes(b"\0compiled")

    made = bake(tmp_path, "templates/plugin", repository)

    with zipfile.ZipFile(made / ".hermes-sdk.base.zip") as base:
        assert not [name for name in [*files(made), *base.namelist()] if "pycache" in name or name.endswith(".pyc")]
    assert files(made) == files(new("plugin", tmp_path))


@pytest.mark.parametrize("template", templates())
def test_cookiecutter_rejects_the_same_answers_as_new(tmp_path: Path, template: str) -> None:
    answers = {"plugin_name": "Gateway", "author": " "}
    with pytest.raises(UsageError) as ours:
        new(template, tmp_path / "ours", extra=answers)
    with pytest.raises(FailedHookException) as theirs:
        bake(tmp_path, f"templates/{template}", **answers)
    assert str(theirs.value) == ours.value.message
    assert not list((tmp_path / "output").iterdir())


def test_cookiecutter_rejects_an_answer_without_a_traceback(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "cookiecutter", ROOT / "templates/plugin", "--output-dir", tmp_path]
    done = subprocess.run(
        [*command, "--default-config"],
        input="Gateway\n\n\n\n\n\n\n",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].endswith(
        "plugin_slug 'gateway', the name in Hermes, is a slash command of Hermes; "
        "choose another, for example 'my-gateway'."
    )
    assert not list(tmp_path.glob("gateway"))


def test_cookiecutter_renders_quotes_in_answers_like_new(tmp_path: Path) -> None:
    answers = {
        "plugin_name": "Café Log",
        "description": 'Says "it\'s" – 100 % $HOME',
        "author": 'Grace "Amazing" Hopper',
    }
    assert files(bake(tmp_path, **answers)) == files(new("plugin", tmp_path, extra=answers))


def test_guide_lists_each_template_variable_and_choice() -> None:
    guide = (ROOT / "docs/how-to/create-a-plugin.md").read_text(encoding="utf-8")
    for kind in MENU:
        assert f"| `{kind}` |" in guide
        for name in variables(kind).names:
            assert f"`{name}`" in guide
            assert all(f"`{choice}`" in guide for choice in variables(kind).choices(name))


def test_templates_have_the_same_order_of_questions() -> None:
    asked = {kind: variables(kind).names for kind in MENU}
    plugin_slug = variables("plugin").defined["plugin_slug"]
    for kind, names in asked.items():
        defined = json.loads((ROOT / "templates" / kind / "cookiecutter.json").read_text(encoding="utf-8"))
        assert names == [name for name in asked["plugin"] if name in names]
        assert list(defined["__prompts__"]) == names
        assert defined["__kind"] == kind
        longest = 26 if kind == "workspace" else 32
        assert defined["plugin_slug"].replace(f"max_length={longest}", "") == plugin_slug.replace("max_length=32", "")


def test_templates_offer_the_first_release_of_each_minor_version() -> None:
    offered = json.loads((ROOT / "templates/plugin/cookiecutter.json").read_text(encoding="utf-8"))["hermes_floor"]
    first: dict[str, str] = {}
    for release in contract.releases():
        first.setdefault(release.rpartition(".")[0], release)
    assert offered == [*first.values()]


def test_projects_contain_the_version_of_hermes_sdk() -> None:
    shared = (ROOT / "templates/_shared/hermes-sdk.toml").read_text(encoding="utf-8")
    assert f'version = "{__version__}"' in shared.splitlines()
