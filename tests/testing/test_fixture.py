"""The fixture ``hermes`` for authors of plugins: outcomes and messages of tests."""

from __future__ import annotations

import base64
from collections.abc import Callable
from textwrap import dedent

import pytest
from form_projects import write_project

GOOD = """
    import json, os
    def register(ctx):
        schema = {
            "name": "add", "description": "d",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
        }
        ctx.register_tool("add", "notes", schema, lambda args, **more: json.dumps({"sum": args["a"] + args["b"]}))
        ctx.register_hook("post_tool_call", lambda **more: more["tool_name"])
        ctx.register_command("variable", lambda line: os.environ.get("MINE", "none"))
        ctx.register_command("home", lambda line: os.environ["HOME"])
"""
SPOILS = """
    import json
    def spoil(*args, **more):
        raise KeyError("lost")
    def register(ctx):
        schema = {"name": "tool", "description": "d", "parameters": {"type": "object", "properties": {}}}
        ctx.register_tool("tool", "notes", schema, spoil)
        ctx.register_hook("post_tool_call", spoil)
        ctx.register_command("command", spoil)
"""

Project = Callable[..., pytest.Pytester]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a function that writes a project with a plugin in ``plugin/`` and a test."""
    # Do not inherit settings of the test run of this repository.
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    # In CI pytest repeats the whole message of a failure in its summary.
    monkeypatch.delenv("CI", raising=False)

    def write(
        test: str, body: str = GOOD, *, manifest: str | None = "name: notes\nkind: standalone\n"
    ) -> pytest.Pytester:
        if manifest is not None:
            folder = pytester.mkdir("plugin")
            (folder / "plugin.yaml").write_text(manifest)
            (folder / "__init__.py").write_text(dedent(body))
        pytester.makepyfile(test_it=dedent(test))
        return pytester

    return write


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess(
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:hypothesispytest",
        "--strict-markers",
        "-W",
        "error",
        *options,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "hermes: auto 0.22.2 (proven on a fork)"),
        (("--hermes-release", "0.23.4"), "hermes: auto 0.23.4 (API only)"),
        (("--hermes-host", "embedded"), "hermes: embedded 0.22.2 (proven on a fork)"),
        (("--hermes-host", "real"), "hermes: real 0.19.0"),
    ],
    ids=str,
)
def test_header_names_the_release(options, said, project, monkeypatch) -> None:
    # Users have no redistribution, so the newest real host that they can install is the one on the package index.
    monkeypatch.delenv("HERMES_SDK_SOURCES")
    run(project("def test_it(): pass\n"), *options).stdout.fnmatch_lines([said.replace("[", "[[]")])


@pytest.mark.parametrize(("host", "count"), [("real", 1), ("embedded", 0)])
def test_summary_names_the_real_host_if_the_header_is_hidden(project, monkeypatch, host, count) -> None:
    monkeypatch.delenv("HERMES_SDK_SOURCES")
    made = project("def test_it(): pass\n")
    lines = run(made, "-q", "--hermes-host", host).outlines
    assert [line for line in lines if line.startswith("hermes: ")] == ["hermes: real 0.19.0"] * count
    assert sum(line.startswith("hermes: ") for line in run(made, "--hermes-host", host).outlines) == 1


def test_header_is_omitted_without_a_plugin(project) -> None:
    run(project("def test_it(): pass\n", manifest=None)).stdout.no_fnmatch_line("hermes: *")


USES_ALL = """
    def test_it(hermes):
        assert hermes.kind == "embedded"
        assert (hermes.tools, hermes.hooks, hermes.commands) == (["add"], ["post_tool_call"], ["home", "variable"])
        assert hermes.call_tool("add", a="2", b=3).json == {"sum": 5}
        assert hermes.fire("post_tool_call", tool_name="mine") == ["mine"]
        assert hermes.report()["status"] == "loaded"
