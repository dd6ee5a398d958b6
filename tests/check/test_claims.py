"""Findings are true for the releases they name; each test is a former false positive or false negative."""

import json
import subprocess

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix
from hermes_sdk.check.model import Finding
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST, NOTHING, Example, example
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract import host_modules
from hermes_sdk.contract.host_modules import is_public


def hook(name: str, callback: str, manifest: str = MANIFEST) -> Example:
    """Return a plugin with one hook."""
    source = f"{callback}\n\n\ndef register(ctx):\n    ctx.register_hook('{name}', callback)\n"
    return example(source, manifest=f"{manifest}provides_hooks: [{name}]\n")


ASYNC = "async def callback(user_message, **kwargs):\n    return {'context': 'tea'}"


@pytest.fixture
def find(write):
    """Return a function that checks a plugin, and returns its findings; `target` is a range of releases."""

    def find_problems(files: Example, release: str | None = None, target: str | None = None, static=True):
        return check(write(files), Options(release=release, target=target, static=static)).findings

    return find_problems


def summarize(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in findings]


def test_async_callback_is_an_error_only_on_releases_without_await(find):
    assert summarize(find(hook("pre_llm_call", ASYNC), "0.20.2")) == [("HS403", "error")]
    assert find(hook("pre_llm_call", ASYNC), "0.22.2", static=False) == ()


def test_error_only_on_earlier_releases_is_a_warning_that_names_them(find):
    (found,) = find(hook("pre_llm_call", ASYNC), target=">=0.20")
    assert (found.code, found.severity) == ("HS403", "warning")
    assert found.releases == ("0.20.0", "0.20.1", "0.20.2", "0.20.6", "0.21.0")


@pytest.mark.parametrize(
    ("required", "severity"), [(">=0.20.1", "error"), (">=0.21.4", "warning"), ("soon", "warning")]
)
def test_error_on_the_declared_minimum_version_stays_an_error(find, required, severity):
    files = hook("pre_llm_call", ASYNC, f"{MANIFEST}requires_hermes: '{required}'\n")
    assert ("HS403", severity) in summarize(find(files, target=">=0.20"))


def test_newest_release_of_a_range_without_the_default_decides_the_severity(find):
    assert summarize(find(hook("pre_llm_call", ASYNC), target=">=0.20, <0.21.1")) == [("HS403", "error")]


def test_callback_without_kwargs_is_an_error_only_on_releases_that_pass_all_keywords(find):
    files = hook("pre_llm_call", "def callback(user_message):\n    return None")
    assert summarize(find(files, "0.19.0")) == [("HS402", "error")]
    assert find(files, "0.20.1") == find(files, "0.22.2", static=False) == ()


DIRECTIVE = "def callback(tool_name='', args=None, **kwargs):\n    return {}"


def test_pre_tool_call_may_modify_arguments_since_0_20_2(find):
    files = hook("pre_tool_call", DIRECTIVE.format('{"action": "modify", "args": {"command": "ls"}}'))
    (found,) = find(files, "0.20.1")
    assert (found.code, found.severity) == ("HS405", "error")
    assert "Hermes 0.20.1 does not know the action 'modify'" in found.message
    assert find(files, "0.20.2") == find(files, "0.22.2", static=False) == ()


def test_unknown_action_mutate_gets_the_suggestion_modify(find):
    files = hook("pre_tool_call", DIRECTIVE.format('{"action": "mutate", "args": {"command": "ls"}}'))
    (found,) = find(files, "0.22.2")
    assert found.message.endswith("it knows 'block', 'approve', 'modify', not 'mutate'; did you mean 'modify'?")
    assert "modify" not in find(files, "0.19.0")[0].message


def test_modify_without_arguments_is_ignored(find):
    files = hook("pre_tool_call", DIRECTIVE.format('{"action": "modify", "command": "ls"}'))
    assert [found.message for found in find(files)] == ["'pre_tool_call' ignores this result: 'modify' needs 'args'"]


def test_action_is_not_checked_for_hooks_without_actions(find):
    result = '{"context": "tea", "action": "approve"}'
    callback = f"def callback(**kwargs):\n    return {result}"
    assert find(hook("pre_llm_call", callback), "0.18.0") == ()


