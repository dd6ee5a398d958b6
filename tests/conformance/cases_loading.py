"""Cases of section A beyond a home: rescans, failed discoveries, links and imports."""

from conformance.case import case, plugin

from hermes_sdk.errors import HermesSdkError

EVERYTHING = """
from pathlib import Path

def register(ctx):
    skill = Path(__file__).with_name("SKILL.md")
    skill.write_text("# steps")
    ctx.register_tool("t", "set", {"name": "t", "description": "", "parameters": {}}, lambda args, **kw: "done")
    ctx.register_hook("on_session_start", lambda **kw: "hook")
    ctx.register_command("c", lambda text: "command")
    ctx.register_cli_command("x", "help", lambda parser: None, print)
    ctx.register_skill("s", skill)
    ctx.register_platform("chat", "Chat", lambda config: None, lambda: True)
    if hasattr(ctx, "register_auxiliary_task"):
        ctx.register_auxiliary_task("notes_summary", display_name="Summaries", description="Sums up.")
    if hasattr(ctx, "register_slack_action_handler"):
        ctx.register_slack_action_handler("act", print)
    if hasattr(ctx, "register_middleware"):
        ctx.register_middleware("tool_request", lambda **kw: None)
"""

NOTING = """
import os
from pathlib import Path

def register(ctx):
    with Path(os.environ["HERMES_HOME"], "registered").open("a") as file:
        file.write(ctx.manifest.name + "\\n")
    ctx.register_hook("on_session_start", lambda **kw: "here")
    ctx.register_command("c", lambda text: "answer")
    ctx.register_cli_command("greet", "Greets.", lambda parser: None, lambda args: print("hello"))
"""

RUNNING = """
import os
from pathlib import Path
Path(os.environ["HERMES_HOME"], "ran").touch()
"""


def _read_registered(host):
    file = host.home / "registered"
    return file.read_text().split() if file.exists() else []


@case("A1", one=EVERYTHING)
def a_rescan_registers_everything_again(host):
    host.rescan()
    return [host.fire("on_session_start"), host.command("/c"), host.call_tool("t").text]


@case("A1", one=NOTING)
def a_rescan_calls_register_again(host):
    host.rescan()
    return _read_registered(host)


@case("A1", one=EVERYTHING)
def only_tools_of_a_removed_plugin_survive_a_rescan(host):
    (host.home / "config.yaml").write_text("{}")
    host.rescan()
    return [host.fire("on_session_start"), host._command("/c"), host.call_tool("t").text]


@case(
    "A2",
    one="""
    import sys
    first = sys.modules.setdefault("the_first_of_its_name", sys.modules[__name__])
    def register(ctx):
        ctx.register_command("same", lambda text: f"{first is sys.modules[__name__]} {first.__name__ == __name__}")
    """,
)
def a_rescan_creates_a_new_module_of_the_same_name(host):
    host.rescan()
    return host.command("/same")


@case("A4", plugins={"a": plugin(NOTING, name="a"), "b": plugin(manifest="name: [x]\n")}, enable=["a"])
def a_list_as_a_name_stops_discovery_before_plugins_load(host):
    return _read_registered(host)


@case(
    "A4",
    plugins={"a": plugin(NOTING, name="a"), "b": plugin(manifest="name: 5\n")},
    enable=["a", 5],
    known="The real host tries again at each slash command, which then fails, and once when it first needs "
    "`model_tools`; the model tries once.",
)
def a_failed_discovery_is_retried_at_the_next_access(host):
    try:
        fired = host.fire("on_session_start")
    except HermesSdkError as error:  # Since 0.20.1 firing a hook also triggers discovery.
        return str(error)
    host.call_tool("nothing")
    return [fired, host.fire("on_session_start"), _read_registered(host)]


@case("A5", one=NOTING)
def the_program_help_lists_no_plugin_commands(host):
    helped, unknown = host.cli("--help"), host.cli("nonsense")
    return [
        helped.exit_code,
        "greet" in helped.stdout,
        _read_registered(host)[:1],
        unknown.exit_code,
        host.cli("greet").stdout,
    ]


@case(
    "A6",
    one="""
    import json
    def register(ctx):
        seen = ctx.dispatch_tool("read_file", {"path": "/nowhere"})
        ctx.register_command("seen", lambda text: seen)
        ctx.register_tool(
            "read_file", "mine", {"name": "read_file", "description": "", "parameters": {}}, lambda args, **kw: "mine"
        )
""",
)
def plugins_load_before_the_tools_of_the_host(host):
    return [host.command("/seen"), host.call_tool("read_file").text]


@case(
    "A7",
    plugins={"model-providers/m": plugin(RUNNING, name="m", kind="model-provider")},
    environment={"HERMES_SAFE_MODE": "1"},
)
def safe_mode_runs_model_providers(host):
    return (host.home / "ran").exists()


