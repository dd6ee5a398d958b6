"""Names of every length and alphabet: what is made is well-formed whatever a project is called."""

import ast
import tomllib
from pathlib import Path

import pytest
import yaml
from templates.baking import KINDS, ROOT, files, run_in

from hermes_sdk.scaffold.new import new

NAMES = {
    "Z": {},
    "R2D2 3000": {},
    "snake_case-name": {},
    "A name of forty characters which is long": {"plugin_slug": "a-name-of-26-characters-x1"},
    "42 things": {"description": 'It\\\'s \\\\ a “quoted” – or "quoted" — text: ' + "long " * 40 + "…"},
    "Café Log: C'est “ça” – ‘là’!": {
        "author": 'Ada & "Søren" O\'Neil',
        "description": "It's 100% {fun} # 😀: ${HOME} {{ 7 }}",
    },
    "Команда А": {"author": "Ада", "description": "笔记。"},
    "笔" * 40: {"plugin_slug": "notes-2"},
    "Type": {},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One project of every kind for each of NAMES."""
    output = tmp_path_factory.mktemp("names")
    for kind in KINDS:
        for name, extra in NAMES.items():
            new(kind, output / kind, name=name, extra=extra)
    return output


def test_every_file_that_is_data_can_be_read(root: Path) -> None:
    for file in files(root):
        path = root / file
        if path.suffix == ".toml":
            tomllib.loads(path.read_text(encoding="utf-8"))
        elif path.suffix in (".yaml", ".yml", ".example"):
            assert yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        elif path.suffix == ".py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), file


def test_the_answers_are_said_as_they_were_given(root: Path) -> None:
    for file in files(root):
        if Path(file).name == ".hermes-sdk.toml":
            answers = tomllib.loads((root / file).read_text(encoding="utf-8"))["answers"]
            assert answers.items() >= NAMES[answers["plugin_name"]].items()
            assert file.split("/")[1] == answers["plugin_slug"]


def test_the_manifest_and_the_package_say_the_same(root: Path) -> None:
    for manifest in root.glob("*/*/*/plugin.yaml"):
        fields = yaml.safe_load(manifest.read_text(encoding="utf-8"))
        project = manifest.parents[1]
        settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
        assert (fields["name"], fields["version"]) == (project.name, "0.1.0")
        assert fields["requires_hermes"] == settings["tool"]["hermes-sdk"]["check"]["target"] == ">=0.19.0"
        if "project" in settings:
            assert settings["project"]["entry-points"] == {"hermes_agent.plugins": {project.name: manifest.parent.name}}
            assert settings["project"]["description"] == fields["description"]
            assert settings["project"]["authors"] == [{"name": fields["author"]}]


def test_the_style_is_clean_for_every_name(root: Path) -> None:
    run_in(root, "ruff", "check", "--no-cache")
    run_in(root, "ruff", "format", "--no-cache", "--check")


def test_the_hooks_of_the_templates_are_clean_too() -> None:
    run_in(ROOT, "ruff", "check", "--no-cache", "--isolated", "--ignore", "E501", "templates/_hooks")


def test_a_description_with_its_own_full_stop_gets_no_second_one(root: Path) -> None:
    readme = (root / "plugin/komanda-a/README.md").read_text(encoding="utf-8")
    assert "\n笔记。. A plugin for" not in readme
    assert "…. A plugin" not in (root / "plugin/plugin-42-things/README.md").read_text(encoding="utf-8")