def test_middleware_registered_as_a_hook_gets_advice(find):
    (found,) = find(hook("llm_request", "def callback(request=None, **kwargs):\n    return None"))
    assert (found.code, found.message) == ("HS401", "'llm_request' is not a hook but a kind of middleware")
    assert found.fix == "Call ctx.register_middleware('llm_request', …) instead."


@pytest.mark.parametrize("static", [True, False])
def test_findings_about_registrations_have_the_column_of_the_call(find, static):
    source = "def register(ctx):\n    if True: ctx.register_hook('pre_lm_call', lambda **kwargs: None)\n"
    plain = "def register(ctx):\n    ctx.register_hook('pre_lm_call', lambda **kwargs: None)\n"
    (found,) = find(example(plain), static=static)
    assert (found.line, found.column) == (2, 5)
    if not static:
        (found,) = find(example(source), static=static)
        assert (found.line, found.column) == (2, 14)


def test_findings_about_a_lambda_have_its_column(find):
    source = "def register(ctx):\n    ctx.register_hook('on_session_start', lambda: None)\n"
    files = example(source, manifest=f"{MANIFEST}provides_hooks: [on_session_start]\n")
    (found,) = find(files, "0.19.0")
    assert (found.code, found.line, found.column) == ("HS402", 2, 43)


MEMORY = """\
from agent.memory_provider import MemoryProvider


class Reef(MemoryProvider):
    name = "reef"

    def is_available(self):
        return True

    def initialize(self, session_id, **more):
        pass

    def get_tool_schemas(self):
        return []

    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None):
        pass


def register(ctx):
    ctx.register_memory_provider(Reef())
    ctx.register_command("reef", lambda line: "none")
"""
MEMORY_MANIFEST = "name: reef\nversion: '1.0.0'\nkind: exclusive\ndescription: Remembers.\n"


@pytest.mark.parametrize("static", [True, False])
def test_async_handler_without_the_flag_is_reported_with_its_line(find, static):
    files = next(rule for rule in RULES if rule.code == "HS302").bad
    assert "tool 'roll' has an async handler at __init__.py:4, but is_async is not set" in [
        one.message for one in find(files, static=static)
    ]


def test_unregistered_skill_is_reported_with_the_line_of_register(find):
    (found,) = find(next(rule for rule in RULES if rule.code == "HS754").bad)
    assert found.message == "no register_skill names this skill; call it in register at __init__.py:1"


def test_unregistered_skill_is_found_when_register_is_imported(find):
    files = example("from .notes import register\n", files={"notes/SKILL.md": "", "notes/__init__.py": NOTHING})
    assert "no register_skill names this skill" in [one.message for one in find(files)]


@pytest.mark.parametrize("kind", ["standalone", "backend"])
def test_load_error_of_a_memory_provider_names_its_wrong_kind(find, kind):
    files = example(MEMORY, manifest=MEMORY_MANIFEST.replace("exclusive", kind))
    (found,) = [one for one in find(files, "0.19.0", static=False) if one.code == "HS201"]
    assert found.message.endswith(
        "has no attribute 'register_memory_provider'. On this release, only plugins of the kind 'exclusive' have it; "
        f"plugin.yaml:3 says '{kind}'"
    )


@pytest.mark.parametrize(
    ("kind", "says"),
    [("", "there is no kind"), ("kind: standalone\n", "the kind is 'standalone'"), ("kind: platform\n", "")],
)
def test_platform_plugin_with_a_missing_or_wrong_kind_is_reported(find, kind, says):
    source = "def register(ctx):\n    ctx.register_platform('echo', 'Echo', print, print, is_connected=print)\n"
    files = example(source, manifest=f"name: echo\nversion: '1.0.0'\n{kind}description: Echo.\n")
    found = [one.message for one in find(files) if one.code == "HS133"]
    assert found == ([f"{says}, but the plugin registers a platform"] if says else [])


def test_memory_provider_may_omit_optional_arguments(find):
    assert find(example(MEMORY, manifest=MEMORY_MANIFEST), "0.22.2", static=False) == ()


