"""`pytest --hermes-check`."""

import pytest

MANIFEST = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: An example.\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_it="def test_nothing():\n    pass\n")
    pytester.mkdir("example").joinpath("plugin.yaml").write_text(MANIFEST, encoding="utf-8")
    pytester.path.joinpath("example/__init__.py").write_text(
        "def register(ctx):\n    ctx.register_command('example', print)\n", encoding="utf-8"
    )
    return pytester


def test_item_is_not_added_without_the_option(project):
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_item_passes_for_a_plugin_without_findings(project):
    result = project.runpytest_inprocess("--hermes-check", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*hermes-sdk check PASSED*"])


def test_item_fails_with_the_report_for_a_broken_plugin(project):
    project.path.joinpath("example/__init__.py").write_text("def (:\n", encoding="utf-8")
    result = project.runpytest_inprocess("--hermes-check")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*error HS203 not valid Python*", "*why*", "*fix*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_item_reports_a_project_without_a_plugin(pytester):
    pytester.makepyfile(test_it="def test_nothing():\n    pass\n")
    result = pytester.runpytest_inprocess("--hermes-check")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*no plugin in*"])


def test_item_can_be_selected_like_any_test(project):
    project.runpytest_inprocess("--hermes-check", "-k", "hermes-sdk").assert_outcomes(passed=1, deselected=1)
    project.runpytest_inprocess("--hermes-check", "-k", "nothing").assert_outcomes(passed=1, deselected=1)


def test_item_checks_the_release_of_the_test_run(project):
    source = 'def register(ctx):\n    ctx.register_hook("pre_verify", lambda **kwargs: None)\n'
    project.path.joinpath("example/__init__.py").write_text(source, encoding="utf-8")
    project.runpytest_inprocess("--hermes-check").assert_outcomes(passed=2)
    project.runpytest_inprocess("--hermes-check", "--hermes-release", "0.13.0").assert_outcomes(passed=1, failed=1)