"""


def test_valid_plugin_passes(project: Project) -> None:
    run(project(USES_ALL)).assert_outcomes(passed=1)


def test_plugin_that_does_not_load_fails_with_its_own_traceback(project: Project) -> None:
    result = run(project(USES_ALL, "def helper():\n    return 1 / 0\ndef register(ctx):\n    helper()\n"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "The plugin did not load (failed): division by zero",
            "",
            "Traceback (most recent call last):",
            '*/plugins/notes/__init__.py", line 4, in register',
            "*return 1 / 0",
            "ZeroDivisionError: division by zero",
        ]
    )
    assert "hermes_sdk" not in result.stdout.str().partition("ERRORS")[2]


@pytest.mark.parametrize(
    ("call", "where"),
    [
        ("hermes.fire('post_tool_call')", "hook post_tool_call"),
        ("hermes.call_tool('tool')", "tool tool"),
        ("hermes.command('/command now')", "command /command"),
    ],
)
def test_swallowed_exception_fails_the_test_at_its_end(call: str, where: str, project: Project) -> None:
    result = run(project(f"def test_it(hermes):\n    {call}\n", SPOILS))
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            f"The host swallowed an exception of the plugin in {where}: KeyError: 'lost'",
            "If this is expected, declare it in the test: hermes.expect_swallowed(match='KeyError')",
            '*raise KeyError("lost")',
        ]
    )


LEAKS = """
import base64, os


def register(ctx):
    def leak(**arguments):
        key = os.environ["NOTES_API_KEY"]
        raise ValueError(f"cannot use {key}, Basic {base64.b64encode(f'me:{key}'.encode()).decode()}")

    ctx.register_hook("post_tool_call", leak)
"""


def test_swallowed_exception_is_printed_without_secrets(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_API_KEY", "kq7-blue-fish")
    result = run(project("def test_it(hermes):\n    hermes.fire('post_tool_call')\n", LEAKS))
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*ValueError: cannot use <redacted>, Basic <redacted>"])
    assert "kq7-blue-fish" not in result.stdout.str()
    assert base64.b64encode(b"me:kq7-blue-fish").decode() not in result.stdout.str()


def test_expected_exception_passes_and_unmet_expectation_fails(project: Project) -> None:
    test = """
        def test_met(hermes):
            hermes.expect_swallowed(match="KeyError: 'lost'")
            hermes.fire("post_tool_call")
        def test_unmet(hermes):
            hermes.expect_swallowed(match="TypeError")
    """
    result = run(project(test, SPOILS))
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["Nothing matched the expected 'TypeError'."])


def test_marker_declares_a_plugin_that_must_not_load(project: Project) -> None:
    test = """
        import pytest
        @pytest.mark.hermes(load=False)
        def test_it(hermes):
            assert hermes.report()["error"] == "division by zero"
    """
    run(project(test, "1 / 0\n")).assert_outcomes(passed=1)


def test_unsupported_plugin_fails_and_names_the_module(project: Project) -> None:
    result = run(project(USES_ALL, "import run_agent\ndef register(ctx): pass\n"), "--hermes-host", "embedded")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["The plugin did not load (unsupported): imports host modules *: run_agent"])


def test_command_line_selects_the_release(project: Project) -> None:
    written = project("def test_it(hermes): pass\n", "def register(ctx): ctx.on_unload(lambda: None)\n")
    run(written).assert_outcomes(passed=1)
    result = run(written, "--hermes-release", "0.19.0")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*'PluginContext' object has no attribute 'on_unload'"])
    result = run(written, "--hermes-release", "9.9")
    result.stdout.fnmatch_lines(["The release '9.9' of Hermes is not known.", "*The known releases are 0.13.0*"])


@pytest.mark.parametrize("setting", ["hermes_plugin = second", "[tool.hermes-sdk]\nplugin = 'second'"])
def test_settings_select_one_of_several_plugins(setting: str, project: Project) -> None:
    written = project("def test_it(hermes): assert hermes.plugins == ['second']\n")
    folder = written.mkdir("second")
    (folder / "plugin.yaml").write_text("name: second\nkind: standalone\n")
    (folder / "__init__.py").write_text("def register(ctx): pass\n")
    result = run(written)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*contains more than one plugin: plugin, second"])
    if setting.startswith("["):
        written.makepyprojecttoml(setting)
    else:
        written.makeini(f"[pytest]\n{setting}\n")
    run(written).assert_outcomes(passed=1)


def test_several_plugins_run_together(project: Project) -> None:
    written = project("""
        import pytest

        @pytest.mark.hermes(plugin=["plugin", "second"])
        def test_it(hermes):
            assert hermes.plugins == ["notes", "second"]
            assert hermes.command("/wave") == "waves"
            assert hermes.call_tool("add", a=2, b=3).json == {"sum": 5}

        @pytest.mark.hermes(plugin=["plugin", "third"])
        def test_one_does_not_load(hermes): pass

        @pytest.mark.hermes(plugin=["plugin", "plugin"])
        def test_twice(hermes): pass

        @pytest.mark.hermes(plugin=[])
        def test_none(hermes): pass
    """)
    for name, body in (("second", "ctx.register_command('wave', lambda line: 'waves')"), ("third", "1 / 0")):
        folder = written.mkdir(name)
        (folder / "plugin.yaml").write_text(f"name: {name}\nkind: standalone\n")
        (folder / "__init__.py").write_text(f"def register(ctx): {body}\n")
    result = run(written)
    result.assert_outcomes(passed=1, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "The plugin did not load (failed): division by zero",
            "the home already contains a plugin at *",
            "the marker `hermes`: plugin must name at least one plugin, not [[][]]",
        ]
    )


CORE_TOOL = """
from tools.registry import registry, tool_result