@case(
    "A9",
    files={
        "cwd/../.hermes/plugins/a/plugin.yaml": "name: a\n",
        "cwd/../.hermes/plugins/a/__init__.py": "def register(ctx): pass\n",
    },
    enable=["a"],
    environment={"HERMES_ENABLE_PROJECT_PLUGINS": "1"},
)
def project_plugins_are_not_searched_upwards(host): ...


@case("A11", plugins={"platforms/irc": plugin(name="irc-platform", kind="platform")}, enable=["platforms/irc"])
def a_platform_of_the_user_is_keyed_by_its_path(host): ...


@case("A14", plugins={"a": plugin(name="cat/x"), "cat/x": plugin(name="x")}, enable=["cat/x"])
def a_name_can_collide_with_a_path(host): ...


@case("A16", enable=["linked", "dangling", "file"])
def links_are_followed_and_plain_files_are_ignored(host):
    plugins, aside = host.home / "plugins", host.home / "aside"
    aside.mkdir()
    plugins.mkdir(exist_ok=True)
    for name, text in plugin(name="linked").items():
        (aside / name).write_text(text)
    (plugins / "link").symlink_to(aside)
    (plugins / "dangling").symlink_to(host.home / "nowhere")
    (plugins / "file").write_text("name: file\n")
    host.rescan()


@case(
    "A17", plugins={"p": {"plugin.yml": "name: yml\n", "plugin.yaml/x": "", "__init__.py": ""}, "q": plugin(name="q")}
)
def a_directory_called_plugin_yaml_hides_the_other_file(host): ...


@case("A21", plugins={"q": plugin(name="q")})
def a_directory_with_a_manifest_that_is_not_utf8_is_not_a_plugin(host):
    directory = host.home / "plugins" / "latin"
    directory.mkdir()
    (directory / "plugin.yaml").write_bytes("name: café\n".encode("latin-1"))
    host.rescan()


@case(
    "A24",
    plugins={
        "a": plugin(manifest="name: off\n"),
        "b": plugin(manifest="name: 5\n"),
        "c": plugin(manifest="name:\n"),
        "d": plugin(manifest="name: 2026-01-02\n"),
        "e": plugin(manifest="name: ''\n"),
        "z": plugin(name="z"),
    },
    enable=["z"],
)
def names_that_are_not_strings_are_kept_while_not_enabled(host): ...


@case("A24", plugins={"a": plugin(manifest="name: off\n"), "z": plugin(name="z")}, enable=[False, "z"])
def a_boolean_as_an_enabled_name_stops_discovery(host):
    return list(host.plugins)


@case("A24", plugins={"a": plugin(manifest="name:\n"), "z": plugin(name="z")}, enable=[None, "z"])
def a_null_as_an_enabled_name_stops_discovery(host): ...


@case(
    "A24",
    plugins={"a": plugin(name="a"), "cat/b": plugin(manifest="name: [x]\n"), "z": plugin(name="z")},
    enable=["a", "cat/b", "z"],
)
def a_list_as_the_name_of_a_nested_plugin_stops_discovery(host): ...


@case(
    "A28",
    plugins={
        "late": plugin("#" * 8192 + "\n# MemoryProvider\ndef register(ctx): pass\n", name="late"),
        "early": plugin("#" * 8178 + "MemoryProvider\ndef register(ctx): pass\n", name="early"),
        "half": plugin("# register_provider\ndef register(ctx): pass\n", name="half"),
        "said": plugin("# MemoryProvider\ndef register(ctx): pass\n", name="said", kind="standalone"),
    },
    enable=["late", "early", "half", "said"],
)
def only_the_first_characters_decide_the_kind_and_only_when_none_is_declared(host): ...


@case("A30", plugins={"m": plugin("# register_provider ProviderProfile\nraise SystemExit\n", name="m")})
def a_detected_model_provider_counts_as_loaded_and_is_not_imported(host): ...


@case(
    "A32",
    plugins={kind: plugin(name=kind, kind=kind) for kind in ("backend", "platform", "standalone")},
    files={
        "cwd/.hermes/plugins/a/plugin.yaml": "name: a\nkind: backend\n",
        "cwd/.hermes/plugins/a/__init__.py": "def register(ctx): pass\n",
    },
    environment={"HERMES_ENABLE_PROJECT_PLUGINS": "on"},
)
def plugins_that_are_not_bundled_are_opt_in(host): ...


@case(
    "A33",
    plugins={
        "cat/my-plugin": {
            **plugin(
                """
    import sys
    import hermes_plugins
    from .package import value
    def register(ctx):
        def lazy(text):
            from .later import NAME
            from . import package
            return f"{NAME} {package.__name__}"
        ctx.register_command("value", lambda text: value)
        ctx.register_command("lazy", lazy)
        ctx.register_command("where", lambda text: f"{list(hermes_plugins.__path__)} {__path__} {__file__} {__spec__.name}")
        ctx.register_command("path", lambda text: str(any(__path__[0] == entry for entry in sys.path)))
    """,
                name="mine",
            ),
            "package/__init__.py": "value = __name__\n",
            "later.py": "NAME = __name__\n",
        }
    },
    enable=["mine"],
)
def modules_of_a_plugin_import_each_other_relatively(host):
    return [host.command(f"/{name}") for name in ("value", "lazy", "where", "path")]


