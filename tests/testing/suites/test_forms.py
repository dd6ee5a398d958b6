"""The suites test a plugin in the form that the command line names."""

from __future__ import annotations

import pytest
from form_projects import write_project

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
def test_a_suite_follows_the_form(
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


def test_a_suite_tests_the_first_form_that_loads_and_names_it(pytester: pytest.Pytester) -> None:
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    result = pytester.runpytest()
    assert result.parseoutcomes().get("failed") is None
    result.stdout.fnmatch_lines(["tides runs as a package; as a directory it does not load: *"])


def test_a_suite_follows_the_name_of_the_plugin(pytester: pytest.Pytester) -> None:
    write_project("deep", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    assert pytester.runpytest("--hermes-plugin", "quay").parseoutcomes().get("failed") is None
    result = pytester.runpytest("-k", "loads")
    result.stdout.fnmatch_lines(["*contains more than one plugin*"])


def test_a_message_names_the_file_of_a_package(pytester: pytest.Pytester) -> None:
    project = write_project("imports_itself", pytester.path)
    (project / "src" / "tides" / "__init__.py").write_text(
        "from tides.words import WORD\n\ndef register(ctx):\n    1 / 0\n"
    )
    pytester.makepyfile(test_it=SUITE.format(suite="PluginContract"))
    result = pytester.runpytest("--hermes-form", "package")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["HS801, it loads: its status is failed: division by zero"])


@pytest.mark.parametrize(("form", "outcomes"), [("package", {"skipped": 1}), ("directory", {"failed": 1})])
def test_a_suite_of_memory_providers_tests_only_directories(
    form: str, outcomes: dict[str, int], pytester: pytest.Pytester
) -> None:
    write_project("memory_package", pytester.path)
    pytester.makepyfile(test_it=SUITE.format(suite="MemoryProviderContract"))
    pytester.runpytest("--hermes-form", form, "-k", "starts_with").assert_outcomes(**outcomes)
