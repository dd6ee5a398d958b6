"""Cases of section B: which plugins load, and which tools are offered."""

import os
import re

from conformance.case import case, plugin

from hermes_sdk.llm import say

ONE = {"p": plugin(name="p")}


def _lists(**plugins):
    return {"plugins": plugins}


@case("B1", plugins=ONE, config=_lists(enabled="p"))
def a_string_enables_nothing(host): ...


@case("B1", plugins=ONE, config=_lists(enabled=["p", {"q": 1}]))
def an_unhashable_item_enables_nothing(host): ...


@case("B1", plugins=ONE, config={"plugins": ["p"]})
def plugins_must_be_a_mapping(host): ...


@case("B2", plugins=ONE, config=_lists(enabled=["p"], disabled="p"))
def a_string_disables_nothing(host): ...


@case("B2", plugins=ONE, config=_lists(enabled=["p"], disabled=["p", {"q": 1}]))
def an_unhashable_item_disables_nothing(host): ...


@case("B3", plugins={"folder": plugin(name="Name")}, enable=["folder", "name", "Nam*"])
def names_match_exactly(host): ...


@case("B4", plugins={"cat/one": plugin(name="one"), "dog/one": plugin(name="one")}, enable=["one"])
def a_bare_name_enables_every_plugin_of_that_name(host): ...


@case("B5", plugins=ONE, config=_lists(enabled=["p"], disabled=["p"]))
def disabled_takes_precedence_over_enabled(host): ...


@case("B6", plugins=ONE)
def plugins_that_are_not_enabled_are_reported(host): ...


@case("B7", plugins={"b": plugin(name="b", kind="backend"), "f": plugin(name="f", kind="platform")})
def backends_and_platforms_of_the_user_are_gated(host): ...


@case("B9", plugins=ONE)
def the_lists_are_read_again_by_a_rescan(host):
    (host.home / "config.yaml").write_text("plugins: {enabled: [p]}\n")
    host.rescan()


@case("B10", plugins=ONE, files={"config.yaml": "plugins: {enabled: [p]\n"})
def an_invalid_configuration_enables_nothing(host):
    return [file.read_text() for file in host.home.glob("config.yaml*")]


@case("B16", plugins={"p": plugin(name="p", requires_env=["SURELY_NOT_SET"])}, enable=["p"])
def requires_env_does_not_gate(host):
    return host.report("p")["status"]


CHECKED = """
    def tool(ctx, name, **more):
        ctx.register_tool(name, "set", {"name": name, "description": name, "parameters": {}}, lambda args, **kw: "{}", **more)
    def bad(): raise ValueError("no")
    def register(ctx):
        tool(ctx, "needs", requires_env=["SURELY_NOT_SET"])
        tool(ctx, "off", check_fn=lambda: False)
        tool(ctx, "bad", check_fn=bad)
        tool(ctx, "on", check_fn=lambda: 1)
"""


@case("B17", one=CHECKED)
def requires_env_of_a_tool_does_not_hide_it(host):
    offered = [one["function"]["name"] for one in host.definitions()]
    return ["needs" in offered, host.call_tool("needs").text]


@case("B18", one=CHECKED)
def only_check_fn_hides_a_tool_and_dispatch_ignores_it(host):
    return {"offered": [one["function"]["name"] for one in host.definitions()], "off": host.call_tool("off").text}


@case("B1", plugins=ONE, config=_lists(disabled=[]))
def no_plugin_is_enabled_without_a_list(host): ...


@case("B1", plugins=ONE, config=_lists(enabled=None))
def a_null_enables_nothing(host): ...


@case("B1", plugins=ONE, files={"config.yaml": "- p\n"})
def a_configuration_that_is_a_list_enables_nothing(host): ...


@case("B1", plugins=ONE, files={"config.yaml": "just text\n"})
def a_configuration_that_is_a_string_enables_nothing(host): ...


@case("B1", plugins=ONE, files={"config.yaml": ""})
def an_empty_configuration_enables_nothing(host): ...