registry.register(
    name="weather",
    toolset="weather",
    schema={"name": "weather", "description": "Tell it.", "parameters": {"type": "object", "properties": {}}},
    handler=lambda args, **more: tool_result(place=args["place"], module=__name__),
)
"""
USES_CORE_TOOL = """
    import pytest
    from hermes_sdk.testing import call, say

    @pytest.mark.hermes(plugin="weather_tool.py")
    def test_marked(hermes):
        assert hermes.tools == ["weather"]
        assert hermes.call_tool("weather", place="Rome").json == {"place": "Rome", "module": "tools.weather_tool"}

    def test_set(hermes):
        hermes.llm.script(call("weather", place="Rome"), say("Sunny."))
        turn = hermes.chat("How is Rome?")
        assert (turn.reply, turn.tool_calls[0].name) == ("Sunny.", "weather")

    @pytest.mark.hermes(plugin="absent_tool.py")
    def test_absent(hermes): pass
"""


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_marker_or_setting_selects_a_core_tool_file(
    host: str, project: Project, request: pytest.FixtureRequest
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    written = project(USES_CORE_TOOL, manifest=None)
    written.makepyfile(weather_tool=CORE_TOOL)
    written.makeini("[pytest]\nhermes_plugin = weather_tool.py\n")
    result = run(written, "--hermes-host", host)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*absent_tool.py is not a directory*"])


ENTRY_POINT = '[project]\nname = "x"\n[project.entry-points."hermes_agent.plugins"]\nalone = "{}"\n'


def test_project_may_have_only_an_entry_point(project: Project) -> None:
    written = project(
        "def test_it(hermes): assert hermes.report()['plugin']['source'] == 'entrypoint'\n", manifest=None
    )
    (written.mkdir("src") / "alone_module.py").write_text("def register(ctx): pass\n")
    written.makepyprojecttoml(ENTRY_POINT.format("alone_module"))
    run(written).assert_outcomes(passed=1)


IMPORTED_BEFORE = """
    from importlib import import_module
    import alone_package, alone_package.state
    def calls(hermes, monkeypatch):
        monkeypatch.setattr("alone_package.state.STEP", 2)
        assert import_module("alone_package") is not alone_package
        return [hermes.command("/count"), hermes.command("/count")]
    def test_first(hermes, monkeypatch):
        assert calls(hermes, monkeypatch) == ["True 2", "True 4"]
    def test_second(hermes, monkeypatch):
        assert calls(hermes, monkeypatch) == ["True 2", "True 4"]
    def test_after():
        assert import_module("alone_package.state") is alone_package.state
        assert (alone_package.HAS_HERMES, alone_package.state.COUNT) == (False, 0)