def test_memory_loader_supports_all_registrations_since_0_20_1(find):
    files = example(MEMORY, manifest=MEMORY_MANIFEST)
    (found,) = find(files, "0.20.0")
    assert (found.code, found.severity) == ("HS511", "error")
    assert find(files, "0.20.1") == ()
    (found,) = find(files, target=">=0.19")
    assert (found.code, found.severity, found.releases) == ("HS511", "warning", ("0.19.0", "0.19.1", "0.20.0"))


VOICE = """\
class Voice:
    name = "voice"


def register(ctx):
    try:
        from agent.tts_provider import TTSProvider

        class HostVoice(Voice, TTSProvider):
            pass

        ctx.register_tts_provider(HostVoice())
    except {error}:
        ctx.register_tts_provider(Voice())
"""


def test_provider_without_a_base_class_is_allowed_as_a_fallback(find):
    assert find(example(VOICE.format(error="(ImportError, OSError)"))) == ()
    assert summarize(find(example(VOICE.format(error="ValueError")))) == [("HS504", "error")]


ENTRY_POINT = '[project]\nname = "reef"\nversion = "1"\n\n[project.entry-points."hermes_agent.plugins"]\nreef = "{}"\n'


def test_entry_point_to_a_function_is_a_warning_about_earlier_releases(find):
    manifest = MEMORY_MANIFEST.replace("exclusive", "standalone")
    source = "def start(ctx):\n    ctx.register_command('reef', lambda line: '')\n"
    package = {"reef/plugin.yaml": manifest, "reef/__init__.py": source}
    files = {"pyproject.toml": ENTRY_POINT.format("reef:start"), **package}
    (found,) = (one for one in find(files, "0.22.2") if one.code == "HS601")
    assert (found.severity, "before 0.21.5" in found.message) == ("warning", True)
    assert ("HS601", "error") in summarize(find(files, "0.21.4"))
    (found,) = (one for one in find(files, target=">=0.21.3") if one.code == "HS601")
    assert (found.severity, found.releases) == ("warning", ("0.21.3", "0.21.4"))
    newer = {**files, "reef/plugin.yaml": f"{manifest}requires_hermes: '>=0.21.5'\n"}
    assert "HS601" not in {code for code, _ in summarize(find(newer, "0.22.2"))}


def test_plugin_that_patches_instead_of_registering_is_a_warning(find):
    source = "import hermes_constants\n\n\ndef register(ctx):\n    hermes_constants.get_hermes_home = None\n"
    found = {one.code: one for one in find(example(source), static=False)}
    assert (found["HS216"].severity, found["HS216"].line) == ("warning", 5)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from agent.credential_pool import CredentialPool", []),
        ("from utils import atomic_json_write", []),
        ("import hermes_state", []),
        ("from agent.runtime_cwd import resolve_agent_cwd", []),
        ("from hermes_cli import auth_constants", [("HS732", "warning")]),
        ("from hermes_cli.plugins import PluginContext", []),
        ("from gateway.platforms._shared import compile_mention_patterns", []),
    ],
)
def test_public_modules_of_hermes_are_not_internal(find, line, expected):
    found = find(example(f"def register(ctx):\n    {line}\n"))
    assert [one for one in summarize(found) if one[0] == "HS732"] == expected


@pytest.mark.real_host
def test_list_of_public_modules_equals_that_of_hermes(real_python):
    code = (
        "import json; from hermes_cli.plugin_validate_private_imports import _PUBLIC;"
        "print(json.dumps([name.replace(':', '.') for name in _PUBLIC]))"
    )
    run = subprocess.run([real_python("0.22.2"), "-c", code], capture_output=True, text=True, check=True)
    listed = json.loads(run.stdout)
    assert [name for name in listed if not is_public(name)] == []
    assert set(listed) == host_modules._LISTED


SKILLED = """\
from pathlib import Path


def register(ctx):
    ctx.register_skill("scout", Path(__file__).parent / "SKILL.md")
"""


@pytest.mark.parametrize(("name", "codes"), [("scout", []), ("scout.two", ["HS751"])])
def test_namespace_of_skills_is_the_name_of_the_entry_point(tmp_path, name, codes):
    """Use different names for the checkout and the package."""
    package = tmp_path / "scout-1.0" / "scout_package"
    package.mkdir(parents=True)
    project = ENTRY_POINT.format("scout_package").replace('\nreef = "s', f'\n"{name}" = "s')
    (package.parent / "pyproject.toml").write_text(project, encoding="utf-8")
    (package / "__init__.py").write_text(SKILLED, encoding="utf-8")
    (package / "SKILL.md").write_text("---\nname: scout\ndescription: Scouts.\n---\nScout.\n", encoding="utf-8")
    assert [one.code for one in check(package.parent, Options(static=True)).findings] == codes


