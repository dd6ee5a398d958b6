"""Results of running a plugin in a cell."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from compat.matrices import matrix_of, outcome_of

from hermes_sdk import contract
from hermes_sdk.compat import pool, testing
from hermes_sdk.compat.cells import Job, parse
from hermes_sdk.hosts import environments
from hermes_sdk.hosts.staging import StagedHome

SETTINGS = """
    def register(ctx):
        ctx.get_config("endpoint")
"""
TESTS = """
    import pytest
    def test_passes(hermes): assert hermes.command("/a 1") == "1"
    def test_fails(hermes): assert hermes.command("/a 1") == "2"
    def test_breaks_at_its_end(request): request.addfinalizer(lambda: 1 / 0)
    def test_skips(): pytest.skip("no")
    @pytest.mark.xfail
    def test_is_expected_to_fail(): assert 0
    @pytest.mark.parametrize("number", range(3))
    def test_many(number): pass
"""


def test_working_plugin_passes_with_its_tests(plugin):
    one = outcome_of(plugin(test="def test_it(hermes): assert hermes.command('/a 1') == '1'\n"))
    assert (one.verdict, one.loads, one.error, one.missing_apis) == ("passes", True, None, ())
    assert one.registered == {"commands": ["a"]}
    assert (one.tests.passed, one.tests.failed) == (1, 0)
    assert "1 passed" in one.log


def test_test_counts_equal_those_of_pytest(plugin):
    one = outcome_of(plugin(test=TESTS))
    assert one.verdict == "fails"
    assert (one.tests.passed, one.tests.failed, one.tests.skipped) == (4, 2, 2)
    assert one.tests.failures == ("tests/test_it.py::test_fails", "tests/test_it.py::test_breaks_at_its_end")
    assert "assert '1' == '2'" in one.log
    assert "Plugin discovery complete" in one.log


def test_uncollectable_file_is_a_failure(plugin):
    one = outcome_of(plugin(test="import nonsense\n"))
    assert (one.tests.passed, one.tests.failures) == (0, ("tests/test_it.py",))


def test_missing_apis_are_listed_for_each_release(plugin):
    root = plugin(SETTINGS)
    older, newer = matrix_of(root, "embedded:0.20.0", "embedded:0.20.2").outcomes
    assert (older.verdict, older.loads) == ("fails", False)
    assert older.error == "'PluginContext' object has no attribute 'get_config'"
    assert older.missing_apis == ("ctx.get_config",)
    assert (newer.verdict, newer.missing_apis) == ("passes", ())


def test_changed_plugin_is_read_again(plugin):
    root = plugin(SETTINGS)
    assert outcome_of(root, "embedded:0.19.0").missing_apis == ("ctx.get_config",)
    assert outcome_of(plugin(), "embedded:0.19.0").missing_apis == ()


def test_dead_worker_process_is_replaced(plugin):
    root = plugin()
    assert outcome_of(root).verdict == "passes"
    os.kill(pool._idle[-1]._process.pid, signal.SIGKILL)
    pool._idle[-1]._process.wait()
    assert outcome_of(root).verdict == "passes"


def test_missing_api_is_listed_if_used_dynamically_but_not_if_guarded(plugin):
    root = plugin("""
        def register(ctx):
            if hasattr(ctx, "get_config"):
                ctx.get_config("endpoint")
            for name in ("post_" + "auxiliary_call", "on_session_" + "start"):
                ctx.register_hook(name, lambda **more: None)
    """)
    one = outcome_of(root, "embedded:0.19.0")
    assert (one.verdict, one.missing_apis) == ("lacks", ("hook post_auxiliary_call",))


def test_missing_imports_are_named(plugin):
    root = plugin("def register(ctx):\n    from agent.auxiliary_hooks import anything\n")
    assert outcome_of(root, "embedded:0.19.0").missing_apis == ("module agent.auxiliary_hooks",)


def test_unsupported_use_has_no_verdict(plugin):
    one = outcome_of(plugin("import run_agent\ndef register(ctx): ...\n"))
    assert (one.verdict, one.loads) == ("unknown", None)
    assert one.error == "imports host modules that the embedded host does not model: run_agent"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("import sys\nsys.exit(3)\n", "plugin 'mine' ended the host with exit status 3"),
        ("import os\nos._exit(3)\n", "plugin 'mine' ended the host with exit status 3"),
        ("def register(ctx): raise ValueError('first\\nsecond')\n", "first"),
    ],
)
def test_plugin_that_exits_or_fails_does_not_load(body, error, plugin):
    one = outcome_of(plugin(body))
    assert (one.verdict, one.loads) == ("fails", False)
    assert one.error.startswith(error)


def test_memory_provider_is_loaded_by_the_memory_loader(plugin):
    root = plugin(
        """
        from agent.memory_provider import MemoryProvider
        class Mine(MemoryProvider):
            name = "mine"
            def is_available(self): return True
            def initialize(self, session_id, **more): ...
            def get_tool_schemas(self): return []
        def register(ctx): ctx.register_memory_provider(Mine())
        """,
        manifest="",
    )
    (root / "mine_plugin" / "plugin.yaml").write_text("name: mine\nkind: exclusive\n")
    one = outcome_of(root)
    assert (one.verdict, one.registered) == ("passes", {"memory_provider": ["mine"]})


@pytest.mark.parametrize(
    ("ending", "problem"),
    [
        ("os._exit(9)", "the tests ended pytest with exit code 9"),
        ("os.kill(os.getpid(), 9)", "the tests were killed by signal 9"),
    ],
)
def test_hanging_or_exiting_tests_fail(ending, problem, plugin):
    root = plugin(test=f"import os, time\ndef test_a(): ...\ndef test_b(): {ending}\n")
    one = outcome_of(root)
    assert (one.verdict, one.loads, one.error) == ("fails", True, problem)
    assert one.tests.failed == 1


def test_tests_before_the_timeout_are_counted(plugin):
    root = plugin(test="import time\ndef test_a(): ...\ndef test_b(): time.sleep(60)\n")
    one = outcome_of(root, time_limit=3)
    assert (one.verdict, one.error) == ("fails", "the tests timed out after 3 s")
    assert (one.tests.passed, one.tests.failed) == (1, 1)


def test_pytest_that_cannot_start_gives_no_verdict(plugin):
    root = plugin(test="def test_it(): ...\n", files={"pytest.ini": "[pytest]\naddopts = --no-such-option\n"})
    one = outcome_of(root)
    assert (one.verdict, one.loads, one.tests) == ("unknown", True, None)
    assert one.error.startswith("pytest could not run: ERROR")
    assert "--no-such-option" in one.log


def test_plugin_without_tests_passes(plugin):
    one = outcome_of(plugin())
    assert (one.verdict, one.tests.passed, one.tests.failed) == ("passes", 0, 0)


def test_tests_do_not_see_the_users_environment(plugin, monkeypatch):
    monkeypatch.setenv("A_TOKEN", "secret")
    monkeypatch.setenv("HERMES_HOME", "/somewhere")
    root = plugin(
        test=f"""
        import os
        from pathlib import Path
        def test_it():
            assert "A_TOKEN" not in os.environ and "HERMES_HOME" not in os.environ
            assert Path.home() != Path({os.environ["HOME"]!r}) and not [*Path.home().iterdir()]
        """
    )
    assert outcome_of(root).tests.failures == ()


def test_settings_of_parent_directories_are_ignored(plugin):
    root = plugin(test="def test_it(hermes): ...\n", files={"tests/conftest.py": "def pytest_configure(config): ...\n"})
    (root.parent / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (root.parent / "conftest.py").write_text("1 / 0\n")
    assert outcome_of(root).tests.passed == 1


def test_plugin_runs_on_an_unproven_release(plugin):
    one = outcome_of(plugin(test="def test_it(hermes): assert hermes.release == '0.23.4'\n"), "embedded:0.23.4")
    assert (one.verdict, one.cell.grade) == ("passes", "API only")


@pytest.mark.real_host
@pytest.mark.parametrize("release", [contract.DEFAULT])
def test_real_host_registers_the_same_as_the_embedded_host(release, plugin, real_python):
    real_python(release)
    root = plugin(test="def test_it(hermes): assert (hermes.kind, hermes.command('/a 1')) == ('real', '1')\n")
    real, embedded = matrix_of(root, f"real:{release}", f"embedded:{release}").outcomes
    assert (real.verdict, real.tests.passed, real.registered) == ("passes", 1, embedded.registered)
    assert embedded.tests.failed == 1


@pytest.mark.real_host
def test_load_result_survives_tests_that_exit_the_process(plugin, real_python):
    real_python("0.19.0")
    one = outcome_of(plugin(test="import os\ndef test_it(): os._exit(9)\n"), "real:0.19.0")
    assert (one.loads, one.registered) == (True, {"commands": ["a"]})
    assert (one.error, one.tests.failed) == ("the tests ended pytest with exit code 9", 1)


def test_unavailable_release_has_a_reason(plugin, tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    real, embedded = matrix_of(plugin(), "real:0.19.0", "embedded:0.19.0").outcomes
    assert (real.verdict, real.loads, real.tests) == ("unknown", None, None)
    assert real.error.startswith("hermes-agent 0.19.0 is not on this machine and could not be installed: ")
    assert embedded.verdict == "passes"


def test_unavailable_revision_has_a_reason(plugin, tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    one = outcome_of(plugin(), f"real:git:file://{tmp_path}/nothing@main")
    assert one.verdict == "unknown"
    assert one.error.startswith(f"the revision 'main' of file://{tmp_path}/nothing cannot be found")


@pytest.mark.slow
@pytest.mark.real_host
def test_calculator_passes_on_every_release_on_both_hosts(real_python):
    real = environments.list_releases()
    for release in real:
        real_python(release)
    root = Path(__file__).parents[2] / "bench" / "subjects" / "calculator"
    embedded = (f"embedded:{release}" for release in contract.releases())
    matrix = matrix_of(root, *embedded, *(f"real:{release}" for release in real))
    assert {one.cell.name: one.verdict for one in matrix.outcomes if one.verdict != "passes"} == {}
    assert {one.tests.passed for one in matrix.outcomes} == {50}
    assert len({str(one.registered) for one in matrix.outcomes}) == 1
    assert matrix.floor == real[0] == "0.13.0"


def test_unreadable_requirements_are_reported_in_the_cell(plugin, real_python):
    real_python("0.19.0")
    root = plugin(files={"pyproject.toml": "[project]\nname = 'mine'\nversion = '1'\ndependencies = ['not a ===']\n"})
    one = outcome_of(root, "real:0.19.0")
    assert (one.verdict, one.loads) == ("unknown", None)
    assert one.error.startswith("a requirement cannot be read: ")


def test_test_with_unsupported_use_is_neither_passed_nor_failed(plugin):
    code = """
        def look(text):
            try:
                import run_agent
            except ImportError:
                return "none"
        def register(ctx):
            ctx.register_command("a", look)
    """
    test = "def test_{}(hermes): assert hermes.command('/a') == {!r}\n"
    test = test.format("a", "none") + test.format("b", "")
    one = outcome_of(plugin(code, test=test))
    assert (one.verdict, one.loads, one.tests.passed, one.tests.failed) == ("unknown", True, 0, 0)
    assert one.tests.unsupported == ("tests/test_it.py::test_a", "tests/test_it.py::test_b")
    assert one.error is not None
    assert one.error.startswith("The embedded host does not model run_agent (")


@pytest.mark.real_host
@pytest.mark.parametrize(
    "code",
    [
        "import run_agent\ndef register(ctx): ctx.register_command('a', lambda line: run_agent.__name__)\n",
        "def look(line):\n    import run_agent\n    return run_agent.__name__\n"
        "def register(ctx): ctx.register_command('a', look)\n",
    ],
    ids=["plugin", "test"],
)
def test_cell_with_unsupported_use_runs_in_the_real_host(plugin, real_python, code):
    real_python("0.19.0")
    root = plugin(code, test="def test_it(hermes): assert hermes.command('/a') == 'run_agent'\n")
    (one,) = matrix_of(root, "embedded:0.19.0", is_auto=True).outcomes
    assert (one.verdict, one.loads, one.tests.passed) == ("passes", True, 1)
    facts = one.as_json()
    assert (facts["host"], facts["release"], facts["rerun"]) == ("real", "0.19.0", True)
    assert "the embedded host does not model" in facts["reason"]
    assert "run_agent" in facts["reason"]
    (strict,) = matrix_of(root, "embedded:0.19.0").outcomes
    assert (strict.verdict != "passes", strict.cell.host, strict.rerun) == (True, "embedded", False)


def test_cell_names_the_command_that_installs_the_missing_real_host(plugin, tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    (one,) = matrix_of(plugin("import run_agent\ndef register(ctx): ...\n"), "embedded:0.19.0", is_auto=True).outcomes
    assert (one.verdict, one.cell.host) == ("unknown", "embedded")
    assert one.error.endswith("the real Hermes 0.19.0 is not installed: run `hermes-sdk hosts install 0.19.0`")


@pytest.mark.real_host
def test_cell_that_fails_for_another_reason_is_not_rerun(plugin, real_python):
    real_python("0.19.0")
    (one,) = matrix_of(plugin(test="def test_it(): assert 0\n"), "embedded:0.19.0", is_auto=True).outcomes
    assert (one.verdict, one.cell.host, one.rerun) == ("fails", "embedded", False)


def test_cell_leaves_no_server_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(StagedHome, "servers_stay", True)
    (tmp_path / "test_servers.py").write_text(
        "from hermes_sdk.hosts.staging import StagedHome\ndef test_it(): assert not StagedHome.servers_stay\n"
    )
    arguments = ["-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    monkeypatch.setattr("sys.argv", [])
    job = Job(str(tmp_path), str(tmp_path), parse("embedded:0.19.0"), 60)
    assert testing._run_pytest((job, arguments, False))["tests"]["passed"] == 1
