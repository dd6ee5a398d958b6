"""Loads of each form of a plugin from the source tree, on both hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from form_projects import write_project

from hermes_sdk.hosts.inspection import inspect_plugin, show
from hermes_sdk.hosts.interface import HostKind, Report
from hermes_sdk.manifest import Form, find_plugins

HOSTS = ["embedded", pytest.param("real", marks=pytest.mark.real_host)]
FORMS = [
    ("imports_itself", {("tides", "directory"): "failed", ("tides", "package"): "loaded"}),
    ("manifest_at_root", {("dunes", "directory"): "failed", ("dunes", "package"): "loaded"}),
    ("deep", {("pier", "directory"): "loaded", ("pier", "package"): "loaded", ("quay", "package"): "loaded"}),
    ("renamed", {("gulls", "package"): "loaded"}),
    ("unpacked_wheel", {("reeds", "package"): "loaded"}),
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("name", "expected"), FORMS)
def test_each_form_of_project_is_found_and_loaded(
    host: HostKind, name: str, expected: dict[tuple[str, Form], str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    project = write_project(name, tmp_path)

    def load(plugin: str, form: Form) -> Report:
        return show(project, host=host, release="0.19.0", plugin=plugin, form=form)

    found = {(one.name, one.form) for plugin in find_plugins(project) for one in plugin.forms}
    assert {one: load(*one)["status"] for one in found} == expected
    assert not [*project.rglob("__pycache__")]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(("release", "status"), [("0.19.0", "failed"), ("0.22.2", "skipped")])
def test_memory_provider_is_found_by_entry_point(
    host: HostKind, release: str, status: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")(release)
    report = show(write_project("memory_package", tmp_path), host=host, release=release)
    assert (report["plugin"]["source"], report["status"]) == ("entrypoint", status)
    assert report["memory_provider"] == ("shells" if status == "skipped" else None)
    refused = f"Hermes {release} does not read the group hermes_agent.memory_providers of entry points"
    assert report["error"] == (refused if status == "failed" else None)


@pytest.mark.real_host
@pytest.mark.parametrize("name", ["imports_itself", "renamed"])
def test_reports_of_package_are_equal_on_both_hosts(name: str, tmp_path: Path, real_python) -> None:
    real_python("0.22.2")
    project = write_project(name, tmp_path)
    embedded, real = (
        inspect_plugin(project, host=host, release="0.22.2", form="package") for host in ("embedded", "real")
    )
    assert {**embedded, "isolation": []} == {**real, "report": {**real["report"], "host": "embedded"}, "isolation": []}


def test_package_has_metadata_of_project(tmp_path: Path) -> None:
    project = write_project("renamed", tmp_path)
    (project / "lib/birds/__init__.py").write_text(
        "from importlib.metadata import metadata\n"
        "def register(ctx):\n    ctx.register_command(metadata('gulls-plugin')['Version'].replace('.', '-'), print)\n"
    )
    report = show(project)
    assert report["commands"] == ["1-5"]
    assert report["plugin"]["version"] == "1.5"


def test_wheel_has_name_and_version_of_distribution(tmp_path: Path) -> None:
    plugin = show(write_project("unpacked_wheel", tmp_path))["plugin"]
    assert (plugin["name"], plugin["version"]) == ("reeds", "1.5")


def test_version_of_project_cannot_escape_directory(tmp_path: Path) -> None:
    project = write_project("renamed", tmp_path / "project")
    settings = project / "pyproject.toml"
    text = settings.read_text()
    settings.write_text(text.replace('version = "1.5"', f'version = "1/../../../../../../../..{tmp_path}/outside"'))
    assert show(project)["status"] == "loaded"
    assert [one.name for one in tmp_path.iterdir()] == ["project"]


def test_error_of_package_is_located_in_source_tree(tmp_path: Path) -> None:
    project = write_project("renamed", tmp_path)
    (project / "lib/birds/words.py").write_text("WORD = 1\n1 / 0\n")
    failure = inspect_plugin(project)["failure"]
    assert failure
    assert failure["place"] == {"file": str(project / "lib/birds/words.py"), "line": 2}


@pytest.mark.parametrize("source", ["WORD = 1 / 0\n", "WORD = (\n"])
@pytest.mark.parametrize("is_editable", [True, False])
def test_failure_of_package_is_located_in_its_file(
    is_editable: bool, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write_project("imports_itself", tmp_path)
    (project / "src/tides/words.py").write_text(source)
    if is_editable:
        monkeypatch.syspath_prepend(str(project / "src"))
    failure = inspect_plugin(project, form="package")["failure"]
    assert failure is not None
    assert failure["place"] == {"file": str(project / "src/tides/words.py"), "line": 1}


def test_registration_of_editable_package_has_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = write_project("imports_itself", tmp_path)
    monkeypatch.syspath_prepend(str(project / "src"))
    registrations = inspect_plugin(project, form="package")["registrations"]
    places = {(one["file"], one["line"]) for one in registrations}
    lines = (project / "src/tides/__init__.py").read_text().splitlines()
    calls = {number for number, line in enumerate(lines, 1) if "ctx.register_" in line}
    assert places == {(str(project / "src/tides/__init__.py"), number) for number in calls}