NO_KIND = MEMORY_MANIFEST.replace("kind: exclusive\n", "")


@pytest.mark.parametrize("unsafe", [False, True])
def test_missing_kind_of_a_provider_with_other_features_is_not_added(write, unsafe):
    directory = write(example(MEMORY, manifest=NO_KIND))
    result, count = fix(directory, Options(target=">=0.19"), unsafe=unsafe)
    (found,) = (one for one in result.findings if one.code == "HS129")
    assert (found.severity, count, (directory / "plugin.yaml").read_text(encoding="utf-8")) == ("warning", 0, NO_KIND)
    assert "'standalone'" in found.fix
    assert "with 'exclusive', releases before 0.20.1 ignore its tools" in found.fix


def test_range_of_a_workspace_is_checked(write):
    plugin = {"one/plugin.yaml": MANIFEST, "one/__init__.py": NOTHING}
    directory = write({**plugin, "pyproject.toml": '[tool.hermes-sdk.check]\ntarget = ">=0.19"\n'})
    result = check(directory, Options(static=True))
    assert (result.releases[0], result.releases[-1]) == ("0.19.0", "0.22.2")


def test_plugin_of_a_workspace_uses_the_range_of_the_workspace(write):
    plugins = {f"{name}/{file}": text for name in ("one", "two") for file, text in example().items()}
    settings = '[tool.hermes-sdk.check]\ntarget = ">=0.19"\nbaseline = "known.json"\n'
    directory = write({**plugins, "pyproject.toml": settings})
    result = check(directory / "one", Options(static=True))
    assert (result.releases[0], result.releases[-1], result.baseline) == ("0.19.0", "0.22.2", None)
    own = write({"two/pyproject.toml": '[tool.hermes-sdk.check]\ntarget = ">=0.20, <0.21"\n'}) / "two"
    assert check(own, Options(static=True)).releases == ("0.20.2",)


@pytest.mark.parametrize(
    ("release", "severity", "does"), [("0.21.5", "warning", "takes the last one"), ("0.22.2", "error", "rejects")]
)
def test_duplicate_keys_of_a_manifest_are_fatal_since_0_22_2(find, release, severity, does):
    (found,) = find(example(manifest=f"{MANIFEST}name: another\n"), release)
    assert (found.code, found.severity, does in found.message) == ("HS108", severity, True)


EXITS = "import os\nimport sys\n\n\ndef callback(**kwargs):\n    {}"


def test_exit_in_a_callback_is_an_error_only_before_0_21_4(find):
    files = hook("on_session_start", EXITS.format("sys.exit(1)"))
    assert summarize(find(files, "0.21.3")) == [("HS314", "error")]
    (found,) = find(files, "0.22.2")
    assert (found.severity, found.message) == ("warning", "this makes the callback fail")
    assert summarize(find(hook("on_session_start", EXITS.format("os._exit(1)")), "0.22.2")) == [("HS314", "error")]


def test_engine_with_clone_for_agent_need_not_support_copying_since_0_21_5(find):
    engine = next(rule for rule in RULES if rule.code == "HS505").bad["__init__.py"]
    method = "    def clone_for_agent(self, **kwargs):\n        return type(self)()\n\n    def __init__(self"
    files = example(engine.replace("    def __init__(self", method))
    assert summarize(find(files, "0.21.4")) == [("HS505", "error")]
    assert find(files, "0.21.5") == ()


def test_tool_with_override_is_not_a_name_conflict(find):
    files = next(rule for rule in RULES if rule.code == "HS309").bad
    named = {name: str(text).replace("roll", "web_extract") for name, text in files.items()}
    assert summarize(find(named)) == [("HS309", "warning")]


def test_manifest_version_2_is_a_warning_about_earlier_installers(find):
    files = example(manifest=f"{MANIFEST}manifest_version: 2\n")
    assert summarize(find(files)) == [("HS121", "warning")]