"""
PACKAGE = """
    try:
        import hermes_constants
    except ImportError:
        HAS_HERMES = False
    else:
        HAS_HERMES = True
    from alone_package import state
    def count(line):
        state.COUNT += state.STEP
        return f"{HAS_HERMES} {state.COUNT}"
    def register(ctx): ctx.register_command("count", count)
"""


def test_package_imported_by_an_earlier_test_is_imported_again(project: Project) -> None:
    written = project(IMPORTED_BEFORE, manifest=None)
    package = written.mkdir("alone_package")
    (package / "__init__.py").write_text(dedent(PACKAGE))
    (package / "state.py").write_text("COUNT, STEP = 0, 1\n")
    written.makepyprojecttoml(ENTRY_POINT.format("alone_package"))
    run(written).assert_outcomes(passed=3)


def test_package_is_selected_by_name_when_its_directory_has_the_same_name(project: Project) -> None:
    test = """
        import pytest
        @pytest.mark.hermes(plugin="alone_package")
        def test_it(hermes): assert hermes.plugins == ["alone_package"]
    """
    written = project(test, manifest=None)
    for name in ("alone_package", "other_package"):
        (written.mkdir(name) / "__init__.py").write_text("def register(ctx): pass\n")
    lines = "".join(f'{name} = "{name}"\n' for name in ("alone_package", "other_package"))
    written.makepyprojecttoml(ENTRY_POINT.format("other_package").partition("alone")[0] + lines)
    run(written).assert_outcomes(passed=1)


def test_memory_provider_in_a_package_needs_an_entry_point_in_its_group(project: Project) -> None:
    test = """
        import pytest
        @pytest.mark.hermes(config={"memory": {"provider": "alone"}})
        def test_it(hermes): pass
    """
    written = project(test, manifest=None)
    (written.mkdir("src") / "alone_module.py").write_text(
        "from agent.memory_provider import MemoryProvider\ndef register(ctx): ctx.register_memory_provider(None)\n"
    )
    written.makepyprojecttoml(ENTRY_POINT.format("alone_module"))
    result = run(written)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*it does not provide a memory provider", "*add an entry point in hermes_agent.memory_providers."]
    )


def test_directory_is_preferred_to_the_entry_point(project: Project) -> None:
    written = project("def test_it(hermes): assert hermes.plugins == ['notes']\n")
    written.makepyprojecttoml(ENTRY_POINT.format("plugin"))
    run(written).assert_outcomes(passed=1)


def test_test_runs_in_its_own_home_without_network(project: Project) -> None:
    test = """
        import os, pathlib, socket
        import pytest
        real = pathlib.Path.home()
        def test_it(hermes):
            assert os.environ["HOME"] == os.environ["HERMES_HOME"] == str(hermes.home) != str(real)
            with pytest.raises(OSError, match="network is off"):
                socket.create_connection(("192.0.2.1", 9), 1)
        def test_after():
            assert pathlib.Path.home() == real
    """
    run(project(test)).assert_outcomes(passed=2)


ENVIRONMENT = """
    import pathlib
    import pytest
    real = str(pathlib.Path.home())
    def test_home(hermes):
        assert hermes.command("/home") != real
    @pytest.fixture
    def before(monkeypatch):
        monkeypatch.setenv("MINE", "before")
    def test_before(before, hermes):
        assert hermes.command("/variable") == "before"
    def test_none(hermes):
        assert hermes.command("/variable") == "none"