@case("B2", plugins=ONE, config=_lists(enabled=["p"], disabled=None))
def a_null_disables_nothing(host): ...


@case("B3", plugins=ONE, enable=["${WHICH}", "${UNSET_ONE}"], environment={"WHICH": "p"})
def variables_in_an_enabled_list_are_expanded(host): ...


@case(
    "B4",
    plugins={"cat/one": plugin(name="one"), "dog/one": plugin(name="one")},
    config=_lists(enabled=["cat/one", "dog/one"], disabled=["one"]),
)
def a_bare_name_disables_every_plugin_of_that_name(host): ...


@case(
    "B5",
    plugins={"e": plugin(name="e", kind="exclusive"), "m": plugin(name="m", kind="model-provider")},
    config=_lists(disabled=["e", "m"]),
)
def disabled_takes_precedence_for_every_kind(host): ...


@case("B6", plugins={"cat/one": plugin(name="one")})
def the_advice_names_the_key(host): ...


@case("B7", plugins={"e": plugin(name="e", kind="exclusive"), "m": plugin(name="m", kind="model-provider")})
def exclusive_plugins_and_model_providers_need_no_enabled_list(host): ...


MEMORY = """
# A MemoryProvider
class Store:
    name = "store"
def register(ctx): ctx.register_memory_provider(Store())
"""


@case(
    "B8",
    plugins={"store": plugin(MEMORY, name="store")},
    config={"memory": {"provider": "store"}, **_lists(disabled=["store"])},
)
def a_memory_provider_loads_although_it_is_disabled(host): ...


RAN = """
import os
from pathlib import Path
from agent.memory_provider import MemoryProvider

class Store(MemoryProvider):
    name = "named"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []

def register(ctx):
    Path(os.environ["HERMES_HOME"], "ran").touch()
    ctx.register_memory_provider(Store())
"""


def disabled_provider(name):
    """Return a home with a memory provider in ``folder`` and this name disabled."""
    return {
        "plugins": {"folder": plugin(RAN, name="listed")},
        "config": {"memory": {"provider": "folder"}, **_lists(disabled=[name])},
    }


def _has_run(host):
    host.llm.script(say("one"))
    host.chat("hello")
    return (host.home / "ran").exists()


@case("B8", **disabled_provider("folder"))
def a_memory_provider_is_disabled_by_its_directory_in_some_releases(host):
    return _has_run(host)


@case("B8", **disabled_provider("listed"))
def a_memory_provider_is_disabled_by_its_manifest_in_some_releases(host):
    return _has_run(host)


@case("B8", **disabled_provider("named"))
def a_memory_provider_is_disabled_by_its_own_name_in_some_releases(host):
    return _has_run(host)


@case(
    "B8",
    plugins={
        "model-providers/p": plugin(
            "from pathlib import Path\nimport os\nPath(os.environ['HERMES_HOME'], 'ran').touch()\n",
            name="p",
            kind="model-provider",
        )
    },
    config=_lists(disabled=["p"]),
)
def a_model_provider_runs_although_it_is_disabled(host):
    return (host.home / "ran").exists()


@case("B10", plugins=ONE, enable=["p"])
def the_configuration_becomes_invalid_while_the_host_runs(host):
    (host.home / "config.yaml").write_text("plugins: {enabled: [p]\n")
    host.rescan()


@case("B10", plugins=ONE, files={"config.yaml": "plugins: {enabled: [p]\n"})
def one_copy_of_a_corrupt_configuration_is_kept_per_size(host):
    config = host.home / "config.yaml"
    # Some hosts make at most one copy per second, so date the first one back.
    for copy in host.home.rglob("config.yaml.corrupt.*"):
        copy.rename(copy.with_name(re.sub(r"\d{8}-\d{6}", "20260101-000000", copy.name)))
    config.write_text("plugins: {enabled: [q]\n")
    # Hosts distinguish contents of equal size by their times, which may be equal on a fast machine.
    os.utime(config, (0, 0))
    host.rescan()
    return [file.read_text() for file in sorted(host.home.glob("config.yaml*"))]


