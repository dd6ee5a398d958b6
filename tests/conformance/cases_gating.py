"""Cases of section B: who may load, and which tools are offered."""

from conformance.case import case, plugin

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
def disabled_beats_enabled(host): ...


@case("B6", plugins=ONE)
def not_enabled_is_recorded(host): ...


@case("B7", plugins={"b": plugin(name="b", kind="backend"), "f": plugin(name="f", kind="platform")})
def backends_and_platforms_of_the_user_are_gated(host): ...


@case("B9", plugins=ONE)
def the_lists_are_read_again_by_a_rescan(host):
    (host.home / "config.yaml").write_text("plugins: {enabled: [p]}\n")
    host.rescan()


@case("B10", plugins=ONE, files={"config.yaml": "plugins: {enabled: [p]\n"})
def a_config_that_cannot_be_read_enables_nothing(host): ...


@case("B16", plugins={"p": plugin(name="p", requires_env=["SURELY_NOT_SET"])}, enable=["p"])
def requires_env_does_not_gate(host): ...


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
def only_check_fn_hides_a_tool_and_dispatch_ignores_it(host):
    return {"offered": [one["function"]["name"] for one in host.definitions()], "off": host.call_tool("off").text}
