from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Finding, NotRun
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem, Rules, example
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.static import run_static_rules
from hermes_sdk.contract import load
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.manifest import locate

REGISTER = "def register(ctx):\n    ctx.register_command('example', print)\n"


def codes(result) -> list[str]:
    return [finding.code for finding in result.findings]


def static(directory: Path, *, base: Path | None = None) -> list[Finding]:
    return list(run_static_rules(Plugin(locate(directory), base or directory), RULES, [load("0.19.0")]))


def test_static_rules_never_import_the_plugin(plugin, tmp_path):
    marker = tmp_path / "marker"
    marker.touch()
    removing = f"import os\nos.unlink({str(marker)!r})\n\n\n{REGISTER}"
    assert check(plugin({"__init__.py": removing}), Options(static=True)).findings == ()
    assert marker.exists()


CARELESS = Rules()


@CARELESS.rule("HS204", bad=example(), good=example())
def careless(plugin):
    """title

    why

    Fix: fix
    """
    yield Problem("before the mistake", "x")
    raise KeyError("oops")


def test_failing_rule_counts_as_not_run_and_others_continue(plugin):
    directory = plugin({"__init__.py": "async def register(ctx):\n    ctx.register_command('example', print)\n"})
    outcomes = list(run_static_rules(Plugin(locate(directory), directory), [*CARELESS, *RULES], [load("0.19.0")]))
    (failed,) = [one for one in outcomes if isinstance(one, NotRun)]
    assert "bug in hermes-sdk: KeyError: 'oops'" in failed.reason
    assert "HS204" in {one.code for one in outcomes if isinstance(one, Finding) and one.path == "__init__.py"}


def test_check_is_deterministic(plugin):
    directory = plugin({"__init__.py": "import a_b_c\n", "lib/broken.py": "def\n", "plugin.yaml": "nam: x\n"})
    assert check(directory) == check(directory)


def test_findings_are_sorted_by_place(plugin):
    source = 'def register(ctx):\n    ctx.register_hook("b", print)\n    ctx.register_hook("a", print)\n'
    source += '    ctx.register_command("a_b", print)\n'
    result = check(plugin({"__init__.py": source}))
    places = [(finding.path, finding.line, finding.code) for finding in result.findings]
    assert len(places) > 2
    assert places == sorted(places)


def test_paths_are_relative_to_the_checked_directory(plugin):
    directory = plugin({"__init__.py": "def (:\n"})
    assert [finding.path for finding in static(directory, base=directory)] == ["__init__.py"]
    assert [finding.path for finding in static(directory, base=directory.parent)] == ["example/__init__.py"]


def test_runtime_rules_are_undecided_for_a_plugin_that_another_loader_loads(plugin):
    manifest = "name: example\nversion: '1.0.0'\ndescription: x\nkind: exclusive\n"
    directory = plugin({"plugin.yaml": manifest, "__init__.py": REGISTER})
    result = check(directory)
    assert codes(result) == ["HS132"]
    assert {entry.code for entry in result.not_run} >= {"HS201", "HS205", "HS451"}
    assert all("exclusive" in entry.reason for entry in result.not_run)
    assert not check(directory, Options(strict=True)).passes()


def test_runtime_rules_skip_memory_providers(plugin):
    source = """\
from agent.memory_provider import MemoryProvider


class Notes(MemoryProvider):
    name = "example"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        pass

    def get_tool_schemas(self):
        return []


def register(ctx):
    ctx.register_memory_provider(Notes())
"""
    manifest = "name: example\nversion: '1.0.0'\ndescription: x\nkind: exclusive\n"
    result = check(plugin({"plugin.yaml": manifest, "__init__.py": source}), Options(strict=True))
    assert (codes(result), result.not_run, result.passes()) == ([], (), True)


def test_runtime_rules_skip_model_providers(plugin):
    source = "from providers import register_provider\nfrom providers.base import ProviderProfile\n"
    source += "\nregister_provider(ProviderProfile(name='example'))\n"
    manifest = "name: example\nversion: '1.0.0'\ndescription: x\nkind: model-provider\n"
    result = check(plugin({"plugin.yaml": manifest, "__init__.py": source}), Options(strict=True))
    assert (codes(result), result.not_run, result.passes()) == ([], (), True)


def test_runtime_rules_are_undecided_for_an_unsupported_import(plugin):
    source = f"from gateway import run\n\n\n{REGISTER}"
    result = check(plugin({"__init__.py": source}), Options(release="0.23.4"))
    assert codes(result) == ["HS732"]
    assert "gateway" in result.not_run[0].reason


@pytest.mark.parametrize(
    ("line", "is_about_hooks"),
    [
        ("pass", False),
        ("ctx.register_hook('post_llm_call', print)", True),
        ("getattr(ctx, 'register_' + 'hook')", True),
    ],
)
def test_rules_about_calls_absent_from_the_source_are_decided(plugin, line, is_about_hooks):
    source = f"from gateway import run\n\n\ndef register(ctx):\n    {line}\n"
    undecided = {entry.code for entry in check(plugin({"__init__.py": source}), Options(release="0.23.4")).not_run}
    assert ("HS401" in undecided) == is_about_hooks
    assert "HS201" in undecided


def test_missing_module_is_reported_at_the_manifest(write):
    result = check(write({"plugin.yaml": "name: example\nkind: standalone\n"}))
    assert [(finding.code, finding.path) for finding in result.findings] == [("HS201", "plugin.yaml")]


