"""Cases of section C: registration of tools, owners of names, and rejected registrations."""

from conformance.case import case, plugin
from conformance.recorder import call_tools, read_notes, recorder

from hermes_sdk.errors import HermesSdkError


@case("C1", one=recorder("tool('kept'); ctx.register_tool(name='t', schema={}, handler=echo)"))
def a_tool_needs_a_toolset(host):
    return host.call_tool("kept").text


@case(
    "C1",
    one=recorder("""
        SEEN.append(repr(type(ctx.register_tool("t", "set", {"parameters": ANY}, echo, None, None, False, "", ""))))
        failed(ctx.register_tool, "big", "set", {}, echo, max_result_size_chars=5)
        failed(ctx.register_tool, "u", "set", {})
        failed(ctx.register_tool, "v", "set", {}, echo, requires_env=["UNSET"], emoji="e", colour="red")
        ctx.register_tool("w", "set", {"parameters": ANY}, echo, requires_env=["UNSET"], emoji="e")
    """),
)
def registering_a_tool_takes_nine_arguments(host):
    return [
        read_notes(host),
        call_tools(host, "t", "w", n="1"),
        [one["function"]["name"] for one in host.definitions()],
    ]


@case("C2", one=recorder("tool('t', toolset='file'); tool('u', toolset='a b/ü'); tool('v', toolset='')"))
def any_string_can_name_a_toolset(host):
    return [one["function"]["name"] for one in host.definitions()]


@case("C3", one=recorder("tool('t', lambda a, **k: 'one'); tool('t', lambda a, **k: 'two')"))
def a_later_tool_replaces_an_earlier_one_in_its_toolset(host):
    return host.call_tool("t").value


# Plugins register before the built-in tools, except after a rescan.
TAKES_A_BUILTIN_LATER = """
    import pathlib
    tool("other")
    again = pathlib.Path("again")
    if again.exists():
        tool("read_file", lambda args, **kwargs: "of the plugin", toolset={!r})
    again.touch()
"""


@case("C3", one=recorder(TAKES_A_BUILTIN_LATER.format("file")))
def a_builtin_is_replaced_without_consent(host):
    host.call_tool("other")
    host.rescan()
    return [host.tools, host.call_tool("read_file", path="x").value]


@case("C3", one=recorder("tool('read_file', lambda a, **k: 'of the plugin', toolset='file')"))
def a_built_in_tool_reclaims_its_name_in_its_toolset(host):
    host.call_tool("todo")
    return [host.tools, [one["function"]["name"] for one in host.definitions()]]


@case("C4", one=recorder("tool('t', lambda a, **k: 'one'); tool('t', lambda a, **k: 'two', toolset='other')"))
def another_toolset_does_not_take_a_name(host):
    return host.call_tool("t").value


@case(
    "C4",
    plugins={
        "a": plugin(recorder("tool('t', lambda a, **k: 'of a', toolset='one')"), name="a"),
        "b": plugin(recorder("tool('t', lambda a, **k: 'of b', toolset='two'); tool('u')"), name="b"),
        "c": plugin(recorder("tool('t', lambda a, **k: 'of c', toolset='one')"), name="c"),
    },
    enable=["a", "b", "c"],
)
def the_first_plugin_keeps_a_tool_name_outside_its_toolset(host):
    return call_tools(host, "t", "u", n="1")


@case("C4", one=recorder("tool('t', lambda a, **k: 'one', 'mcp-a'); tool('t', lambda a, **k: 'two', 'mcp-b')"))
def toolsets_of_mcp_servers_replace_tools_of_each_other(host):
    return host.call_tool("t").value


TAKES_A_BUILTIN = "tool('read_file', lambda a, **k: 'of the plugin', toolset='mine')"


@case("C5", one=recorder(TAKES_A_BUILTIN))
def a_plugin_tool_takes_precedence_over_a_built_in_tool(host):
    return host.call_tool("read_file").value


DISPOSING = """
    schema = {"name": "read_file", "description": "Mine.", "parameters": ANY}
    handle = ctx.register_tool("read_file", "mine", schema, lambda args, **kwargs: "of the plugin")
    ctx.register_command("give-up", lambda arguments: str(handle.dispose()))
"""


