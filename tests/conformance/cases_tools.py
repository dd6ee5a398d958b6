"""Cases of section C, the part about registering tools: who holds a name, and what is refused."""

from conformance.case import case
from conformance.noting import called, registering, seen

from hermes_sdk.errors import HermesSdkError


@case("C1", one=registering("tool('kept'); ctx.register_tool(name='t', schema={}, handler=echo)"))
def a_tool_needs_a_toolset(host):
    return host.call_tool("kept").text


@case("C2", one=registering("tool('t', toolset='file'); tool('u', toolset='a b/ü'); tool('v', toolset='')"))
def any_text_is_a_toolset(host):
    return [one["function"]["name"] for one in host.definitions()]


@case("C3", one=registering("tool('t', lambda a, **k: 'one'); tool('t', lambda a, **k: 'two')"))
def in_one_toolset_the_later_tool_replaces_the_earlier(host):
    return host.call_tool("t").value


@case("C4", one=registering("tool('t', lambda a, **k: 'one'); tool('t', lambda a, **k: 'two', toolset='other')"))
def another_toolset_does_not_take_a_name(host):
    return host.call_tool("t").value


@case("C4", one=registering("tool('t', lambda a, **k: 'one', 'mcp-a'); tool('t', lambda a, **k: 'two', 'mcp-b')"))
def toolsets_of_mcp_servers_take_names_of_each_other(host):
    return host.call_tool("t").value


@case("C5", one=registering("tool('read_file', lambda a, **k: 'of the plugin', toolset='mine')"))
def a_plugin_comes_before_a_builtin_of_its_name(host):
    return host.call_tool("read_file").value


@case("C6", one=registering("tool('kept'); tool('t', override=True)"))
def an_override_needs_the_consent_of_the_operator(host):
    return host.call_tool("kept").text


@case("C6", one=registering("failed(tool, 't', override=True)"), config={"plugins": {"entries": {"p": None, "q": 1}}})
def the_refusal_of_an_override_can_be_caught(host):
    return seen(host)


OVERRIDING = registering("""
    tool('t', lambda a, **k: 'one')
    failed(tool, 't', lambda a, **k: 'two', toolset='other', override=True)
    tool('u', toolset='first')
""")


@case("C7", one=OVERRIDING, config={"plugins": {"entries": {"p": {"allow_tool_override": True}}}})
def with_consent_an_override_replaces(host):
    return [host.call_tool("t").value, seen(host)]


@case("C7", one=OVERRIDING, config={"plugins": {"entries": {"p": {"allow_tool_override": "false"}}}})
def any_truthy_value_is_consent(host):
    return [host.call_tool("t").value, seen(host)]


@case(
    "C9",
    one=registering("""
        failed(ctx.register_tool, "none", "set", None, echo)
        ctx.register_tool("other", "set", {"name": "wrong", "description": "of the schema", "parameters": ANY}, echo, description="of the call")
        ctx.register_tool("wrapped", "set", {"type": "function", "function": {"name": "wrapped", "parameters": ANY}}, echo)
        ctx.register_tool("empty", "set", {}, echo)
    """),
)
def the_name_is_the_hosts_and_the_description_the_schemas(host):
    return [seen(host), host.definitions(), called(host, "none", "wrong", "other", "wrapped", n="1")]


@case("C9", one=registering("ctx.register_tool('t', 'set', None, echo, description='instead of the schema')"))
def a_tool_without_schema_can_becalled(host):
    return host.call_tool("t", n="1").value


@case(
    "C9",
    one=registering("ctx.register_tool('t', 'set', None, echo, description='instead of the schema')"),
    ends=HermesSdkError,
)
def a_tool_without_schema_breaks_all_definitions(host):
    host.definitions()
