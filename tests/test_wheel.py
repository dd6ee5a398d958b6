"""The wheel and the sdist are complete, and work without a checkout."""

import compileall
import os
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from publication import ROOT, UV, add, build, install, run, uv

from hermes_sdk import __version__
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates


def list_members(archive: Path) -> set[str]:
    """Return the files in a wheel, or in an sdist without its leading directory."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return set(wheel.namelist())
    with tarfile.open(archive) as sdist:
        return {member.name.partition("/")[2] for member in sdist.getmembers() if not member.isdir()}


def walk_files(directory: Path) -> Iterator[str]:
    """Yield the files below a directory, including those behind links."""
    for place, _, found in os.walk(directory, followlinks=True):
        if not place.endswith("__pycache__"):
            yield from ((Path(place) / name).relative_to(directory).as_posix() for name in found)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an sdist, and the wheel from it in the same directory; return the wheel."""
    return build(ROOT, tmp_path_factory.mktemp("published") / "dist")


@pytest.fixture(scope="module")
def sdist(wheel: Path) -> Path:
    (found,) = wheel.parent.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def project(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a project with the installed wheel."""
    place = tmp_path_factory.mktemp("installed")
    environment = place / "environment"
    install(wheel, environment)
    run(str(environment / "bin/hermes-sdk"), "new", "plugin", "--no-input", "--name", "Team Notes", cwd=place)
    return place / "team-notes"


def test_templates_are_complete_in_wheel_and_sdist(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    """Include files behind links, which the build backend alone would include only once."""
    wheel_of_checkout = build(ROOT, tmp_path / "dist", "--wheel")
    files = {f"{kind}/{name}" for kind in templates() for name in walk_files(ROOT / "templates" / kind)}
    assert {f"{kind}/templates/hermes-sdk.toml" for kind in templates()} <= files
    assert {f"templates/{name}" for name in files} - list_members(sdist) == set()
    assert wheel_of_checkout.read_bytes() == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(archive.open("hermes_sdk/templates.zip")) as packed:
        assert set(packed.namelist()) == {*files, "cookiecutter.json"}
        assert packed.read("cookiecutter.json") == (ROOT / "cookiecutter.json").read_bytes()
        assert [name for name in files if packed.read(name) != (ROOT / "templates" / name).read_bytes()] == []


def test_wheel_contains_only_the_package(wheel: Path) -> None:
    stubs = set(walk_files(ROOT / "hermes_sdk/_stubs"))
    sources = {f"hermes_sdk/{name}" for name in walk_files(ROOT / "hermes_sdk") if not name.startswith("_stubs/")}
    assert (sources | stubs) - list_members(wheel) == set()
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(archive.open("hermes_sdk/documentation.zip")) as packed:
        pages = {page.relative_to(ROOT / "docs").as_posix() for page in ROOT.glob("docs/**/*.md")}
        assert set(packed.namelist()) == pages
        assert archive.getinfo("hermes_sdk/documentation.zip").file_size <= 600_000
    assert {name.split("/")[0] for name in list_members(wheel)} == {
        *(name.split("/")[0] for name in stubs),
        "hermes_sdk",
        "hermes_sdk_pytest.py",
        f"hermes_sdk-{__version__}.dist-info",
    }


def test_wheel_contains_the_licence_of_texts_from_hermes(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [notice] = [name for name in archive.namelist() if name.endswith(".dist-info/licenses/NOTICE")]
        text = archive.read(notice).decode()
    assert "Copyright (c) 2025 Nous Research" in text
    assert "The above copyright notice and this permission notice shall be included" in text


def test_wheel_metadata_contains_readme_without_file_links(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"hermes_sdk-{__version__}.dist-info/METADATA").decode()
    assert "Description-Content-Type: text/markdown\n" in metadata
    assert "\n# hermes-sdk\n" in metadata
    assert "](docs/" not in metadata or "\nProject-URL: Repository, https://" in metadata


def test_installed_size_of_the_wheel_is_limited(wheel: Path, tmp_path: Path) -> None:
    """Include compiled modules, which installers create."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    assert compileall.compile_dir(tmp_path, quiet=2)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 14_700_000


def test_installed_wheel_creates_the_same_projects_as_the_checkout(project: Path, tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates
for kind in templates():
    new(kind, Path(sys.argv[1], kind))
"""
    run(str(project.parent / "environment/bin/python"), "-c", code, str(tmp_path / "theirs"), cwd=tmp_path)
    for kind in templates():
        new(kind, tmp_path / "ours" / kind)
    theirs, ours = (sorted(walk_files(tmp_path / side)) for side in ("theirs", "ours"))
    assert theirs == ours
    for name in ours:
        their, our = tmp_path / "theirs" / name, tmp_path / "ours" / name
        assert (their.read_bytes(), their.stat().st_mode) == (our.read_bytes(), our.stat().st_mode)


def test_wheel_of_a_project_contains_the_plugin(project: Path, tmp_path: Path) -> None:
    wheel = build(project, tmp_path / "dist")
    assert {"team_notes/plugin.yaml", "team_notes/skills/taking-notes/SKILL.md"} <= list_members(wheel)
    assert not [name for name in list_members(wheel) if name.startswith("tests")]
    information = "hermes_plugin_team_notes-0.1.0.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        entry_points = archive.read(f"{information}/entry_points.txt").decode()
    assert entry_points == "[hermes_agent.plugins]\nteam-notes = team_notes\n"


def test_installed_wheel_runs_tests_with_warnings_as_errors(project: Path, tmp_path: Path) -> None:
    """Check that pytest does not warn about our modules, which are imported before it starts."""
    environment = project.parent / "environment"
    add(environment, "pytest")
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    (copy / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    out = run(str(environment / "bin/hermes-sdk"), "compat", "--only", "embedded:0.19.0", cwd=copy)
    assert "✓ passes" in out


@pytest.mark.slow
def test_update_with_a_wheel_installed_by_pip_merges(wheel: Path, tmp_path: Path) -> None:
    """Compile modules as pip and the tests of a project do."""
    environment, project = tmp_path / "environment", tmp_path / "team-notes"
    python, program = str(environment / "bin/python"), str(environment / "bin/hermes-sdk")
    run(sys.executable, "-m", "venv", str(environment), cwd=tmp_path)
    if UV:
        uv("pip", "install", "--python", python, f"{wheel}[test]", cwd=tmp_path)
        run(UV, "pip", "uninstall", "--python", python, "hermes-sdk", cwd=tmp_path)
    run(python, "-m", "pip", "install", f"{wheel}[test]", cwd=tmp_path)
    run(program, "new", "plugin", "--no-input", "--name", "Team Notes", cwd=tmp_path)
    for setting in ("user.name=Ada", "user.email=ada@example.com"):
        run("git", "config", *setting.split("="), cwd=project)
    notes = project / "team_notes/notes.py"
    notes.write_text(notes.read_text() + "\n\nOURS = True\n")
    run("git", "add", "--all", cwd=project)
    run("git", "commit", "--quiet", "--message", "Ours", cwd=project)
    run(python, "-m", "pytest", "-q", cwd=project)
    assert list(project.rglob("*.pyc")), "the tests compile the plugin"

    newer = build(copy_changed_checkout(tmp_path / "checkout"), tmp_path / "newer", "--wheel")
    run(python, "-m", "pip", "install", "--no-deps", "--force-reinstall", str(newer), cwd=tmp_path)
    output = run(program, "update", cwd=project)

    assert "Update to the template 'plugin'" in output
    assert notes.read_text().startswith('"""Changed by the template."""')
    assert notes.read_text().endswith("OURS = True\n")
    assert run("git", "status", "--porcelain", cwd=project) == ""
    with zipfile.ZipFile(project / ".hermes-sdk.base.zip") as base:
        everything = [*base.namelist(), *run("git", "ls-files", cwd=project).splitlines()]
    assert not [name for name in everything if "__pycache__" in name or name.endswith(".pyc")]


def copy_changed_checkout(directory: Path) -> Path:
    """Copy the files of this repository, and change the template `plugin`."""
    for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0")[:-1]:
        if not name.startswith(("tests/", "docs/", "bench/")):
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    package = directory / "templates/plugin/{{cookiecutter.plugin_slug}}/{{cookiecutter.__package}}"
    (module,) = package.glob("*notes.py*")
    before = module.read_text().partition("\n")
    module.write_text('"""Changed by the template."""\n' + before[2])
    return directory
