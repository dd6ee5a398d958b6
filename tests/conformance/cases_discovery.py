"""Cases of section A: discovery and loading."""

from conformance.case import case, plugin

from hermes_sdk.hosts.interface import HostExited

TOOL = """
def register(ctx):
    ctx.register_tool("{0}", "{0}", {{"name": "{0}", "description": "", "parameters": {{}}}}, lambda args, **kw: "{{}}")
"""
HOOK = """
def register(ctx):
    ctx.register_hook("on_session_start", lambda **kw: "{0}")
"""


@case("A1", one=TOOL.format("t") + '    ctx.register_hook("on_session_start", print)\n')
def tools_outlive_a_rescan_and_hooks_do_not(host):
    (host.home / "config.yaml").write_text("{}")
    host.rescan()
    return {"tool": host.call_tool("t").text, "fired": host.fire("on_session_start")}


@case(
    "A2",
    one="import os\nCOUNT = []\ndef register(ctx):\n    COUNT.append(1)\n    ctx.register_command(f'c{len(COUNT)}', str)\n",
)
def a_rescan_executes_the_module_again(host):
    host.rescan()


@case(
    "A2",
    plugins={
        "p": {
            **plugin(
                "from .counting import COUNT\n"
                "def register(ctx):\n"
                "    COUNT.append(1)\n"
                "    ctx.register_command(f'c{len(COUNT)}', str)\n",
                name="p",
            ),
            "counting.py": "COUNT = []\n",
        }
    },
    enable=["p"],
)
def a_rescan_executes_submodules_again_in_some_releases(host):
    host.rescan()


@case("A7", plugins={"p": plugin(name="p")}, enable=["p"], environment={"HERMES_SAFE_MODE": "1"})
def safe_mode_loads_nothing(host):
    return host.plugins


@case(
    "A8",
    plugins={"b": plugin(HOOK.format("user"), name="b")},
    files={
        "cwd/.hermes/plugins/a/plugin.yaml": "name: a\n",
        "cwd/.hermes/plugins/a/__init__.py": "def register(ctx): ctx.register_hook('on_session_start', lambda **kw: 'project')\n",
        "site/ep_plugin.py": "def register(ctx): ctx.register_hook('on_session_start', lambda **kw: 'entry point')\n",
        "site/ep_plugin-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ep-plugin\nVersion: 1.0\n",
        "site/ep_plugin-1.0.dist-info/entry_points.txt": "[hermes_agent.plugins]\n0ep = ep_plugin\n",
    },
    enable=["a", "b", "0ep"],
    environment={"HERMES_ENABLE_PROJECT_PLUGINS": "true"},
)
def plugin_sources_load_in_a_fixed_order(host):
    return host.fire("on_session_start")


@case(
    "A9",
    files={
        "cwd/.hermes/plugins/a/plugin.yaml": "name: a\n",
        "cwd/.hermes/plugins/a/__init__.py": "def register(ctx): pass\n",
    },
    enable=["a"],
    environment={"HERMES_ENABLE_PROJECT_PLUGINS": "2"},
)
def project_plugins_need_a_truthy_variable(host):
    return host.plugins


@case(
    "A12",
    plugins={"userp": plugin(HOOK.format("directory"), name="userp"), "z": plugin(HOOK.format("z"), name="z")},
    files={
        "site/ep_plugin.py": "def register(ctx): ctx.register_hook('on_session_start', lambda **kw: 'entry point')\n",
        "site/ep_plugin-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ep-plugin\nVersion: 1.0\n",
        "site/ep_plugin-1.0.dist-info/entry_points.txt": "[hermes_agent.plugins]\nuserp = ep_plugin\n",
    },
    enable=["userp", "z"],
)
def the_last_source_wins_in_the_position_of_the_first(host):
    return host.fire("on_session_start")


@case(
    "A13",
    plugins={name: plugin(HOOK.format(name), name=f"n{name}") for name in ("_u", "Z", "a", "1", ".h")},
    enable=["n_u", "nZ", "na", "n1", "n.h"],
)
def directories_load_in_byte_order(host):
    return host.fire("on_session_start")


@case(
    "A14",
    plugins={"one": plugin(HOOK.format("one"), name="same"), "two": plugin(HOOK.format("two"), name="same")},
    enable=["same"],
)
def the_later_directory_wins_a_shared_plugin_name(host):
    return host.fire("on_session_start")