@case("B10", plugins=ONE)
def a_linked_configuration_is_not_copied(host):
    (host.home / "aside.yaml").write_text("plugins: {enabled: [p]\n")
    (host.home / "config.yaml").symlink_to(host.home / "aside.yaml")
    host.rescan()
    return [file.read_text() for file in sorted(host.home.glob("config.yaml*"))]


def _managed_config(text):
    return {"files": {"cwd/managed/config.yaml": text}, "environment": {"HERMES_MANAGED_DIR": "managed"}}


@case("B11", plugins={**ONE, "q": plugin(name="q")}, enable=["p"], **_managed_config("plugins: {enabled: [q]}\n"))
def a_managed_list_replaces_the_list_of_the_user(host): ...


@case("B11", plugins=ONE, enable=["p"], **_managed_config("plugins: {disabled: [p]}\n"))
def other_keys_of_the_user_are_kept(host): ...


@case("B11", plugins=ONE, enable=["p"], **_managed_config("plugins: {enabled: [\n"))
def a_managed_file_that_cannot_be_read_is_ignored(host): ...


@case("B11", plugins=ONE, enable=["p"], **_managed_config("plugins:\n"))
def a_managed_null_does_not_replace_a_section(host): ...


@case("B11", plugins=ONE, enable=["p"], **_managed_config("plugins: [q]\n"))
def a_managed_list_replaces_the_whole_section(host): ...


@case(
    "B11",
    plugins=ONE,
    enable=["q"],
    **_managed_config("plugins: {enabled: ['${WHICH}']}\n")
    | {"environment": {"HERMES_MANAGED_DIR": "managed", "WHICH": "p"}},
)
def variables_in_a_managed_list_are_expanded(host): ...


@case(
    "B11",
    plugins=ONE,
    files={"config.yaml": "plugins: [\n", "cwd/managed/config.yaml": "plugins: {enabled: [p]}\n"},
    environment={"HERMES_MANAGED_DIR": "managed"},
)
def a_managed_list_applies_to_an_invalid_configuration(host): ...


PROBED = """
import time
SINCE, REAL, ASKED, ANSWERS = [0], time.monotonic, [], [True]
def probe():
    ASKED.append(1)
    return ANSWERS[0]
def tool(ctx, name, handler, **more):
    ctx.register_tool(name, "set", {"name": name, "description": "", "parameters": {}}, handler, **more)
def later(args, **kw):
    SINCE[0] += args["seconds"]
    time.monotonic = lambda: REAL() + SINCE[0]
    return ""
def turn(args, **kw):
    ANSWERS[0] = args["to"]
    return ""
def end(args, **kw):
    time.monotonic = REAL
    return str(len(ASKED))
def register(ctx):
    for handler in (later, turn, end):
        tool(ctx, handler.__name__, handler)
    for name in ("one", "two"):
        tool(ctx, name, lambda args, **kw: "", check_fn=probe)
"""


def _timeline(host, *steps):
    """Return the offered tools after each step: seconds that pass, or a new result of the check.

    The host makes new definitions only after a change of its configuration.
    """
    offered = []
    for step in (0, *steps):
        if isinstance(step, bool):
            host.call_tool("turn", to=step)
        else:
            host.call_tool("later", seconds=step)
        with (host.home / "config.yaml").open("a") as file:
            file.write("\n")
        names = [one["function"]["name"] for one in host.definitions()]
        offered.append([name for name in names if name in ("one", "two")])
    return offered, host.call_tool("end").text


@case("B19", one=PROBED)
def tools_share_a_check_that_is_cached_for_half_a_minute(host):
    return _timeline(host, 20, 15, 29)


@case("B19", one=PROBED)
def a_failed_check_soon_after_a_success_is_ignored(host):
    return _timeline(host, False, 29, 2, 1, 27, 2)


@case("B19", one=PROBED)
def a_failed_check_is_cached_for_half_a_minute(host):
    return _timeline(host, False, 61, True, 29, 2)
