"""Cases of unusual plugins."""

from conformance.case import case
from conformance.conversations import converse
from conformance.recorder import recorder

from hermes_sdk.llm import call, say


@case(
    "C20",
    one=recorder("""
        tool("bare", parameters={"type": "object", "properties": {"n": "string"}})
        watch("pre_tool_call", "post_tool_call", "transform_tool_result")
    """),
)
def a_type_name_as_the_schema_of_an_argument_is_accepted(host):
    host.llm.script(call("bare", n="5"), say("done"))
    return converse(host, "hello")


@case("C20", one=recorder("tool('text', parameters='string')"))
def tool_parameters_that_are_not_a_mapping_are_handled(host):
    host.llm.script(call("text", n="5"), say("done"))
    return converse(host, "hello")


@case("C20", one=recorder("tool('print', print)"))
def a_builtin_function_can_be_a_handler(host):
    return host.call_tool("print", {"n": 5}).text, host.report("p")["tools"]


@case("D3", one=recorder("ctx.register_hook('on_session_start', None)"))
def a_callback_can_be_none(host):
    host.llm.script(say("done"))
    return converse(host, "hello")


@case("D16", one=recorder("tool('t')"))
def a_tool_call_written_as_text_is_removed(host):
    host.llm.script(
        say('<tool_call>{"name": "t"}</tool_call>'),
        say('I <FUNCTION_CALL a="b">\n{}</function_call>will.'),
    )
    return converse(
        host,
        "hello",
    )


@case("A1", plugins={"p": {"plugin.yaml": "name: ''\n", "__init__.py": recorder("tool('t')")}}, enable=["p", ""])
def a_plugin_name_can_be_empty(host):
    host.llm.script(say("done"))
    return converse(host, "hello")