@case("C5", one=recorder(DISPOSING), releases=["0.20.2", "0.22.2"])
def a_built_in_tool_returns_when_a_plugin_releases_its_name(host):
    before = [host.call_tool("read_file", path="x").value, host.tools]
    host.command("/give-up")
    return [*before, "not found" in host.call_tool("read_file", path="x").text, host.tools]


@case("C5", one=recorder(TAKES_A_BUILTIN_LATER.format("mine")))
def a_built_in_tool_registered_first_is_kept(host):
    host.call_tool("other")
    host.rescan()
    return [host.tools, call_tools(host, "other", n="1")]


@case("C5", one=recorder(TAKES_A_BUILTIN))
def a_plugin_keeps_the_name_of_a_builtin_in_a_rescan_before_the_first_use(host):
    host.rescan()
    before = host.tools
    return [before, host.call_tool("read_file").value, host.tools, [one["function"] for one in host.definitions()]]


@case("C5", one=recorder(TAKES_A_BUILTIN))
def a_plugin_that_comes_first_keeps_the_name_of_a_builtin_in_a_rescan_in_some_releases(host):
    host.call_tool("read_file")
    host.rescan()
    called = host.call_tool("read_file", path="x")
    return [host.tools, called.value == "of the plugin"]


@case(
    "C5",
    one=recorder("tool('read_file', lambda a, **k: 'of the plugin', toolset='file')"),
)
def a_built_in_tool_reclaims_its_name_after_a_rescan_in_some_releases(host):
    host.rescan()
    before = host.tools
    called = host.call_tool("read_file", path="x")
    return [before, host.tools, called.value == "of the plugin"]


@case(
    "C5",
    one=recorder(
        """
        def names(arguments):
            from tools.registry import registry
            return str(registry.get_all_tool_names())
        tool("mine")
        ctx.register_command("names", names)
        """
    ),
)
def builtins_are_not_registered_before_the_first_use(host):
    return host.command("/names")


@case("C6", one=recorder("tool('kept'); tool('t', override=True)"))
def an_override_needs_the_consent_of_the_operator(host):
    return host.call_tool("kept").text


@case("C6", one=recorder("failed(tool, 't', override=True)"), config={"plugins": {"entries": {"p": None, "q": 1}}})
def the_refusal_of_an_override_can_be_caught(host):
    return read_notes(host)


@case(
    "C6",
    plugins={"sort/p": plugin(recorder("failed(tool, 't', override=True); tool('u')"), name="p")},
    enable=["sort/p"],
    config={"plugins": {"entries": {"p": {"allow_tool_override": True}}}},
)
def consent_is_looked_up_by_the_key(host):
    return [host.tools, read_notes(host)]


@case(
    "C6",
    plugins={"sort/my-p": plugin(recorder("tool('t'); tool('t', toolset='b', override=True)"), name="my-p")},
    enable=["sort/my-p"],
    config={"plugins": {"entries": {"sort/my-p": {"allow_tool_override": True}}}},
)
def consent_under_the_key_counts(host):
    return call_tools(host, "t", n="1")


OVERRIDING = recorder("""
    tool('t', lambda a, **k: 'one')
    failed(tool, 't', lambda a, **k: 'two', toolset='other', override=True)
    tool('u', toolset='first')
""")


@case("C7", one=OVERRIDING, config={"plugins": {"entries": {"p": {"allow_tool_override": True}}}})
def an_override_with_consent_replaces_a_tool(host):
    return [host.call_tool("t").value, read_notes(host)]


@case("C7", one=OVERRIDING, config={"plugins": {"entries": {"p": {"allow_tool_override": "false"}}}})
def any_truthy_value_is_consent(host):
    return [host.call_tool("t").value, read_notes(host)]


@case("C7", one=OVERRIDING, config={"plugins": {"entries": {"p": {"allow_tool_override": 0}}}})
def a_false_value_is_not_consent(host):
    return [host.call_tool("t").value, read_notes(host)]