@case("A16", plugins={".git": plugin(name="hidden"), "_under": plugin(name="under")}, enable=["hidden", "under"])
def hidden_directories_are_scanned(host): ...


@case(
    "A17",
    plugins={
        "p": {**plugin(name="yaml"), "plugin.yml": "name: yml\n"},
        "q": {"plugin.yml": "name: q\n", "__init__.py": ""},
    },
    enable=["yaml", "yml", "q"],
)
def the_yaml_manifest_takes_precedence_over_yml(host): ...


@case("A18", plugins={"p": plugin(name="p"), "p/inner": plugin(name="inner")}, enable=["p", "inner", "p/inner"])
def directories_within_a_plugin_are_not_scanned(host): ...


@case(
    "A19",
    plugins={"cat/one": plugin(name="one"), "cat/two/three": plugin(name="three")},
    enable=["one", "three", "cat/one", "cat/two/three"],
)
def a_directory_without_manifest_is_a_category_of_one_level(host): ...


@case(
    "A20",
    plugins={"folder": plugin(name="other"), "plain": plugin(version="1"), "cat/leaf": plugin(name="inner")},
    enable=["other", "plain", "inner"],
)
def keys_come_from_names_or_paths(host): ...


@case(
    "A21",
    plugins={
        "broken": plugin(manifest="name: [\n"),
        "list": plugin(manifest="- a\n"),
        "scalar": plugin(manifest="just text\n"),
        "multi": plugin(manifest="name: a\n---\nname: b\n"),
        "tag": plugin(manifest="name: !x y\n"),
        "good": plugin(name="good"),
    },
    enable=["good"],
)
def a_directory_with_an_invalid_manifest_is_not_a_plugin(host): ...


@case(
    "A22", plugins={"empty": plugin(manifest=""), "bom": plugin(manifest="\ufeffname: bom\n")}, enable=["empty", "bom"]
)
def an_empty_manifest_takes_the_name_of_its_directory(host): ...


@case("A23", plugins={"p": plugin(manifest="name: p\nversion: 1.10\ndescription: 5\nauthor:\n")}, enable=["p"])
def versions_become_strings_and_other_fields_are_unchanged(host): ...


@case(
    "A24", plugins={"a": plugin(manifest="name: 5\n"), "z": plugin(name="z")}, config={"plugins": {"enabled": [5, "z"]}}
)
def a_number_as_an_enabled_name_stops_discovery(host): ...


@case(
    "A25",
    plugins={"p": plugin("def register(ctx): ctx.register_command('m', lambda a: __name__)\n", name="a b.c")},
    enable=["a b.c"],
)
def plugin_names_are_not_normalised(host):
    return host.command("/m")


@case(
    "A26",
    plugins={"p": plugin(name="p", manifest_version=99, provides_tools=["x"], requires_env=["NOT_SET"])},
    enable=["p"],
)
def manifest_declarations_do_not_prevent_loading(host): ...


@case(
    "A27",
    plugins={
        "a": plugin(name="a", kind=" Backend "),
        "b": plugin(name="b", kind="nonsense"),
        "c": plugin(name="c", kind=5),
    },
    enable=["a", "b", "c"],
)
def kinds_are_normalised_and_unknown_kinds_are_standalone(host): ...


@case(
    "A28",
    plugins={
        "memory": plugin("# speaks of MemoryProvider\ndef register(ctx): pass\n", name="memory"),
        "model": plugin("# register_provider( ProviderProfile )\ndef register(ctx): pass\n", name="model"),
        "null": plugin("# MemoryProvider\ndef register(ctx): pass\n", manifest="name: null-kind\nkind:\n"),
    },
    enable=["memory", "model", "null-kind"],
)
def a_word_in_the_source_decides_the_kind(host):
    return {key: host.report(key)["plugin"]["kind"] for key in host.plugins}


@case(
    "A29",
    plugins={
        "e": plugin(name="e", kind="exclusive"),
        "m": plugin("raise SystemExit\n", name="m", kind="model-provider"),
    },
    enable=["e", "m"],
)
def exclusive_plugins_and_model_providers_are_not_imported(host): ...


