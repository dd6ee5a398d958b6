"""Plugins that a path refers to, and their names in a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest import Located, guessed_kind, installer_name, locate, locate_all

ENTRY_POINT = '[project.entry-points."hermes_agent.plugins"]\nmine = "{}"\n'


@pytest.fixture(autouse=True)
def change_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plugin(*parts: str, manifest: str = "plugin.yaml") -> Path:
    directory = Path.cwd().joinpath(*parts)
    directory.mkdir(parents=True)
    (directory / manifest).write_text("name: x\n")
    (directory / "__init__.py").touch()
    return directory


def pyproject(text: str) -> Path:
    Path("pyproject.toml").write_text(text)
    return Path.cwd()


def test_plugin_directory_is_located() -> None:
    directory = plugin("a")
    expected = Located(directory, directory / "plugin.yaml", directory, None)
    assert locate(directory) == locate(Path("a")) == locate(Path("b/../a")) == locate(Path("a/plugin.yaml")) == expected


def test_plugin_yml_is_accepted_but_plugin_yaml_is_preferred() -> None:
    directory = plugin("a", manifest="plugin.yml")
    assert locate(directory).manifest == directory / "plugin.yml"
    (directory / "plugin.yaml").write_text("name: y\n")
    assert locate(directory).manifest == directory / "plugin.yaml"


def test_plugin_named_in_project_settings_is_located() -> None:
    plugin("other")
    directory = plugin("nested", "deep", "er", "still", "mine")
    root = pyproject('[tool.hermes-sdk]\nplugin = "nested/deep/er/still/mine"\n' + ENTRY_POINT.format("other"))
    assert locate(root) == Located(directory, directory / "plugin.yaml", root, ("mine", "other"))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("mine",), "mine"),
        (("src", "mine"), "mine"),
        (("src", "mine", "plugin"), "mine.plugin"),
        (("src", "mine"), "mine:register"),
        (("src", "mine"), "mine.module"),
    ],
)
def test_entry_point_of_project_is_located(place: tuple[str, ...], value: str) -> None:
    plugin("other")
    directory = plugin(*place)
    (directory / "module.py").touch()
    root = pyproject(ENTRY_POINT.format(value))
    assert locate(root) == Located(directory, directory / "plugin.yaml", root, ("mine", value))


def test_the_only_manifest_of_a_project_is_located() -> None:
    for part in ("tests", "build", "venv", ".hidden", "node_modules"):
        plugin(part, "fixture")
    plugin("env3", "lib", "x")
    plugin("env4")
    for environment in ("env3", "env4"):
        Path(environment, "pyvenv.cfg").touch()
    plugin("1", "2", "3", "4", "too deep")
    directory = plugin("src", "pkg", "mine")
    plugin("src", "pkg", "mine", "inner")
    assert locate(Path.cwd()).directory == directory


def test_project_in_an_environment_is_searched_four_levels_deep() -> None:
    directory = plugin("1", "2", "3", "4")
    Path("pyvenv.cfg").touch()
    assert locate(Path.cwd()).directory == directory


def test_project_of_a_plugin_directory_is_found() -> None:
    directory = plugin("src", "mine")
    other = plugin("other")
    root = pyproject(ENTRY_POINT.format("mine"))
    assert locate(directory) == Located(directory, directory / "plugin.yaml", root, ("mine", "mine"))
    assert locate(other) == Located(other, other / "plugin.yaml", other, None)


def test_project_is_found_from_its_only_plugin() -> None:
    directory = plugin("mine")
    root = pyproject("[tool.pytest]\n")
    assert locate(root) == locate(directory)
    assert locate(directory).project == root


def test_project_is_not_searched_outside_the_repository() -> None:
    directory = plugin("repository", "mine")
    Path("repository/.git").mkdir()
    pyproject("")
    assert locate(directory).project == directory


def test_plugin_may_be_its_own_project() -> None:
    plugin("a")
    Path("a/pyproject.toml").write_text(ENTRY_POINT.format("a"))
    assert locate(Path("a")).project == Path.cwd() / "a"
    assert locate(Path("a")).entry_point == ("mine", "a")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "contains more than one plugin: a, b"),
        ("[tool.hermes-sdk]\nplugin = 5\n", "is not a string"),
        ('[tool.hermes-sdk]\nplugin = "none"\n', "'none', which has no plugin.yaml"),
        ("[tool", "cannot read the project's settings"),
        (ENTRY_POINT.format("none"), "contains more than one plugin: a, b"),
        ('[tool]\nhermes-sdk = "a"\n[project]\nentry-points = 1\n', "contains more than one plugin: a, b"),
    ],
)
def test_ambiguous_project_is_rejected(settings: str, message: str) -> None:
    plugin("a")
    plugin("b")
    with pytest.raises(UsageError, match=message):
        locate(pyproject(settings))


def test_path_without_a_plugin_is_rejected() -> None:
    for path in (Path.cwd(), Path("none"), Path(__file__)):
        with pytest.raises(UsageError):
            locate(path)


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ("name: my-plugin", "my-plugin"),
        ("name: ' spaces '", " spaces "),
        ("name: ''", "directory"),
        ("name: off", "directory"),
        ("version: '1'", "directory"),
        ("", "directory"),
        ("name: [", "directory"),
        ("- a", "directory"),
    ],
)
def test_installer_name_is_read_from_the_manifest(manifest: str, name: str) -> None:
    (plugin("directory") / "plugin.yaml").write_text(manifest)
    assert installer_name(Path("directory")) == name


def test_installer_ignores_plugin_yml() -> None:
    assert installer_name(plugin("directory", manifest="plugin.yml")) == "directory"


@pytest.mark.parametrize("name", [".", "..", "a/b", "a\\b", "a..b", "/abs", "5", "on"])
def test_name_that_the_installer_rejects_is_an_error(name: str) -> None:
    (plugin("directory") / "plugin.yaml").write_text(f"name: {name}\n")
    with pytest.raises(UsageError):
        installer_name(Path("directory"))


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("", "standalone"),
        ("# a MemoryProvider\n", "exclusive"),
        ("register_provider(ProviderProfile())", "model-provider"),
        ("register_provider()", "standalone"),
        (" " * 8192 + "MemoryProvider", "standalone"),
    ],
)
def test_kind_is_guessed_from_the_source(source: str, kind: str) -> None:
    directory = plugin("directory")
    assert guessed_kind(directory) == "standalone"
    (directory / "__init__.py").write_text(source)
    assert guessed_kind(directory) == kind


def test_event_hook_is_found_by_manifest_directory_and_project(tmp_path: Path) -> None:
    hook = tmp_path / "watcher"
    hook.mkdir()
    (hook / "HOOK.yaml").write_text("events: [agent:end]\n")
    (tmp_path / "pyproject.toml").write_text("")
    for path in (hook / "HOOK.yaml", hook, tmp_path):
        located = locate(path)
        assert (located.directory, located.manifest, located.project) == (hook, None, tmp_path)
        assert located.event_hook == hook / "HOOK.yaml"
        assert locate_all(path) == (located,)


def test_plugin_with_an_event_hook_is_located_as_plugin(tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text("name: p\n")
    (tmp_path / "HOOK.yaml").write_text("events: [agent:end]\n")
    assert locate(tmp_path).event_hook is None


@pytest.mark.parametrize(("tested", "project"), [("tools/add.py", "."), ("tools/other.py", "tools")])
def test_core_tool_belongs_to_project_that_tests_it(tmp_path: Path, tested: str, project: str) -> None:
    file = tmp_path / "tools" / "add.py"
    file.parent.mkdir()
    file.write_text("from tools.registry import registry\nregistry.register()\n")
    (tmp_path / "pyproject.toml").write_text(f'[tool.pytest.ini_options]\nhermes_plugin = "{tested}"\n')
    assert locate(file).project == tmp_path / project


def test_core_tool_is_located_from_the_project_that_tests_it(tmp_path: Path) -> None:
    file = tmp_path / "tools" / "add.py"
    file.parent.mkdir()
    file.write_text("#!/usr/bin/env python3\nfrom tools.registry import registry\nregistry.register()\n")
    pyproject('[tool.pytest.ini_options]\nhermes_plugin = "tools/add.py"\n')
    assert locate(tmp_path) == locate(file)
    assert locate_all(tmp_path) == locate_all(file) == (locate(file),)


def test_shell_hooks_are_found_by_project_configuration_and_script(tmp_path: Path) -> None:
    script = tmp_path / "agent-hooks" / "guard.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    config = tmp_path / "config.yaml.example"
    config.write_text("hooks: {pre_tool_call: [{command: ~/guard.sh}]}\n")
    for path in (tmp_path, config, script):
        (located,) = locate_all(path)
        assert (located.shell_hook, located.project) == (config, tmp_path)
    config.write_text("hooks: {pre_tool_call: [{command: ~/other.sh}]}\n")
    (alone,) = locate_all(script)
    assert (alone.shell_hook, alone.directory) == (script, script.parent)


def test_project_with_only_shell_hooks_is_not_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "config.yaml.example").write_text("hooks: {pre_tool_call: [{command: ~/guard.sh}]}\n")
    with pytest.raises(UsageError, match="contains shell hooks but no plugin") as caught:
        locate(tmp_path)
    assert "hermes-sdk hooks test" in caught.value.fix


@pytest.mark.parametrize("config", ["hooks: [\n", "hooks: 5\n", "model: x\n", ""])
def test_configuration_without_hooks_is_not_a_project(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.yaml.example").write_text(config)
    with pytest.raises(UsageError, match="no plugin in"):
        locate_all(tmp_path)


def test_plugin_with_shell_hooks_is_located_as_plugin(tmp_path: Path) -> None:
    plugin("a")
    (tmp_path / "config.yaml.example").write_text("hooks: {pre_tool_call: [{command: ~/guard.sh}]}\n")
    assert locate_all(tmp_path) == (locate(tmp_path),)


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ("", "src/gulls"),
        ("", "gulls"),
        ('[tool.setuptools.package-dir]\n"" = "lib"\n', "lib/gulls"),
        ('[tool.setuptools.package-dir]\ngulls = "lib/birds"\n', "lib/birds"),
        ('[tool.setuptools.packages.find]\nwhere = ["lib"]\n', "lib/gulls"),
        ('[tool.hatch.build.targets.wheel]\npackages = ["lib/gulls"]\n', "lib/gulls"),
        ('[tool.hatch.build.targets.wheel.sources]\n"lib/birds" = "gulls"\n', "lib/birds"),
        ('[tool.hatch.build.targets.wheel.force-include]\n"lib/birds" = "gulls"\n', "lib/birds"),
        ('[[tool.poetry.packages]]\ninclude = "gulls"\nfrom = "lib"\n', "lib/gulls"),
        ('[tool.uv.build-backend]\nmodule-root = "python"\n', "python/gulls"),
        ('[tool.pdm.build]\npackage-dir = "lib"\n', "lib/gulls"),
    ],
)
def test_package_is_found_by_settings_of_the_build_backend(settings: str, place: str) -> None:
    directory = Path.cwd() / place
    directory.mkdir(parents=True)
    (directory / "__init__.py").touch()
    located = locate(pyproject(ENTRY_POINT.format("gulls") + settings))
    assert (located.form, located.name, located.module) == ("package", "mine", directory / "__init__.py")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", '[tool.poetry.plugins."hermes_agent.plugins"]\nmine = "gulls"\n'),
        ("setup.cfg", "[options.entry_points]\nhermes_agent.plugins =\n    mine = gulls\n"),
    ],
)
def test_entry_points_of_older_build_backends_are_read(file: str, text: str) -> None:
    Path(file).write_text(text)
    Path("gulls.py").touch()
    assert locate(Path.cwd()).entry_point == ("mine", "gulls")


def test_plugin_is_chosen_by_name_or_directory() -> None:
    for name in ("ebb", "flow"):
        (plugin(name) / "plugin.yaml").write_text(f"name: the-{name}\n")
    for chosen in ("flow", "the-flow"):
        assert locate(Path.cwd(), plugin=chosen).directory == Path.cwd() / "flow"
    with pytest.raises(UsageError, match="has no plugin 'tide'") as caught:
        locate(Path.cwd(), plugin="tide")
    assert caught.value.fix == "Choose one of: the-ebb, the-flow."
    with pytest.raises(UsageError, match="has no form 'package': it is only a directory"):
        locate(Path.cwd(), "package", "flow")


def test_error_lists_rejected_candidates_with_reasons() -> None:
    for part in ("tests", "1/2/3/4/5"):
        plugin(part)
    backend = "[build-system]\nrequires = []\n"
    others = '[project.entry-points."hermes.plugins"]\nmine = "gulls"\n'
    root = pyproject(backend + ENTRY_POINT.format("gulls.plugin") + others)
    with pytest.raises(UsageError) as caught:
        locate(root)
    assert caught.value.message == (
        f"no plugin in {root}: no module gulls.plugin in ., which the entry point mine in hermes_agent.plugins names;"
        " Hermes does not read the group hermes.plugins; tests/plugin.yaml is in tests;"
        " 1/2/3/4/5/plugin.yaml is more than 4 levels deep"
    )
    assert caught.value.fix == (
        "If the build generates the module, run `pip wheel --no-deps .`, unpack the wheel and pass that directory."
    )