"""


def test_plugin_sees_environment_variables_of_the_test(project: Project) -> None:
    after = """
    def test_after(hermes, monkeypatch):
        monkeypatch.setenv("MINE", "after")
        assert hermes.command("/variable") == "after"
    """
    run(project(ENVIRONMENT + after)).assert_outcomes(passed=4)


def test_fixture_works_with_xdist(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    written = project("import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_it(hermes, n): pass\n")
    written.runpytest_subprocess("-p", "xdist", "-p", "hermes_sdk_pytest", "-n", "2").assert_outcomes(passed=2)


def test_package_is_not_imported_in_a_project_without_a_plugin(project: Project) -> None:
    test = """
        import sys
        def test_unused(pytestconfig):
            assert pytestconfig.pluginmanager.hasplugin("hermes_sdk")
            assert not [name for name in sys.modules if name.partition(".")[0] in ("hermes_sdk", "yaml", "jsonschema")]
    """
    written = project(test, manifest=None)
    written.runpytest_subprocess("-p", "no:xdist", "-p", "no:hypothesispytest").assert_outcomes(passed=1)


def test_unused_modules_are_not_imported(project: Project) -> None:
    test = """
        import sys
        def test_used(hermes):
            assert not {"jsonschema", "ruamel.yaml", "rich", "cookiecutter", "click"} & sys.modules.keys()
    """
    without = ("-p", "no:xdist", "-p", "no:hypothesispytest")
    project(test).runpytest_subprocess(*without).assert_outcomes(passed=1)


MODELS = """
from providers import register_provider
from providers.base import ProviderProfile

register_provider(ProviderProfile(name="house", base_url="http://127.0.0.1:9/v1", env_vars=("HOUSE_KEY",)))
"""
ASKS_IT = """
    import pytest
    from hermes_sdk.testing import say

    @pytest.mark.hermes(config={"model": {"provider": "house"}}, env={"HOUSE_KEY": "a key for tests"})
    def test_it(hermes):
        hermes.llm.script(say("yes"))
        assert hermes.chat("tea?").reply == "yes"
        assert hermes.report()["model_providers"] == ["house"]
"""


def test_model_provider_is_loaded(project: Project) -> None:
    written = project(ASKS_IT, MODELS, manifest="name: house\nkind: model-provider\n")
    run(written).assert_outcomes(passed=1)


def test_model_provider_that_registers_nothing_fails(project: Project) -> None:
    written = project(ASKS_IT, "", manifest="name: house\nkind: model-provider\n")
    run(written).stdout.fnmatch_lines(["*The plugin did not load (skipped)*"])


@pytest.mark.real_host
def test_same_tests_pass_on_the_real_host(project: Project, real_python) -> None:
    real_python("0.19.0")
    result = run(project(USES_ALL.replace('"embedded"', '"real"') + ENVIRONMENT), "--hermes-host", "real")
    result.assert_outcomes(passed=4)


MISSPELT = """
    import pytest
    from hermes_sdk.errors import UsageError

    @pytest.mark.parametrize(("call", "told"), [
        (lambda hermes: hermes.fire("post_tol_call"), "has no hook 'post_tol_call'; did you mean 'post_tool_call'?"),
        (lambda hermes: hermes.fire("mine"), "has no hook 'mine'"),
        (lambda hermes: hermes.command("/hoem"), "no plugin has the command /hoem; did you mean '/home'?"),
        (lambda hermes: hermes.command("home now"), "'home now' does not begin with a slash, so it is a message"),
        (lambda hermes: hermes.command("home"), "did you mean '/home'?"),
        (lambda hermes: hermes.command(""), "Commands of the plugins: /home, /variable."),
        (lambda hermes: hermes.command("/help"), "/help is a built-in command of Hermes"),
    ])
    def test_it(hermes, call, told):
        with pytest.raises(UsageError) as raised:
            call(hermes)
        assert told in str(raised.value)
        assert hermes.command("/new") and hermes.command("/HOME")
