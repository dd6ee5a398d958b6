"""Stand-ins for modules of the host: import, lifetime and cleanup."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.model import member
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded import standins
from hermes_sdk.hosts.embedded.loading.plugin_imports import describe_unmodelled
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.llm import say

ASKS = """
    from hermes_cli.plugins import VALID_HOOKS, get_plugin_manager
    def register(ctx):
        ctx.register_command("hooks", lambda line: str(sorted(VALID_HOOKS)))
        ctx.register_command("module", lambda line: get_plugin_manager.__module__)
"""


def test_plugin_can_import_module_of_host(start) -> None:
    host = start(ASKS)
    assert host.report()["status"] == "loaded"
    assert "pre_verify" in str(host.command("/hooks"))
    assert host.command("/module") == "hermes_cli.plugins"


def test_standin_has_values_of_release(start) -> None:
    assert "pre_command" not in str(start(ASKS, release="0.19.0").command("/hooks"))
    assert "pre_command" in str(start(ASKS, release="0.22.2").command("/hooks"))


def test_module_that_release_lacks_has_no_standin(start) -> None:
    report = start("import agent.no_such_module\ndef register(ctx): pass\n").report()
    assert report["error"] == "No module named 'agent.no_such_module'"


def test_test_can_import_standins_while_host_is_open(start) -> None:
    host = start()
    from hermes_cli.plugins import get_plugin_manager  # type: ignore[import-not-found]

    assert [one["key"] for one in get_plugin_manager().list_plugins()] == host.plugins


def test_standins_are_removed_with_host(start) -> None:
    host = start(ASKS)
    assert "hermes_cli.plugins" in sys.modules
    host.close()
    assert not {name for name in sys.modules if name.partition(".")[0] == "hermes_cli"}
    with pytest.raises(ModuleNotFoundError):
        import hermes_cli  # noqa: F401


def test_each_host_has_its_own_standins(start) -> None:
    outer = start(ASKS)
    from_outer = sys.modules["hermes_cli.plugins"]
    inner = start(ASKS, release="0.22.2")
    assert sys.modules["hermes_cli.plugins"] is not from_outer
    inner.close()
    assert sys.modules["hermes_cli.plugins"] is from_outer
    assert "pre_verify" in str(outer.command("/hooks"))


def test_module_with_same_name_is_hidden_while_host_is_open(start, monkeypatch: pytest.MonkeyPatch) -> None:
    own = ModuleType("hermes_cli")
    monkeypatch.setitem(sys.modules, "hermes_cli", own)
    host = start(
        "import hermes_cli\ndef register(ctx): ctx.register_command('which', lambda line: hermes_cli.__version__)\n"
    )
    assert host.command("/which") == "0.19.0"
    host.close()
    assert sys.modules["hermes_cli"] is own


def test_standin_cannot_be_used_without_host() -> None:
    with pytest.raises(ImportError, match="imported only while an embedded host is open"):
        find_plugin_manager(None)


FOLDER = Path(standins.__file__).parent / "modules"
MODULES = {
    ".".join(file.relative_to(FOLDER).with_suffix("").parts).removesuffix(".__init__") for file in FOLDER.rglob("*.py")
}


@pytest.mark.parametrize("release", contract.modelled_releases())
def test_standins_have_only_names_of_release(release: str, start) -> None:
    facts = contract.load(release)
    host = start(release=release)
    for name in MODULES & facts.host_modules:
        module = importlib.import_module(name)
        offered = {one for one in vars(module) if one in getattr(module, "__all__", ())}
        assert offered <= facts.names_in(name), name
    host.close()


OWN = {"EphemeralReply", "PlatformRegistry", "PluginManager", "ToolRegistry"}
"""Classes whose stand-ins have only some members, which are listed explicitly."""


@pytest.mark.parametrize("release", contract.modelled_releases())
def test_classes_have_members_and_parameters_of_release(release: str, start) -> None:
    start(release=release)
    facts = contract.load(release)
    for name, fact in {**facts.section("classes"), **facts.section("dataclasses")}.items():
        module = importlib.import_module(fact["module"]) if fact["module"] in MODULES else None
        cls = vars(module).get(name) if module else None
        if cls is None or name in OWN:
            continue
        assert sorted(getattr(cls, "__abstractmethods__", ()) if "abstract" in fact else ()) == fact.get("abstract", [])
        for one in fact["members"]:
            wanted = member(one, fact["members"][one])
            if wanted.kind == "method":
                shown = [(p.name, p.kind.name.lower()) for p in inspect.signature(vars(cls)[one]).parameters.values()]
                assert shown[1:] == [(p.name, p.kind) for p in wanted.parameters]


LACKING = "from hermes_cli.config import redact_key\n"


def test_name_that_standin_lacks_is_not_supported(start) -> None:
    report = start(LACKING + "def register(ctx): pass\n").report()
    assert (report["status"], report["error"]) == (
        "unsupported",
        "imports host modules that the embedded host does not model: hermes_cli.config.redact_key",
    )


CALLS = {
    "agent.auxiliary_client": "call_llm(task='compression', messages=[])",
    "agent.file_safety": "raise_if_read_blocked('notes.md')",
    "agent.portal_tags": "nous_portal_tags()",
    "agent.runtime_cwd": "resolve_agent_cwd()",
    "agent.think_scrubber": "StreamingThinkScrubber()",
    "agent.usage_pricing": "estimate_usage_cost('m', None)",
    "cron.jobs": "create_job('say hi', 'every 30m')",
    "gateway.platforms.helpers": "strip_markdown('**a**')",
    "gateway.platforms.webhook": "WebhookAdapter(None)",
    "gateway.session_context": "set_session_vars(platform='p', cwd='/elsewhere')",
    "gateway.stream_consumer": "GatewayStreamConsumer(None, 'chat')",
    "gateway.status": "is_gateway_running()",
    "hermes_cli.profiles": "list_profiles()",
    "hermes_cli.setup": "prompt('Key', password=True)",
    "hermes_state": "SessionDB()",
    "model_tools": "handle_function_call('terminal', {})",
    "tools.approval": "request_tool_approval('t', 'why')",
    "tools.delegate_tool": "delegate_task()",
    "tools.url_safety": "is_safe_url('https://example.org')",
    "tools.website_policy": "check_website_access('https://example.org')",
    "tools.xai_http": "has_xai_credentials()",
}


@pytest.mark.parametrize("module", CALLS)
def test_unmodelled_function_is_not_supported_when_called(module: str, start) -> None:
    host = start(f"""
        import {module} as module
        def use(line):
            try:
                module.{CALLS[module]}
            except Exception as error:
                return type(error).__name__
        def register(ctx):
            ctx.register_command("use", use)
    """)
    assert host.report()["status"] == "loaded"
    assert host.command("/use") == "NotSupported"
    assert len(host.unsupported) == 1
    assert host.unsupported[0].where.endswith("__init__.py:5")


ADAPTER = """
    from gateway.platforms.base import BasePlatformAdapter
    from gateway.platforms.webhook import WebhookAdapter
    class Adapter(WebhookAdapter):
        limit = 5
        def __init__(self): pass
    def register(ctx):
        ctx.register_platform("p", "P", lambda config: Adapter(), lambda: True)
        ctx.register_command("limit", lambda line: f"{issubclass(Adapter, BasePlatformAdapter)} {Adapter.limit}")
        ctx.register_command("make", lambda line: Adapter())
        ctx.register_command("read", lambda line: Adapter.routes)
