"""Projects with unusual names are well-formed."""

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
    """Create a project of each kind for each name."""
    output = tmp_path_factory.mktemp("names")
    for kind in KINDS:
        for name, extra in NAMES.items():
            new(kind, output / kind, name=name, extra=extra)
    return output


def test_data_files_and_modules_are_valid(root: Path) -> None:
    for file in files(root):
        path = root / file
        if path.suffix == ".toml":
            tomllib.loads(path.read_text(encoding="utf-8"))
        elif path.suffix in (".yaml", ".yml", ".example"):
            assert yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        elif path.suffix == ".py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), file


def test_answers_are_stored_unchanged(root: Path) -> None:
    for file in files(root):
        if Path(file).name == ".hermes-sdk.toml":
            answers = tomllib.loads((root / file).read_text(encoding="utf-8"))["answers"]
            assert answers.items() >= NAMES[answers["plugin_name"]].items()
            assert file.split("/")[1] == answers["plugin_slug"]


def test_manifest_and_package_metadata_agree(root: Path) -> None:
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


def test_ruff_passes_for_each_name(root: Path) -> None:
    run_in(root, "ruff", "check", "--no-cache")
    run_in(root, "ruff", "format", "--no-cache", "--check")


def test_ruff_passes_for_hooks_of_templates() -> None:
    run_in(ROOT, "ruff", "check", "--no-cache", "--isolated", "--ignore", "E501", "templates/_hooks")


def test_full_stop_of_the_description_is_not_doubled(root: Path) -> None:
    readme = (root / "plugin/komanda-a/README.md").read_text(encoding="utf-8")
    assert "\n笔记。. A plugin for" not in readme
    assert "…. A plugin" not in (root / "plugin/plugin-42-things/README.md").read_text(encoding="utf-8")