@case(
    "A35",
    plugins={
        "a": plugin("def register(ctx): raise KeyError('k')\n", name="a"),
        "b": plugin(
            "class Odd(Exception):\n    def __str__(self): return ''\ndef register(ctx): raise Odd\n", name="b"
        ),
        "c": plugin("register = None\n", name="c"),
        "d": plugin("import warnings\ndef register(ctx): ctx.no_such_member()\n", name="d"),
    },
    enable=["a", "b", "c", "d"],
)
def a_load_error_is_the_text_of_the_exception(host): ...


@case("A37", one="import asyncio\ndef register(ctx): raise asyncio.CancelledError\n", ends=HermesSdkError)
def base_exceptions_end_the_host(host): ...


FAILS = {"value.py": "HERE = 1\n", "__init__.py": "from . import value\n1 / 0\n"}


@case(
    "A38",
    plugins={
        "a": {**plugin(name="a"), **FAILS},
        "b": {**plugin("from . import value\ndef register(ctx): 1 / 0\n", name="b"), "value.py": "HERE = 1\n"},
        "c": plugin(
            "import sys\n"
            "def register(ctx):\n"
            "    names = [name for name in sorted(sys.modules) if name.startswith('hermes_plugins.')]\n"
            "    ctx.register_command('modules', lambda text: ' '.join(names))\n",
            name="c",
        ),
    },
    enable=["a", "b", "c"],
)
def modules_of_a_failed_plugin_stay_imported_in_some_releases(host):
    return host.command("/modules")


@case(
    "A39",
    one="""
    import os
    from pathlib import Path
    def register(ctx):
        if Path(os.environ["HERMES_HOME"], "again").exists():
            schema = {"name": "read_file", "description": "", "parameters": {}}
            ctx.register_tool("read_file", "mine", schema, lambda args, **kw: "mine")
    """,
)
def a_rejected_tool_is_attributed_to_its_plugin(host):
    host.call_tool("nothing")
    (host.home / "again").touch()
    host.rescan()


def _package(value, module, name="eppkg"):
    return {
        f"site/{name}.py": module,
        f"site/{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"site/{name}-1.0.dist-info/entry_points.txt": f"[hermes_agent.plugins]\nmine = {value}\n",
    }


@case(
    "A42",
    files=_package(
        "eppkg:Plugin", "class Plugin:\n    @staticmethod\n    def register(ctx): ctx.register_command('c', str)\n"
    ),
    enable=["mine"],
)
def an_entry_point_can_name_a_class(host): ...


@case("A42", files=_package("eppkg:absent", "def register(ctx): pass\n"), enable=["mine"])
def an_entry_point_to_a_missing_module_fails(host): ...


@case("A43", plugins={"p": plugin(NOTING, name="mine")}, files=_package("eppkg", "def register(ctx): pass\n"))
def an_entry_point_that_is_not_enabled_hides_a_directory(host): ...


@case(
    "A44",
    files=_package(
        "eppkg",
        """
def register(ctx):
    ctx.register_tool("new", "mine", {"name": "new", "description": "", "parameters": {}}, print, override=True)
""",
    ),
    enable=["mine"],
)
def an_entry_point_plugin_needs_consent_to_override(host): ...


COMPLAINING = """
import logging

def register(ctx):
    logging.getLogger(__name__).warning("said by the plugin")
    logging.getLogger("hermes_cli.plugins").error("said in the name of the host")
    ctx.register_hook("no_such_hook", lambda **kw: None)
"""


@case("D2", one=COMPLAINING)
def a_report_lists_warnings_of_the_host_but_not_of_a_plugin(host):
    return host.report("p")["warnings"]


@case(
    "A41",
    one="""
        import threading
        def absent(number):
            try: __import__(f"absent_{number}")
            except ImportError as error: return str(error)
        def register(ctx):
            started = threading.Thread(target=absent, args=("in_a_thread",))
            started.start()
            started.join()
            absent("in_register")
            schema = {"name": "t", "description": "", "parameters": {}}
            ctx.register_tool("t", "set", schema, lambda args, **kwargs: absent("in_a_tool"))
            ctx.register_hook("pre_llm_call", lambda **kwargs: absent("in_a_hook"))
            ctx.register_command("c", lambda text: absent("in_a_command"))
        absent("in_the_module")
    """,
)
def imports_of_handlers_are_not_reported(host):
    answers = [host.call_tool("t").text, host.fire("pre_llm_call"), host.command("/c")]
    return [answers, host.report()["missing_imports"]]
