"""Checking a plugin in each of its forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from form_projects import TOOL, write_project

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options


def find(project: Path, **options: object) -> list[tuple[str, str, str]]:
    result = check(project, Options(host="embedded", release="0.22.2")._replace(**options))
    return [(one.code, one.severity, one.message) for one in result.findings]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("imports_itself", "ModuleNotFoundError: No module named 'tides'"),
        ("manifest_at_root", "FileNotFoundError: No __init__.py in $HERMES_HOME/plugins/dunes"),
    ],
)
def test_failing_form_is_a_warning_when_another_form_loads(name: str, error: str, tmp_path: Path) -> None:
    project = write_project(name, tmp_path)
    message = f"the plugin loads as a package, but not as a directory: {error}"
    assert find(project) == [("HS218", "warning", message)]
    assert find(project, form="package") == []
    assert find(project, form="directory") == [("HS201", "error", f"the plugin does not load: {error}")]


def test_exit_in_one_form_is_a_warning(tmp_path: Path) -> None:
    project = write_project("imports_itself", tmp_path)
    exits = "import sys\nif __name__ == 'tides': sys.exit(3)\n"
    (project / "src/tides/__init__.py").write_text(exits + TOOL.format(name="tides"))
    [(code, severity, message)] = find(project, release="0.19.0")
    assert (code, severity) == ("HS218", "warning")
    assert message == (
        "the plugin loads as a directory, but not as a package: plugin 'tides' ended the host with exit status 3"
    )


@pytest.mark.parametrize("name", ["deep", "renamed", "memory_package"])
def test_plugin_that_loads_in_all_forms_has_no_finding(name: str, tmp_path: Path) -> None:
    assert find(write_project(name, tmp_path)) == []


def test_finding_in_one_form_names_the_form(tmp_path: Path) -> None:
    project = write_project("deep", tmp_path)
    module = project / "src/coast/parts/built/pier/__init__.py"
    hook = "    ctx.register_hook('pre_tol_call', lambda **more: None)\n"
    module.write_text(module.read_text() + hook)
    [both] = find(project, plugin="pier")
    module.write_text(
        module.read_text().replace("    ctx.register_hook", "    if __name__[:5] == 'coast': ctx.register_hook")
    )
    assert find(project, plugin="pier") == [(*both[:2], f"{both[2]} (as a package)")]