@pytest.mark.parametrize("name", ["sync_turn_", "synctrun", "sync_turns", "syncTurn"])
def test_misspelt_provider_method_is_found(find, name):
    (found,) = find(example(MEMORY.replace("sync_turn", name), manifest=MEMORY_MANIFEST))
    assert (found.code, found.severity, found.line, found.column) == ("HS506", "error", 16, 5)
    assert found.message == f"MemoryProvider has no method {name}; did you mean 'sync_turn'?"


@pytest.mark.parametrize("name", ["__init___", "__init_", "_init_", "__Init__"])
def test_misspelt_constructor_is_found(find, name):
    method = f"    def {name}(self):\n        pass\n\n    def sync_turn("
    (found,) = find(example(MEMORY.replace("    def sync_turn(", method), manifest=MEMORY_MANIFEST))
    assert (found.code, found.severity, found.line) == ("HS506", "error", 16)
    assert found.message == f"MemoryProvider has no method {name}; did you mean '__init__'?"


USED = """\
    def recall_statuses(self):
        pass

    def recall_status(self):
        return self.recall_statuses()

    def sync_turn("""
BESIDE = "    def sync_turns(self, turns):\n        pass\n\n    def sync_turn("
CONSTRUCTS = """\
    def __init__(self):
        pass

    def _init(self):
        pass

    def sync_turn("""
PREPARES = """\
    def _init(self):
        pass

    def initialize(self, session_id, **kwargs):
        self._init()

    def sync_turn("""


@pytest.mark.parametrize("new", ["    def store_turn(", "    def _sync_turns(", USED, BESIDE, CONSTRUCTS, PREPARES])
def test_additional_method_of_a_provider_is_not_reported_as_misspelt(find, new):
    files = example(MEMORY.replace("    def sync_turn(", new), manifest=MEMORY_MANIFEST)
    assert [one for one in summarize(find(files)) if one[0] == "HS506"] == []


PLATFORM = """\
from gateway.platforms.base import BasePlatformAdapter


class Echo(BasePlatformAdapter):
    async def connect(self, **kwargs):
        return True

    async def disconnect(self):
        pass

    async def get_chat_info(self, chat_id):
        return {}

    async def send(self, PARAMETERS):
        return None


def register(ctx):
    ctx.register_command("echo", lambda line: "")
"""


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("chat_id, content", "Echo.send does not take metadata, reply_to, which the host passes"),
        ("chat_id, content, reply_to=None, metadata=None", None),
        ("chat_id, content, **kwargs", None),
    ],
)
def test_adapter_send_accepts_the_gateways_arguments(find, parameters, message):
    found = [one for one in find(example(PLATFORM.replace("PARAMETERS", parameters))) if one.code == "HS501"]
    assert [one.message.partition(" (")[0] for one in found] == ([message] if message else [])


@pytest.mark.parametrize("key", ["fail_closed", "failClosed"])
def test_fail_closed_is_a_warning_on_releases_that_ignore_it(find, key):
    entry = f"hooks:\n  pre_tool_call:\n    - command: ~/guard.sh\n      {key}: true\n"
    files = example(files={"config.yaml.example": entry})
    (found,) = find(files, "0.20.0")
    assert (found.code, found.severity, found.path, found.line) == ("HS740", "warning", "config.yaml.example", 4)
    assert find(files, "0.20.1") == ()


def test_web_provider_of_a_plugin_can_be_selected_since_0_18_1(find):
    files = next(rule for rule in RULES if rule.code == "HS517").bad
    (found,) = (one for one in find(files, target=">=0.17") if one.code == "HS517")
    assert (found.severity, found.releases) == ("warning", ("0.17.0", "0.18.0"))
    assert find(files, "0.18.1") == ()