@pytest.mark.parametrize(
    ("file", "source", "line"),
    [
        ("__init__.py", "def register(ctx):\n    from . import helper\n\n    helper.start(ctx)\n", 2),
        ("helper.py", "def start(ctx):\n    raise LookupError(ctx)\n", 2),
    ],
    ids=["the innermost line", "also in another module"],
)
def test_load_error_is_reported_at_its_line(plugin, file, source, line):
    files = {"__init__.py": "def register(ctx):\n    from . import helper\n\n    helper.start(ctx)\n", file: source}
    (finding,) = check(plugin(files)).findings
    assert (finding.code, finding.path, finding.line) == ("HS201", file, line)


def test_registration_rules_do_not_run_when_the_load_fails(plugin):
    result = check(plugin({"__init__.py": "raise ValueError('no luck')\n"}))
    assert codes(result) == ["HS201"]
    assert "no luck" in result.findings[0].message
    assert {entry.reason.partition(";")[0] for entry in result.not_run} == {"the plugin does not load"}


@pytest.mark.parametrize(
    "manifest",
    ["\tname: x\n", "- a\n", "a: 1\n---\nb: 2\n", "a: [\n", "name: 5\n", "name: off\n", "name: a/b\n", "!!x y\n"],
)
def test_broken_manifest_is_a_finding_with_a_place(plugin, manifest):
    result = check(plugin({"plugin.yaml": manifest, "__init__.py": REGISTER}))
    assert [finding.path for finding in result.findings if finding.code.startswith("HS1")]


def test_exit_at_import_is_a_finding(plugin):
    result = check(plugin({"__init__.py": "import os\nos._exit(4)\n"}))
    assert codes(result) == ["HS202"]


def test_hang_at_import_is_a_finding(plugin):
    directory = plugin({"__init__.py": "import threading\nthreading.Event().wait()\n"})
    result = check(directory, Options(time_limit=1.5))
    assert codes(result) == ["HS202"]
    assert "1.5 s" in result.findings[0].message


def test_unknown_release_is_a_usage_error(plugin):
    with pytest.raises(UsageError, match=r"0\.19\.0"):
        check(plugin({"__init__.py": REGISTER}), Options(release="9.9.9"))


def test_earlier_release_is_checked_against_its_own_contract(plugin):
    source = 'def register(ctx):\n    ctx.register_hook("pre_verify", lambda **kwargs: None)\n'
    manifest = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_hooks: [pre_verify]\n"
    directory = plugin({"plugin.yaml": manifest, "__init__.py": source})
    assert codes(check(directory)) == []
    old = check(directory, Options(release="0.13.0"))
    assert codes(old) == ["HS401"]
    assert "0.18.0" in old.findings[0].message


@pytest.mark.parametrize(("release", "severity"), [("0.15.2", "warning"), ("0.16.0", "error")])
def test_callback_without_kwargs_is_an_error_since_0_16_0(plugin, release, severity):
    manifest = "name: example\nkind: standalone\nversion: '1.0.0'\ndescription: x\nprovides_hooks: [on_session_start]\n"
    source = 'def register(ctx):\n    ctx.register_hook("on_session_start", lambda session_id, model, platform: None)\n'
    result = check(plugin({"plugin.yaml": manifest, "__init__.py": source}), Options(release=release))
    assert [(finding.code, finding.severity) for finding in result.findings] == [("HS402", severity)]


def test_built_in_slash_commands_depend_on_the_release(plugin):
    directory = plugin({"__init__.py": 'def register(ctx):\n    ctx.register_command("/Learn", lambda line: "")\n'})
    assert codes(check(directory)) == ["HS451"]
    assert codes(check(directory, Options(release="0.13.0"))) == []


def test_misspelt_hook_gets_a_suggestion(plugin):
    source = 'def register(ctx):\n    ctx.register_hook("pre_tol_call", lambda **kwargs: None)\n'
    messages = [finding.message for finding in check(plugin({"__init__.py": source})).findings]
    assert "Hermes 0.22.2 has no hook 'pre_tol_call'; did you mean 'pre_tool_call'?" in messages


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(source=st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode)))
def test_any_bytes_are_parsed_or_reported(plugin, source: bytes):
    directory: Path = plugin({})
    (directory / "__init__.py").write_bytes(source)
    found = static(directory)
    assert {finding.code for finding in found} <= {"HS203", "HS204", "HS611"}
    assert all(finding.line >= 1 and finding.column >= 1 and finding.message for finding in found)


@pytest.mark.parametrize("nested", ["(" * 5000, "-" * 100_000 + "1", "x" + ".a" * 100_000, "[" * 90 + "]" * 90])
def test_deep_syntax_tree_is_parsed_or_reported(plugin, nested):
    directory = plugin({"__init__.py": REGISTER, "deep.py": nested})
    for finding in static(directory):
        assert (finding.code, finding.path) == ("HS203", "deep.py")


def test_loop_of_symbolic_links_ends(plugin):
    directory = plugin({"__init__.py": REGISTER})
    (directory / "again").symlink_to(directory, target_is_directory=True)
    assert codes(check(directory)) == []


def test_plugin_without_a_manifest_is_checked_by_its_entry_point(tmp_path):
    entry_point = "[project.entry-points.'hermes_agent.plugins']\nexample = 'example_plugin'\n"
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'example'\nversion = '1'\n{entry_point}")
    (tmp_path / "example_plugin.py").write_text('def register(ctx):\n    ctx.register_hook("nope", print)\n')
    result = check(tmp_path)
    assert {(finding.code, finding.path) for finding in result.findings} == {("HS401", "example_plugin.py")}


def test_missing_plugin_is_a_usage_error(tmp_path):
    with pytest.raises(HermesSdkError) as caught:
        check(tmp_path)
    assert caught.value.exit_code == 2