"""


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_misspelt_hook_or_command_is_rejected(host: str, project: Project, request: pytest.FixtureRequest) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    body = f'{GOOD}        ctx.register_hook("mine", lambda **more: 1)\n'
    run(project(MISSPELT, body), "--hermes-host", host).assert_outcomes(passed=7)


def test_misspelt_hook_error_omits_internal_frames(project: Project) -> None:
    result = run(project("def test_it(hermes):\n    hermes.fire('post_tol_call')\n"), "--hermes-release", "0.19.0")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*fire: Hermes 0.19.0 has no hook 'post_tol_call'; did you mean 'post_tool_call'?",
            "*The plugins use these hooks: post_tool_call. To list all hooks, run `hermes-sdk contract show 0.19.0`.",
        ]
    )
    assert "names.py" not in result.stdout.str()


def test_fake_host_modules_of_tests_are_not_taken_for_the_plugin(project: Project) -> None:
    test = """
        import sys
        def test_it(hermes):
            assert hermes.command("/whose") == "the plugin's"
        def test_after():
            assert sys.modules["hermes_plugins.notes.whose"].WHOSE == "the conftest's"
    """
    body = "from .whose import WHOSE\ndef register(ctx): ctx.register_command('whose', lambda line: WHOSE)\n"
    written = project(test, body)
    (written.path / "plugin" / "whose.py").write_text('WHOSE = "the plugin\'s"\n')
    written.makeconftest("""
        import sys, types
        for name in ("hermes_plugins", "hermes_plugins.notes", "hermes_plugins.notes.whose"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules["hermes_plugins.notes.whose"].WHOSE = "the conftest's"
    """)
    run(written).assert_outcomes(passed=2)


SETTINGS = """
    import os
    from pathlib import Path
    import yaml
    def read():
        found = yaml.safe_load((Path(os.environ["HERMES_HOME"]) / "config.yaml").read_text())
        return f"{found.get('mine')} {os.environ.get('MINE')} {os.environ.get('MARKED')}"
    IMPORTED = read()
    def register(ctx):
        if os.environ.get("MINE") == "refused":
            raise ValueError("refused")
        registered = read()
        ctx.register_command("settings", lambda line: "; ".join([IMPORTED, registered, read()]))
        ctx.register_hook("pre_llm_call", lambda **more: 1 / 0 if os.environ.get("MINE") == "fails" else None)
"""
CONFIGURES = """
    import pytest
    from hermes_sdk.errors import HermesSdkError, UsageError
    pytestmark = pytest.mark.hermes(config={"mine": {"host": "marked", "port": 1}}, env={"MARKED": "yes"})

    @pytest.fixture
    def server(hermes):
        hermes.configure(config={"mine": {"port": 2}}, env={"MINE": "set"})

    def test_it_reaches_the_plugin(server, hermes):
        assert hermes.command("/settings") == "; ".join(["{'host': 'marked', 'port': 2} set yes"] * 3)
        hermes.configure(env={"MINE": "once more"})
        assert hermes.command("/settings") == "; ".join(["{'host': 'marked', 'port': 2} once more yes"] * 3)

    def test_it_is_gone(hermes):
        assert "{'host': 'marked', 'port': 1} None yes" in hermes.command("/settings")

    def test_the_script_stays(hermes):
        hermes.llm.script("hello", "you")
        hermes.configure(env={"MINE": "set"})
        assert hermes.chat("hello").reply == "hello"
        with pytest.raises(UsageError, match="the host has already received messages") as raised:
            hermes.configure(env={"MINE": "later"})
        assert "@pytest.mark.hermes" in raised.value.fix
        assert " set " in hermes.command("/settings")
        assert hermes.chat("are").reply == "you"

    def test_the_plugin_no_longer_loads(hermes):
        hermes.expect_swallowed(match="ValueError")
        with pytest.raises(HermesSdkError, match="notes does not load with these settings .failed.: refused"):
            hermes.configure(env={"MINE": "refused"})

    def test_what_was_hidden_before_is_remembered(hermes):
        hermes.configure(env={"MINE": "fails"})
        hermes.fire("pre_llm_call")
        hermes.expect_swallowed(match="ZeroDivisionError")
        hermes.configure(env={"MINE": "works"})

    def test_types(hermes):
        for wrong in ({"config": "text"}, {"env": {"PORT": 5}}, {"env": {"HERMES_HOME": "/tmp"}}):
            with pytest.raises(UsageError, match="configure: "):
                hermes.configure(**wrong)
"""


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_configure_changes_the_running_host(host: str, project: Project, request: pytest.FixtureRequest) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    run(project(CONFIGURES, SETTINGS), "--hermes-host", host, "--hermes-release", "0.19.0").assert_outcomes(passed=6)


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("ctx.add_tool('t')", "  Hermes 0.19.0 has no ctx.add_tool; did you mean 'register_tool'?"),
        (
            "ctx.register_tool('t', 's', {}, print, is_asnyc=True)",
            "  ctx.register_tool of Hermes 0.19.0 has no is_asnyc=; did you mean 'is_async'?",
        ),
        ("ctx.register_skill('s', __file__)", "  Pass the path as a pathlib.Path, such as *"),
        ("{}['units']", "  Provide the key 'units', or read it with .get('units') and handle None."),
    ],
)
def test_load_failure_suggests_a_fix(
    call: str, told: str, host: str, project: Project, request: pytest.FixtureRequest
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    written = project("def test_it(hermes): pass\n", f"def register(ctx):\n    {call}\n")
    result = run(written, "--hermes-host", host, "--hermes-release", "0.19.0")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["The plugin did not load (failed): *", told, "", "Traceback (most recent call last):"])


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
@pytest.mark.parametrize(
    ("callback", "error", "fix"),
    [
        (
            "lambda **more: ctx.disptach_tool('t', {})",
            "AttributeError",
            "Hermes 0.19.0 has no ctx.disptach_tool; did you mean 'dispatch_tool'?",
        ),
        (
            "lambda session_id: None",
            "TypeError",
            "Add `[*][*]kwargs` to <lambda>: Hermes passes more keyword arguments than it accepts (HS402).",
        ),
    ],
)
def test_swallowed_exception_suggests_a_fix(
    callback: str, error: str, fix: str, host: str, project: Project, request: pytest.FixtureRequest
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    body = f"def register(ctx): ctx.register_hook('on_session_end', {callback})\n"
    written = project("def test_it(hermes): hermes.fire('on_session_end')\n", body)
    result = run(written, "--hermes-host", host, "--hermes-release", "0.19.0")
    first = f"The host swallowed an exception of the plugin in hook on_session_end: {error}: *"
    result.stdout.fnmatch_lines([first, f"  {fix}", "If this is expected, *"])


def test_missing_plugin_is_reported_once_with_the_searched_directory(project: Project) -> None:
    tests = "def test_one(hermes): pass\ndef test_two(hermes): pass\ndef test_other(): pass\n"
    written = project(tests, manifest=None)
    result = run(written)
    result.assert_outcomes(passed=1, errors=2)
    text = result.stdout.str()
    advice = f"The pytest rootdir is {written.path}: run pytest in the root of the project, or set `hermes_plugin`"
    assert (text.count(advice), text.count("the plugin was not found; see")) == (1, 2)


SHIPPED = "def test_it(hermes): assert hermes.call_tool('tides').json == {'water': 'low'}\n"


@pytest.mark.parametrize("host", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_first_form_that_loads_is_tested_and_named(
    host: str, pytester: pytest.Pytester, request: pytest.FixtureRequest
) -> None:
    if host == "real":
        request.getfixturevalue("real_python")("0.19.0")
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(test_it=SHIPPED)
    result = pytester.runpytest("--hermes-host", host, "--hermes-release", "0.19.0")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["tides runs as a package; as a directory it does not load: ModuleNotFoundError: No module named 'tides'"]
    )


@pytest.mark.parametrize(
    ("form", "outcomes"),
    [("package", {"passed": 1}), ("directory", {"errors": 1}), ("all", {"passed": 1, "errors": 1})],
)
def test_command_line_selects_the_form(form: str, outcomes: dict[str, int], pytester: pytest.Pytester) -> None:
    write_project("imports_itself", pytester.path)
    pytester.makepyfile(test_it=SHIPPED)
    pytester.runpytest("--hermes-form", form).assert_outcomes(**outcomes)


def test_name_selects_one_of_several_plugins_in_a_package(pytester: pytest.Pytester) -> None:
    write_project("deep", pytester.path)
    pytester.makepyfile(
        test_it="import pytest\n"
        "def test_it(hermes): assert hermes.plugins == ['quay']\n"
        "@pytest.mark.hermes(plugin='pier')\ndef test_other(hermes): assert hermes.plugins == ['pier']\n"
    )
    pytester.runpytest("--hermes-plugin", "quay").assert_outcomes(passed=2)