@case(
    "A33",
    plugins={
        "cat/my-plugin": {
            **plugin(
                """
                from . import helper
                from .helper import VALUE
                def register(ctx):
                    import hermes_plugins.cat__my_plugin as me
                    ctx.register_command("names", lambda a: f"{__name__} {__package__} {len(__path__)} {VALUE} {me.__name__}")
                    try:
                        import helper
                    except ImportError as error:
                        ctx.register_command("absolute", lambda a, e=str(error): e)
                """,
                name="mine",
            ),
            "helper.py": "VALUE = 7\n",
        }
    },
    enable=["mine"],
)
def directory_plugins_are_packages_of_a_namespace(host):
    return [host.command("/names"), host.command("/absolute")]


@case("A34", plugins={"p": {"plugin.yaml": "name: p\n"}}, enable=["p"])
def a_plugin_without_init_fails(host): ...


@case(
    "A35",
    plugins={
        "a": plugin("x = 1\n", name="a"),
        "b": plugin("register = 5\n", name="b"),
        "c": plugin("def register(): pass\n", name="c"),
        "d": plugin("def register(ctx): raise ValueError('no')\n", name="d"),
        "e": plugin("1 / 0\n", name="e"),
        "f": plugin("def register(ctx) pass\n", name="f"),
    },
    enable=["a", "b", "c", "d", "e", "f"],
)
def load_errors_are_recorded(host): ...


@case("A36", one="async def register(ctx): ctx.register_command('c', str)\n")
def an_async_register_registers_nothing(host): ...


EXITING = "import sys\ndef register(ctx): sys.exit(3)\n"


@case("A37", one=EXITING, ends=HostExited)
def sys_exit_in_register_ends_the_host(host): ...


@case("A37", one=EXITING, ends=HostExited)
def sys_exit_in_register_ends_the_host_in_some_releases(host): ...


@case(
    "A38",
    one=TOOL.format("t")
    + "    ctx.register_hook('on_session_start', lambda **kw: 1)\n    ctx.register_command('c', str)\n    raise ValueError('late')\n",
)
def registrations_of_a_failed_plugin_are_rolled_back_in_some_releases(host):
    return [host.call_tool("t").text, host.fire("on_session_start"), host.commands]


@case(
    "A39",
    plugins={
        "a": plugin(TOOL.format("t") + "    ctx.register_hook('on_session_end', print)\n", name="a"),
        "b": plugin(
            TOOL.format("t").replace('"t", "t"', '"t", "u"') + "    ctx.register_hook('on_session_end', print)\n",
            name="b",
        ),
    },
    enable=["a", "b"],
)
def registrations_are_attributed_to_their_plugin(host): ...


@case("A40", plugins={"a": plugin(name="a"), "b": plugin(name="b")}, enable=["a"])
def the_end_of_discovery_is_logged(host): ...


def _entry_point(value, module):
    return {
        "site/eppkg.py": module,
        "site/eppkg-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: eppkg\nVersion: 1.0\n",
        "site/eppkg-1.0.dist-info/entry_points.txt": f"[hermes_agent.plugins]\nmine = {value}\n",
    }


@case(
    "A41",
    files=_entry_point(
        "eppkg",
        "def register(ctx): ctx.register_command('m', lambda a: f'{__name__} {ctx.manifest.path} {ctx.manifest.version!r}')\n",
    ),
    enable=["mine"],
)
def an_entry_point_names_a_module(host):
    return host.command("/m")


@case("A42", files=_entry_point("eppkg:register", "def register(ctx): pass\n"), enable=["mine"])
def an_entry_point_to_a_function_fails(host): ...


@case("A43", files=_entry_point("eppkg", "def register(ctx): pass\n"), enable=[])
def an_entry_point_must_be_enabled(host):
    return host.report("mine")["status"]


@case(
    "A35",
    one="""
    import importlib.util
    importlib.util.find_spec("no_such_module")
    try:
        from json import no_such_name
    except ImportError: pass
    try:
        import no_such_module.deeper
    except ImportError: pass
    import json.no_such_module
    """,
)
def failed_imports_are_reported_and_probes_are_not(host): ...


@case("A35", one="import agent.no_such_module.deeper\n")
def a_missing_module_of_the_host_is_reported(host): ...
