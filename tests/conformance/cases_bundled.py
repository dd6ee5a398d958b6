"""Cases of bundled plugins, and of plugins that the host never loads (N5, N12, N14, N15).

`HERMES_BUNDLED_PLUGINS` names their directory; other cases have no bundled plugins.
"""

import json

from conformance.case import case, plugin

OWN = {"HERMES_BUNDLED_PLUGINS": "own"}
SAYS = "def register(ctx): ctx.register_command('who', lambda text: {!r})\n"


def own(**plugins):
    """Return the files of bundled plugins."""
    return {
        f"cwd/own/{directory.replace('__', '/')}/{name}": text
        for directory, files in plugins.items()
        for name, text in files.items()
    }


BACKEND = own(search__fast=plugin(SAYS.format("its own"), name="search-fast", kind="backend"))


@case("A31", files=BACKEND, environment=OWN, enable=[])
def a_bundled_backend_loads_without_being_enabled(host):
    return host.command("/who")


@case("A10", files=BACKEND, environment=OWN, config={"plugins": {"disabled": ["search-fast"]}})
def a_bundled_backend_can_be_disabled(host): ...


@case(
    "A15",
    plugins={"search/fast": plugin(SAYS.format("the user's"), name="mine", kind="backend")},
    files=BACKEND,
    environment=OWN,
    enable=[],
)
def a_user_plugin_that_is_not_enabled_hides_a_bundled_plugin(host): ...


@case(
    "A11",
    files=own(platforms__chat=plugin(name="chat-platform", kind="platform"), memory__own=plugin(name="own")),
    environment=OWN,
    config={"plugins": {"disabled": ["chat-platform", "own"]}},
)
def bundled_platforms_have_qualified_keys_in_some_releases(host): ...


OVERRIDES = """
def register(ctx):
    schema = {"name": "read_file", "description": "mine", "parameters": {}}
    ctx.register_tool("read_file", "mine", schema, lambda args, **kwargs: "mine", override=True)
"""


@case(
    "C6",
    files=own(reader=plugin(OVERRIDES, name="reader")),
    environment=OWN,
    enable=["reader"],
)
def a_bundled_plugin_can_always_override_a_tool(host):
    return host.call_tool("read_file", path="x").text


KANBAN = own(board=plugin(SAYS.format("its own"), name="kanban"))


@case(
    "N12",
    plugins={"other": plugin(SAYS.format("the user's"), name="kanban")},
    files=KANBAN,
    environment=OWN,
    enable=["kanban"],
)
def a_user_plugin_with_the_key_of_a_bundled_plugin_is_ignored(host):
    return host.command("/who")


@case(
    "N12",
    plugins={"board": plugin(SAYS.format("the user's"), name="kanban")},
    files=KANBAN,
    environment=OWN,
    enable=["kanban"],
)
def a_user_plugin_in_the_directory_of_a_bundled_plugin_replaces_it(host):
    return host.command("/who")


@case(
    "N5",
    plugins={
        "a": plugin(name="a", requires_plugins=["search/fast", "store"]),
        "store": plugin("# MemoryProvider\ndef register(ctx): pass\n", name="store"),
    },
    files=BACKEND,
    environment=OWN,
    enable=["a", "store"],
)
def bundled_backends_and_providers_cannot_be_required(host): ...


@case(
    "N15",
    plugins={"relay": plugin(name="nemo_relay"), "observability/nemo_relay": plugin(name="b"), "off": plugin(name="c")},
    enable=["nemo_relay", "observability/nemo_relay"],
)
def plugins_that_hermes_replaced_are_not_loaded(host): ...


SOURCE = "https://example.org/d.git"
REMOVED = [
    {"name": "a", "reason": "it leaks"},
    {"name": "b"},
    {"name": "d-in-the-catalogue", "repo": SOURCE, "reason": "its author asked for it"},
    {"name": "kept", "reason": "no"},
    {"name": "off", "reason": "no"},
    {"reason": "nameless"},
    "text",
]
RECORDS = {
    "d": {"source": f"{SOURCE}#main"},
    "kept": {"allow_removed": True},
    "fine": {"source": "https://example.org/fine.git"},
}


@case(
    "N14",
    plugins={name: plugin(name=name.replace("folder", "b")) for name in ("a", "folder", "d", "kept", "off", "fine")}
    | {"b": plugin(name="other")},
    files={
        "cache/plugin-catalog.json": json.dumps({"entries": [], "removed": REMOVED}),
        "plugins/.install-metadata.json": json.dumps(RECORDS),
    },
    enable=["a", "b", "other", "d", "kept", "fine"],
)
def plugins_removed_from_the_catalogue_are_not_loaded(host): ...


@case(
    "N14",
    plugins={"a": plugin(name="a")},
    files={"cache/plugin-catalog.json": json.dumps({"removed": {"name": "a"}}), "plugins/.install-metadata.json": "x"},
    enable=["a"],
)
def an_invalid_catalogue_removes_no_plugins(host): ...


TREE = {
    "cwd/hermes_cli/plugins.py": "",
    "cwd/plugins/web/exa/plugin.yaml": "name: web-exa\nkind: backend\n",
    "cwd/plugins/web/exa/provider.py": "class ExaWebSearchProvider: ...\n",
    "cwd/plugins/web/exa/__init__.py": (
        "import importlib\n"
        "def find(name):\n"
        "    try: return importlib.import_module(name).__name__\n"
        "    except ImportError as error: return str(error)\n"
        "from plugins.web.exa.provider import ExaWebSearchProvider as Own\n"
        "from .provider import ExaWebSearchProvider as Relative\n"
        "from hermes_plugins.web__exa.provider import ExaWebSearchProvider as Loaded\n"
        "names = ['plugins.web', 'plugins.web.exa', 'plugins.web.exa.none', 'plugins.web.none']\n"
        "def register(ctx):\n"
        "    ctx.register_command('who', lambda text: repr([\n"
        "        Own.__module__, Relative.__module__, Own is Relative, Relative is Loaded, *map(find, names)]))\n"
    ),
}


@case("A33", files=TREE, environment={"HERMES_BUNDLED_PLUGINS": "plugins"}, enable=[])
def a_bundled_plugin_can_be_imported_by_its_full_name(host):
    return host.command("/who")
