"""Requirements of plugins: hidden modules, and overlays with installed packages for a real host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import RealPython

from hermes_sdk import contract
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts.dependencies import find_hidden, find_requirements, find_unmet, list_declared
from hermes_sdk.hosts.inspection import show
from hermes_sdk.manifest import EntryPoint, Located

FACTS = contract.load(contract.DEFAULT)
IMPORTS_TWO = (
    "import jsonschema, yaml\ndef register(ctx): ctx.register_command('dump', lambda line: yaml.safe_dump(line))\n"
)

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a distribution without files for this process."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def write(name: str, *requires: str, version: str = "1", modules: str = "", entry_points: str = "") -> None:
        folder = site / f"{name}-{version}.dist-info"
        folder.mkdir()
        listed = "".join(f"Requires-Dist: {one}\n" for one in requires)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{listed}")
        (folder / "top_level.txt").write_text(modules)
        (folder / "entry_points.txt").write_text(entry_points)

    return write


def place(folder: Path, files: Mapping[str, str]) -> Located:
    """Write a plugin ``notes`` in a project."""
    for name, text in {"notes/plugin.yaml": "name: notes\n", "notes/__init__.py": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return Located(folder / "notes", folder / "notes" / "plugin.yaml", folder, None)


PROJECT = "[project]\nname='x'\nversion='1'\ndependencies={}\n"
MANIFEST = "name: notes\npython_dependencies: [' click>=8 ', 5]\npip_dependencies: [rich]\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ()),
        ({"notes/requirements.txt": "# all\nhttpx>=0.27  # http\n-r other.txt\n\nrich\n"}, ("httpx>=0.27", "rich")),
        ({"requirements.txt": "rich\n"}, ("rich",)),
        ({"notes/requirements.txt": "yarl\n", "requirements.txt": "rich\n"}, ("yarl",)),
        ({"pyproject.toml": PROJECT.format("['Hermes_SDK','hermes-agent>=0.19','yarl>1']")}, ("yarl>1",)),
        ({"pyproject.toml": PROJECT.format("[]"), "notes/requirements.txt": "rich\n"}, ()),
        ({"pyproject.toml": "[tool.other]\n", "notes/requirements.txt": "rich\n"}, ("rich",)),
        ({"notes/plugin.yaml": MANIFEST}, ("click>=8", "rich")),
        ({"notes/plugin.yaml": MANIFEST, "requirements.txt": "yarl\nrich\n"}, ("click>=8", "rich", "yarl")),
        ({"notes/plugin.yaml": "name: notes\npython_dependencies: click\n"}, ()),
    ],
)
def test_requirements_come_from_manifest_and_project(
    files: dict[str, str], expected: tuple[str, ...], tmp_path: Path
) -> None:
    assert find_requirements(place(tmp_path, files)) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project\n"),
        ("notes/requirements.txt", "a b c\n"),
        ("notes/plugin.yaml", "name: notes\npython_dependencies: [a b c]\n"),
    ],
)
def test_error_locates_unreadable_requirements(name: str, text: str, tmp_path: Path) -> None:
    located = place(tmp_path, {name: text})
    with pytest.raises(UsageError, match="cannot be read") as caught:
        find_requirements(located)
    assert caught.value.where == str(tmp_path / name)


def test_declared_requirements_are_listed_up_to_unreadable_file(tmp_path: Path) -> None:
    located = place(tmp_path, {"notes/plugin.yaml": MANIFEST, "pyproject.toml": "[project\n"})
    assert list_declared(located) == [" click>=8 ", "rich"]


def test_unmet_requirements_are_found(install: Install, tmp_path: Path) -> None:
    install("paper", "ink; extra == 'ink'", "glue>=2 ; extra == 'glue'", version="1.5b1")
    install("ink")
    met = ["Paper>=1.5a1", "paper[ink]", "pencil; python_version < '3'", "pencil; sys_platform == 'nowhere'"]
    unmet = {"paper>=2": "1.5b1", "paper[glue,ink]": "1.5b1", "pencil": "", 'pencil; python_version == "3.12"': ""}
    assert find_unmet([*met, *unmet], [str(tmp_path / "site")], "3.12") == unmet


def test_dependencies_of_hermes_sdk_are_hidden_unless_release_has_them() -> None:
    hidden = find_hidden(FACTS, [])
    assert {"cookiecutter", "importlib_metadata", "pytest"} <= hidden
    assert not hidden & FACTS.third_party_modules
    assert "json" not in hidden


def test_declared_requirements_are_visible() -> None:
    assert "cookiecutter" in find_hidden(FACTS, [])
    hidden = find_hidden(FACTS, [" CookieCutter>=2 ; python_version > '3'", "hermes-sdk"])
    assert not {"cookiecutter", "binaryornot"} & hidden
    assert "jsonschema" in hidden


@pytest.mark.parametrize(("name", "hidden"), [("httpx", False), ("of_somebody_else", False), ("jsonschema", True)])
def test_dependencies_of_visible_packages_are_visible(name: str, hidden: bool, install: Install) -> None:
    assert "httpx" in FACTS.third_party_modules
    install(name, "paper", version="1.0b2", modules=name)
    install("paper", "cookiecutter")
    assert ("cookiecutter" in find_hidden(FACTS, [])) is hidden


def test_requirements_of_installed_plugin_are_visible(install: Install) -> None:
    # A distribution with this name is also one of our dependencies.
    install("jsonschema", "cookiecutter", entry_points="[hermes_agent.plugins]\nnotes = notes\n")
    assert "cookiecutter" not in find_hidden(FACTS, [], [EntryPoint("notes", "notes")])
    assert "cookiecutter" in find_hidden(FACTS, [], [EntryPoint("other", "other")])


@pytest.mark.parametrize(("needed", "hidden"), [("paper", True), ("paper[Ink,other]", False)])
def test_requirements_of_extra_are_visible_only_with_extra(needed: str, hidden: bool, install: Install) -> None:
    install("paper", 'cookiecutter>=2; python_version > "3" and extra == "ink"')
    assert ("cookiecutter" in find_hidden(FACTS, [needed])) is hidden


@pytest.mark.parametrize("key", ["python_dependencies", "pip_dependencies"])
def test_embedded_host_can_import_requirements_of_manifest(key: str, tmp_path: Path) -> None:
    folder = place(tmp_path, {"notes/__init__.py": IMPORTS_TWO}).directory
    assert show(folder)["error"] == "No module named 'jsonschema'"
    (folder / "plugin.yaml").write_text(f"name: notes\n{key}: ['PyYAML>=6', 'jsonschema>=4']\n")
    assert show(folder)["status"] == "loaded"


@pytest.mark.real_host
@pytest.mark.parametrize("release", ["0.19.0", "0.22.2"])
def test_packages_of_real_host_are_not_installed_again(release: str, tmp_path: Path, real_python: RealPython) -> None:
    real_python(release)
    source = "import httpx\ndef register(ctx): ctx.register_command('ping', lambda line: httpx.__version__)\n"
    project = f"{PROJECT.format(['httpx>=0.23.1'])}entry-points.'hermes_agent.plugins'.pinger = 'pinger'\n"
    for name, text in {"pyproject.toml": project, "pinger/__init__.py": source}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for host in ("embedded", "real"):
        assert show(tmp_path, host=host, release=release)["commands"] == ["ping"]


@pytest.mark.real_host
def test_real_host_needs_requirements_of_manifest(
    tmp_path: Path, real_python: RealPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments = real_python("0.19.0").parent.parent.parent
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "environments").symlink_to(environments)
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    text = "name: notes\npython_dependencies: ['PyYAML>=6', 'jsonschema>=4']\n"
    folder = place(tmp_path, {"notes/__init__.py": IMPORTS_TWO, "notes/plugin.yaml": text}).directory
    with pytest.raises(UnavailableError, match=r"requires jsonschema>=4, which is not installed"):
        show(folder, host="real", release="0.19.0")