"""


@pytest.mark.parametrize(("command", "action"), [("make", "call {}"), ("read", "read {}.routes")])
def test_unmodelled_class_can_be_subclassed_but_not_used(start, command: str, action: str) -> None:
    host = start(ADAPTER)
    assert (host.report()["status"], host.report()["platforms"]) == ("loaded", ["p"])
    assert (host.command("/limit"), host.unsupported) == ("True 5", [])
    host.command(f"/{command}")
    assert [one.what for one in host.unsupported] == [action.format("gateway.platforms.webhook.WebhookAdapter")]


def test_turns_are_not_supported_when_plugin_replaced_used_function(start) -> None:
    host = start("""
        from agent.think_scrubber import StreamingThinkScrubber
        flush = StreamingThinkScrubber.flush
        StreamingThinkScrubber.flush = lambda self: flush(self)
        def register(ctx):
            ctx.register_command("hi", lambda line: "hi")
    """)
    assert (host.report()["status"], host.command("/hi"), host.unsupported) == ("loaded", "hi", [])
    with pytest.raises(NotSupported, match=r"the plugin's agent\.think_scrubber\.\w+\.flush in a turn"):
        host.chat("hello")


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ("ctx._manager._load_plugin(PluginManifest(name='part'))", "read _load_plugin of the plugin manager"),
        ("ctx._manager._hooks.setdefault('pre_tool_call', [])", "read _hooks of the plugin manager"),
        (
            "PluginContext(PluginManifest(name='part'), ctx._manager).register_command('c', print)",
            "use a PluginContext that a plugin makes",
        ),
    ],
)
def test_use_of_host_loader_is_not_supported(body: str, refused: str, start) -> None:
    host = start(f"""
        from hermes_cli.plugins import PluginContext, PluginManifest, get_plugin_manager
        def register(ctx):
            assert ctx._manager is get_plugin_manager()
            try: {body}
            except Exception: pass
    """)
    assert (host.report()["status"], host.report()["error"]) == (
        "unsupported",
        f"does while it loads what the embedded host does not model: {refused}",
    )


def test_turns_and_calls_are_not_supported_when_plugin_changed_tool_in_registry(start) -> None:
    host = start("""
        import tools.delegate_tool
        from tools.registry import registry
        def register(ctx):
            ctx.register_tool("echo", "kit", {"name": "echo", "parameters": {}}, lambda args, **kwargs: "plain")
            def wrap(line):
                entry = registry.get_entry("echo")
                entry.handler = lambda args, **kwargs: "wrapped"
                return entry.handler({}) + registry.get_entry("echo").handler({})
            ctx.register_command("wrap", wrap)
            ctx.register_command("read", lambda line: str(getattr(registry.get_entry("delegate_task"), line)))
            ctx.register_command("look", lambda line: str(getattr(registry, line)))
    """)
    assert (host.call_tool("echo").text, host.command("/wrap")) == ("plain", "wrappedwrapped")
    with pytest.raises(NotSupported, match=r"the plugin's handler of the tool 'echo' in a call of a tool"):
        host.call_tool("echo")
    with pytest.raises(NotSupported, match=r"the plugin's handler of the tool 'echo' in a turn"):
        host.chat("hello")
    for line in ("read schema", "look _tools", "look _generation", "look get_definitions", "look no_such_name"):
        host.command(f"/{line}")
    assert [one.what for one in host.unsupported] == [
        "read schema of the tool 'delegate_task'",
        "read tools.registry.registry._tools",
        "read tools.registry.registry._generation",
        "read tools.registry.registry.get_definitions",
    ]


@pytest.mark.parametrize(
    ("body", "replaced"),
    [
        ("registry.dispatch = print", "tools.registry.registry.dispatch"),
        ("get_plugin_manager().invoke_hook = print", "invoke_hook of the plugin manager"),
    ],
)
def test_calls_are_not_supported_when_plugin_replaced_method_of_host(body: str, replaced: str, start) -> None:
    host = start(f"""
        from hermes_cli.plugins import get_plugin_manager
        from tools.registry import registry
        def register(ctx):
            ctx.register_tool("echo", "kit", {{"name": "echo", "parameters": {{}}}}, lambda args, **kwargs: "plain")
            registry._generation += 1
            ctx.register_command("patch", lambda line: exec({body!r}, globals()))
    """)
    assert host.call_tool("echo").text == "plain"
    host.command("/patch")
    with pytest.raises(NotSupported, match=f"the plugin's {replaced} in a call of a tool"):
        host.call_tool("echo")


def test_turns_are_not_supported_while_name_of_module_is_replaced(start) -> None:
    host = start("""
        import hermes_cli.config as config
        original = config.load_config
        def register(ctx):
            ctx.register_command("patch", lambda line: setattr(config, "load_config", dict))
            ctx.register_command("restore", lambda line: setattr(config, "load_config", original))
            ctx.register_command("mark", lambda line: setattr(config, "my_own_name", 1))
    """)
    host.llm.script(say("hi"), say("hi"))
    host.command("/mark")
    assert host.chat("hello").reply
    host.command("/patch")
    with pytest.raises(NotSupported, match=r"the plugin's hermes_cli\.config\.load_config in a turn"):
        host.chat("hello")
    host.command("/restore")
    assert host.chat("hello").reply


def test_unsupported_use_while_loading_makes_plugin_unsupported(start) -> None:
    host = start("""
        from hermes_cli.profiles import list_profiles
        def register(ctx):
            try: list_profiles()
            except Exception: pass
            ctx.register_command("hi", lambda line: "hi")
    """)
    assert (host.report()["status"], host.report()["error"]) == (
        "unsupported",
        "does while it loads what the embedded host does not model: call hermes_cli.profiles.list_profiles",
    )


def test_cron_jobs_of_home_are_not_supported(start) -> None:
    body = "import cron.jobs\ndef register(ctx): ctx.register_command('jobs', lambda line: cron.jobs.list_jobs())\n"
    host = start(body, files={"../../cron/jobs.json": "{}"})
    assert "read the scheduled jobs of a home" in str(host.command("/jobs"))


def test_plugin_fails_when_it_imports_name_that_no_release_has(start) -> None:
    report = start("from hermes_cli.config import no_such_name\ndef register(ctx): pass\n").report()
    assert report["status"] == "failed"
    assert str(report["error"]).startswith("cannot import name 'no_such_name' from 'hermes_cli.config'")


def test_probe_for_name_of_later_release_is_supported(start) -> None:
    host = start("""
        import hermes_constants
        found = getattr(hermes_constants, "of_a_later_release", "absent")
        def register(ctx): ctx.register_command("found", lambda line: found)
    """)
    assert (host.report()["status"], host.command("/found")) == ("loaded", "absent")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("hermes_cli.main", "it is internal to the host and changes without notice: use the real host for this plugin"),
        ("agent.auxiliary_client.call_llm", "changes without notice: use ctx.llm, or the real host for this plugin"),
        ("tools.file_tools", "changes without notice: use ctx.dispatch_tool, or the real host for this plugin"),
        ("gateway.platforms.base.utf16_len", "it is public, so use the real host for this plugin"),
        ("hermes_constants._private", "it is internal to the host"),
    ],
)
def test_unsupported_name_has_advice(name: str, advice: str) -> None:
    assert describe_unmodelled(name, "0.19.0").startswith(
        f"{name} of Hermes Agent 0.19.0 is not modelled by the embedded host; "
    )
    assert advice in describe_unmodelled(name, "0.19.0")


def test_documentation_lists_all_standins() -> None:
    page = (Path(__file__).parents[4] / "docs" / "reference" / "host-modules.md").read_text(encoding="utf-8")
    empty = {"agent", "cron", "gateway", "gateway.platforms", "hermes_cli", "plugins", "tools"}
    listed = {
        name
        for row in page.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    }
    assert listed == MODULES - empty


def test_standins_take_precedence_over_installed_hermes(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hermes_constants.py").write_text("def get_hermes_home(): return 'of the installed one'\n")
    monkeypatch.syspath_prepend(tmp_path)
    host = start("""
        from hermes_constants import get_hermes_home
        def register(ctx): ctx.register_command("home", lambda line: str(get_hermes_home()))
    """)
    assert host.command("/home") == str(host.home)
    host.close()
    installed = importlib.import_module("hermes_constants")
    monkeypatch.delitem(sys.modules, "hermes_constants")
    assert installed.get_hermes_home() == "of the installed one"


def test_saved_settings_are_written_to_home_of_host(start) -> None:
    host = start("""
        from hermes_cli.config import load_config, save_config
        def register(ctx):
            def keep(line):
                config = load_config()
                config["mine"] = {"line": line}
                save_config(config)
            ctx.register_command("keep", keep)
    """)
    host.command("/keep this")
    assert Home(host.home).config["mine"] == {"line": "this"}
    assert Home(host.home).enabled == ["p"]


def test_unmodelled_members_are_not_supported_and_no_op_members_do_nothing(start) -> None:
    host = start(
        "from gateway.platforms.base import BasePlatformAdapter\n"
        "from agent.memory_provider import MemoryProvider\n"
        "def register(ctx):\n"
        "    assert MemoryProvider.shutdown(None) is None\n"
        "    try: BasePlatformAdapter.format_tool_event(None, None)\n"
        "    except Exception: pass\n",
        enable=["p"],
    )
    host.report("p")
    assert [one.what for one in host.unsupported] == ["model BasePlatformAdapter.format_tool_event"]


def test_paths_use_home_set_by_test(start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start()
    constants = importlib.import_module("hermes_constants")
    monkeypatch.setattr(constants, "get_hermes_home", lambda: tmp_path)
    assert constants.get_config_path() == tmp_path / "config.yaml"


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("hermes_cli.plugins", "PluginManager"),
        ("tools.registry", "ToolRegistry"),
        ("agent.usage_pricing", "CanonicalUsage"),
        ("gateway.platforms.helpers", "ThreadParticipationTracker"),
    ],
)
def test_changed_class_affects_only_its_host(start, module: str, name: str) -> None:
    host = start()
    cls = getattr(importlib.import_module(module), name)
    assert (cls.__module__, cls.__name__) == (module, name)
    cls.changed = True
    host.close()
    start()
    assert not hasattr(getattr(importlib.import_module(module), name), "changed")


def test_unsupported_function_is_same_object_in_all_modules(start) -> None:
    start()
    delegation = importlib.import_module("tools.delegate_tool")
    entry = importlib.import_module("tools.registry").registry.get_entry("delegate_task")
    assert entry.dynamic_schema_overrides is delegation._build_dynamic_schema_overrides