@pytest.mark.real_host
@pytest.mark.parametrize(("release", "chosen"), [("0.18.0", "firecrawl"), ("0.18.1", "finder")])
def test_web_provider_of_a_plugin_is_selected_by_hermes_since_0_18_1(real_python, tmp_path, release, chosen):
    code = """
from agent import web_search_provider, web_search_registry
class Finder(web_search_provider.WebSearchProvider):
    name = display_name = "finder"
    def is_available(self): return True
    def supports_search(self): return True
    def search(self, query, limit=5): return {}
web_search_registry.register_provider(Finder())
from tools import web_tools
web_tools._load_web_config = lambda: {"backend": "finder", "search_backend": "finder"}
print(web_tools._get_search_backend())
"""
    variables = {"HERMES_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "HERMES_DISABLE_LAZY_INSTALLS": "1"}
    run = subprocess.run(
        [real_python(release), "-c", code], capture_output=True, text=True, check=True, env=variables, cwd=tmp_path
    )
    assert run.stdout.split()[-1] == chosen


def test_register_computer_use_provider_exists_since_0_22_2(find):
    files = example("def register(ctx):\n    ctx.register_computer_use_provider(None)\n")
    assert summarize(find(files, "0.20.2")) == [("HS214", "error")]
    assert find(files, "0.22.2") == ()


def test_positional_only_callback_is_an_error_on_every_release(find):
    files = hook("on_session_start", "def callback(session_id, /, **kwargs):\n    return None")
    assert summarize(find(files, "0.19.0")) == summarize(find(files, "0.22.2", static=False)) == [("HS404", "error")]


def test_register_that_raises_after_a_registration_is_reported_before_0_20_1(find):
    files = next(rule for rule in RULES if rule.code == "HS213").bad
    assert [code for code, _ in summarize(find(files, "0.20.0")) if code == "HS213"] == ["HS213"]
    assert [code for code, _ in summarize(find(files, "0.20.1")) if code == "HS213"] == []


def test_memory_provider_with_an_async_method_is_an_error(find):
    files = example(MEMORY.replace("    def sync_turn(", "    async def sync_turn("), manifest=MEMORY_MANIFEST)
    (found,) = find(files)
    assert (found.code, found.severity, found.line) == ("HS507", "error", 16)
    assert found.message.startswith("Reef.sync_turn is async, and the host never awaits it")


def test_provider_with_an_async_constructor_is_an_error(find):
    method = "    async def __init__(self):\n        pass\n\n    def sync_turn("
    files = example(MEMORY.replace("    def sync_turn(", method), manifest=MEMORY_MANIFEST)
    assert [(one.code, one.line) for one in find(files, static=True) if one.code == "HS507"] == [("HS507", 16)]


@pytest.mark.parametrize(
    ("body", "codes"),
    [("return {}", ["HS507"]), ("pass", ["HS507"]), ("return self.ask(chat_id)", []), ("return None", ["HS507"])],
)
def test_plain_adapter_method_must_return_an_awaitable(find, body, codes):
    adapter = PLATFORM.replace("PARAMETERS", "chat_id, content, **kwargs")
    method = f"    def get_chat_info(self, chat_id):\n        {body}"
    source = adapter.replace("    async def get_chat_info(self, chat_id):\n        return {}", method)
    assert [one.code for one in find(example(source)) if one.code == "HS507"] == codes


@pytest.mark.parametrize(
    ("start", "role"), [("async def setup(parser)", "setup function"), ("async def run(arguments)", "handler")]
)
def test_async_function_of_a_cli_command_is_an_error(find, start, role):
    source = "def setup(parser):\n    pass\n\n\ndef run(arguments):\n    pass\n\n\n"
    name = start.removeprefix("async ")
    register = "def register(ctx):\n    ctx.register_cli_command('reef', 'Show it.', setup, run)\n"
    (found,) = find(example(source.replace(name, start) + register), static=False)
    assert (found.code, found.message) == (
        "HS457",
        f"the {role} of `hermes reef` is async, and the host never awaits it",
    )


ONCE = "done = False\n\n\ndef register(ctx):\n    global done\n    if done:\n        return\n    done = True\n"
ONCE += "    ctx.register_command('example', str)\n"
PACKAGED = (
    "[project]\nname = 'example'\nversion = '1'\n[project.entry-points.'hermes_agent.plugins']\nexample = 'example'\n"
)


def test_register_that_runs_only_once_is_reported_only_for_packages(find):
    assert find(example(ONCE), "0.22.2") == ()
    assert summarize(find(example(ONCE, files={"pyproject.toml": PACKAGED}), "0.22.2")) == [("HS212", "warning")]