OVERRIDING_A_BUILTIN_LATER = recorder("""
    import pathlib
    tool("other")
    again = pathlib.Path("again")
    if again.exists():
        failed(tool, "read_file", lambda args, **kwargs: "of the plugin", toolset="mine", override=True)
    again.touch()
""")


@case(
    "N82",
    one=OVERRIDING_A_BUILTIN_LATER,
    config={"plugins": {"entries": {"p": {"granted_capabilities": ["llm.task_override", " tools.override "]}}}},
)
def a_granted_capability_allows_overrides(host):
    host.call_tool("other")
    host.rescan()
    return [host.tools, host.call_tool("read_file", path="x").value, read_notes(host)]


@case(
    "N82",
    one=recorder("failed(tool, 't', override=True); tool('u')"),
    config={"plugins": {"entries": {"p": {"granted_capabilities": "tools.override"}}}},
    releases=["0.20.2", "0.22.2"],
)
def capabilities_that_are_not_a_list_grant_nothing(host):
    return [host.tools, read_notes(host)]


@case(
    "C7",
    plugins={
        "p": {
            **plugin(
                recorder("""
                    import functools
                    from . import inner
                    class Called:
                        def __call__(self, args, **kwargs): return "called"
                    for number, handler in enumerate((inner.handler, functools.partial(echo), Called(), json.dumps)):
                        tool(f"t{number}")
                        failed(tool, f"t{number}", handler, toolset="other", override=True)
                """),
                name="p",
            ),
            "inner.py": "def handler(args, **kwargs): return 'of a submodule'\n",
        }
    },
    enable=["p"],
    config={"plugins": {"entries": {"p": {"allow_tool_override": True}}}},
)
def consent_covers_handlers_of_the_main_module(host):
    return [call_tools(host, "t0", "t1", "t2"), read_notes(host)]


@case(
    "C9",
    one=recorder("""
        failed(ctx.register_tool, "none", "set", None, echo)
        ctx.register_tool("other", "set", {"name": "wrong", "description": "of the schema", "parameters": ANY}, echo, description="of the call")
        ctx.register_tool("wrapped", "set", {"type": "function", "function": {"name": "wrapped", "parameters": ANY}}, echo)
        ctx.register_tool("empty", "set", {}, echo)
    """),
)
def the_name_is_from_the_call_and_the_description_from_the_schema(host):
    return [read_notes(host), host.definitions(), call_tools(host, "none", "wrong", "other", "wrapped", n="1")]


@case("C9", one=recorder("ctx.register_tool('t', 'set', None, echo, description='instead of the schema')"))
def a_tool_without_schema_can_be_called(host):
    return host.call_tool("t", n="1").value


@case(
    "C9",
    one=recorder(
        """
        import collections, types
        for name, schema in {"text": "no mapping", "list": [], "number": 3}.items():
            failed(ctx.register_tool, name, "set", schema, echo)
        whole = {"name": "x", "description": "d", "parameters": ANY, "strict": True, "more": [1]}
        failed(ctx.register_tool, "proxy", "set", types.MappingProxyType(whole), echo)
        failed(ctx.register_tool, "user", "set", collections.UserDict(whole), echo, description="longer")
        ctx.register_tool("described", "set", {"parameters": ANY}, echo, description="of the call alone")
        ctx.register_tool("late", "set", LATE, echo)
        LATE["description"] = "changed afterwards"
    """.replace("import collections", 'LATE = {"description": "at first", "parameters": ANY}; import collections')
    ),
)
def a_schema_is_any_mapping_and_is_not_copied(host):
    return [read_notes(host), host.definitions(), call_tools(host, "proxy", "user", n="1")]


@case(
    "C9",
    one=recorder("ctx.register_tool('t', 'set', None, echo, description='instead of the schema')"),
    ends=HermesSdkError,
)
def a_tool_without_schema_breaks_all_definitions(host):
    host.definitions()


@case(
    "C3",
    one=recorder("ctx.register_command('late', lambda name: tool(name) or 'done')"),
)
def a_command_registers_a_tool(host):
    return [host.command("/late new"), host.tools, host.call_tool("new", n=1).value]
