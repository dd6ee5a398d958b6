"""The suites test a plugin in the form that the command line selects."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from form_projects import settings, write_project
from testing.suites.mutating import EXAMPLES

SUITE = """
from hermes_sdk.testing import {suite}

class TestIt({suite}):
    pass
"""
HOSTS = ["embedded", pytest.param("real", marks=pytest.mark.real_host)]
RULES = "loads or visible or offered or answer or loaded_again"


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("form", "outcomes"),
    [
        ("directory", {"failed": 1, "skipped": 8}),
        ("package", {"passed": 7, "skipped": 2}),
        ("all", {"passed": 7, "failed": 1, "skipped": 10}),
    ],
)
def test_suite_tests_the_selected_form(
    host: str,
    form: str,
    outcomes: dict[str, int],
    pytester: pytest.Pytester,
    request: pytest.FixtureRequest,
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    where = "--hermes-host", host, "--hermes-release", "0.19.0"
    pytester.runpytest(*where, "--hermes-form", form, "-k", RULES).assert_outcomes(**outcomes)


def test_suite_tests_and_names_the_first_form_that_loads(pytester: pytest.Pytester) -> None:
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    result = pytester.runpytest()
    assert result.parseoutcomes().get("failed") is None
    result.stdout.fnmatch_lines(["tides runs as a package; as a directory it does not load: *"])


def test_suite_tests_the_selected_plugin(pytester: pytest.Pytester) -> None:
    write_project("deep", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    assert pytester.runpytest("--hermes-plugin", "quay").parseoutcomes().get("failed") is None
    result = pytester.runpytest("-k", "loads")
    result.stdout.fnmatch_lines(["*contains more than one plugin*"])


def test_message_names_the_file_in_the_package(pytester: pytest.Pytester) -> None:
    project = write_project("imports_itself", pytester.path)
    (project / "src" / "tides" / "__init__.py").write_text(
        "from tides.words import WORD\n\ndef register(ctx):\n    1 / 0\n"
    )
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    result = pytester.runpytest("--hermes-form", "package")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["HS801, it loads: its status is failed: division by zero"])


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("sqlite_memory", None),
        ("sqlite_memory:register", "package"),
        pytest.param("sqlite_memory.provider:SqliteMemory", "package", marks=pytest.mark.slow),
        pytest.param("sqlite_memory.provider:make", "package", marks=pytest.mark.slow),
    ],
)
def test_memory_provider_in_a_package_is_tested(value: str, form: str | None, pytester: pytest.Pytester) -> None:
    _write_memory_package(pytester.path, value)
    options = ("--hermes-form", form) if form else ()
    result = pytester.runpytest(*options)
    outcomes = result.parseoutcomes()
    assert outcomes.get("failed") is None, result.stdout.str()
    assert outcomes["passed"] > 50


def test_memory_provider_in_a_package_is_not_found_before_0_20_1(pytester: pytest.Pytester) -> None:
    _write_memory_package(pytester.path, "sqlite_memory:register")
    options = ("--hermes-form", "package", "--hermes-release", "0.19.0")
    result = pytester.runpytest(*options, "-k", "finds_a_provider")
    result.stdout.fnmatch_lines(["HS820, *: The host has no plugin 'sqlite_memory'."])


def test_mistake_in_a_packaged_memory_provider_is_found(pytester: pytest.Pytester) -> None:
    package = _write_memory_package(pytester.path, "sqlite_memory:register")
    provider = package / "provider.py"
    provider.write_text(provider.read_text().replace("def sync_turn(", "def sync_turn_("))
    result = pytester.runpytest("-k", "stores_and_recalls")
    result.stdout.fnmatch_lines(["HS818, *; rename sync_turn_() at sqlite_memory/provider.py:* to sync_turn"])


def _write_memory_package(project: Path, value: str) -> Path:
    package = project / "sqlite_memory"
    shutil.copytree(EXAMPLES / "sqlite_memory", package, ignore=shutil.ignore_patterns("__pycache__", "plugin.yaml"))
    (package / "__init__.py").rename(package / "provider.py")
    (package / "__init__.py").write_text("from .provider import register\n")
    with (package / "provider.py").open("a") as file:
        file.write("\n\ndef make() -> Any:\n    return SqliteMemory()\n")
    group = "hermes_agent.memory_providers"
    (project / "pyproject.toml").write_text(settings("sqlite_memory", value, group=group))
    (project / "test_it.py").write_text(SUITE.format(suite="MemoryProviderContract"))
    return package


def test_memory_suite_skips_packages_of_other_plugins(pytester: pytest.Pytester) -> None:
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="MemoryProviderContract"))
    result = pytester.runpytest("--hermes-form", "package", "-k", "starts_with", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*tests only packages with an entry point in hermes_agent.memory_providers"])
