"""Cases of section C, and of section D where it is about one tool call: registering, describing and calling tools."""

from conformance.case import case
from conformance.noting import called, registering, seen

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.base import HostExited

# --- Registration


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


# --- Definitions


@case("C12", one=registering("for name in ('b', 'C', 'a', '_', 'a_b', 'read_file'): tool(name, toolset=name)"))
def definitions_are_sorted_by_name(host):
    return host.definitions()


ODD_PARAMETERS = {
    "absent": None,
    "text": "object",
    "list": [1],
    "bare": {"type": "object"},
    "no_type": {"properties": {"a": {"type": "string"}}},
    "scalar": {"type": "string"},
    "branches": {"type": "object", "anyOf": [{}], "oneOf": [{}], "allOf": [{}], "enum": [1], "not": {}, "title": "T"},
    "bare_text": {"type": "object", "properties": {"a": "string", "b": "nonsense", "c": {"items": "integer"}}},
    "nested": {"properties": {"a": {"type": "object"}, "b": {"type": "array", "items": {"type": "object"}}}},
    "nullable": {"properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["null"]}, "c": {"type": []}}},
    "union": {"properties": {"a": {"type": ["string", "integer"]}, "b": {"type": ["integer", "string", "null"]}}},
    "any_of": {
        "properties": {
            "a": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T", "description": "D", "default": None},
            "b": {"oneOf": [{"type": "object"}, {"type": "null"}], "examples": [1]},
            "c": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        }
    },
    "required": {"properties": {"a": {}}, "required": ["a", "gone"]},
    "required_all_gone": {"type": "object", "properties": {"a": {"type": "object", "required": ["gone"]}}},
    "reference": {"properties": {"a": {"$ref": "#/$defs/a", "default": 1}}, "$defs": {"a": {"type": "object"}}},
    "closed": {"properties": {}, "additionalProperties": False, "patternProperties": {"^x": {"type": "object"}}},
}


@case("C14", one=registering(f"for name, parameters in {ODD_PARAMETERS!r}.items(): tool(name, parameters=parameters)"))
def schemas_are_repaired_for_the_model(host):
    return host.definitions()


# --- The handler


@case("C19", one=registering("tool('t'); tool('execute_code'); tool('bare', lambda args: 'x')"))
def a_handler_gets_the_arguments_and_what_the_release_adds(host):
    return called(host, "t", "execute_code", "bare", s="x")


# Each value is tried with each type: integers, fractions, words, JSON, and what is no text at all.
VALUES = ["42", " 42 ", "4.5", "1e3", "1e400", "nan", "1_000", "0x10", "", "true", "TRUE ", "yes", "null", " NULL"]
VALUES += ["[1,2]", "[1,", '{"a": "[1]"}', '["{\\"q\\": 1}"]', '"x"', "1.0", "٤٢", "-0", "9007199254740993"]
VALUES += [5, 4.5, True, None, [1, "2"], ['{"a": 1}', "[3]"], {"a": "[1]", "b": '{"c": "[2]"}'}, {}, []]
TYPES = [{"type": one} for one in ("integer", "number", "boolean", "string", "array", "object", "null", "weird", [])]
TYPES += [{"type": ["integer", "string"]}, {"type": ["string", "integer"]}, {"type": ["number", "boolean", "null"]}]
TYPES += [{}, {"nullable": True}, {"type": "integer", "nullable": True}, {"type": "array", "nullable": True}]
TYPES += [{"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"oneOf": [{"type": "null"}], "type": "array"}]
TYPES += [
    {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "array"}}}},
    {"type": "object", "properties": {"a": {"type": "array"}, "b": {"properties": {"c": {"type": "array"}}}}},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "array"}, {"type": "string"}]}}},
    {"type": "array", "items": "x"},
    {"type": "object", "properties": {"a": "array"}},
]


def _table():
    cells = [(f"{i}_{j}", one, value) for i, one in enumerate(TYPES) for j, value in enumerate(VALUES)]
    return {name: one for name, one, _ in cells}, {name: value for name, _, value in cells}


PROPERTIES, ARGUMENTS = _table()


@case(
    "C20",
    one=registering(f"""
        show = lambda args, **kwargs: json.dumps({{key: repr(value) for key, value in args.items()}})
        tool("t", show, parameters={{"type": "object", "properties": {PROPERTIES!r}}})
    """),
)
def arguments_are_coerced_by_the_schema(host):
    return host.call_tool("t", ARGUMENTS).json


@case("C20", one=registering("tool('t', parameters={'properties': ['n']})"), ends=HermesSdkError)
def properties_that_are_no_mapping_break_the_call(host):
    host.call_tool("t", n="1")


@case(
    "C21",
    one=registering("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kw: kw["args"].update(s="changed", n="7"))
        watch("pre_tool_call", "post_tool_call")
    """),
)
def hooks_get_the_live_arguments_coerced(host):
    return [host.call_tool("t", n="1", s="x").json, seen(host)]


@case(
    "C22",
    one=registering("""
        import asyncio, threading
        async def later(args, **kwargs):
            await asyncio.sleep(0)
            return f"{threading.current_thread() is threading.main_thread()} {sorted(kwargs)}"
        async def fails(args, **kwargs): raise ValueError("no")
        async def loop(args, **kwargs): return str(LOOPS.setdefault(0, asyncio.get_running_loop()) is asyncio.get_running_loop())
        LOOPS = {}
        async def nested(args, **kwargs): return ctx.dispatch_tool("later", {})
        for handler in (later, fails, loop, nested): tool(handler.__name__, handler, is_async=True)
        tool("not_async", echo, is_async=True)
    """),
)
def coroutine_handlers_are_awaited_when_declared(host):
    return [called(host, "later", "fails", "loop", "nested", "not_async"), host.call_tool("loop").value]


RESULTS = (
    "'', 'no JSON', None, {'a': 1}, {'error': 'x'}, [1], 3, True, {'_multimodal': True, 'content': []},"
    " {'_multimodal': 1, 'content': []}, {'_multimodal': True, 'content': ()}, type('Sub', (str,), {})('sub')"
)


@case(
    "C23",
    one=registering(f"""
        for number, result in enumerate(({RESULTS})):
            tool(f"t{{number}}", lambda args, result=result, **kwargs: result)
        watch("post_tool_call", "transform_tool_result")
    """),
)
def results_are_text_or_multimodal(host):
    return [called(host, *host.tools), seen(host)]


@case(
    "C23",
    one=registering("""
        async def later(args, **kwargs): return "x"
        tool("undeclared", later)
        tool("bytes", lambda args, **kwargs: b"bytes")
    """),
    releases=["0.19.0"],
)
def what_json_cannot_carry_is_no_result(host):
    return called(host, "undeclared", "bytes")


MESSAGES = (
    "plain",
    "",
    "<system>a</system> <![CDATA[ b ]]> <Assistant> <tool_call>c</tool_call>",
    "a\n```json\n{}\n```\nb ``` c",
    "y" * 3000,
    "ü → 中",
)


@case(
    "C24",
    one=registering(f"""
        class Mute(Exception):
            def __str__(self): return "quoted 'text' \\"here\\""
        def raises(args, **kwargs): raise (ValueError({MESSAGES!r}[args["n"]]) if "n" in args else Mute)
        tool("t", raises)
        watch("post_tool_call", "transform_tool_result")
    """),
)
def an_exception_becomes_an_error_without_markup(host):
    return [[host.call_tool("t", n=n).value for n in range(len(MESSAGES))], host.call_tool("t").value, seen(host)]


@case("C24", one=registering("import sys; tool('t', lambda args, **kwargs: sys.exit(3))"), ends=HostExited)
def sys_exit_of_a_handler_ends_the_host(host):
    return host.call_tool("t").value


@case("C25", one=registering("tool('known'); tool('todo'); watch('pre_tool_call', 'post_tool_call'); tool('clarify')"))
def unknown_tools_and_those_of_the_agent_loop_are_errors(host):
    names = ("unknown", "Known", "known_tool", "", "todo", "memory", "session_search", "delegate_task", "clarify")
    return [called(host, *names, n="1"), seen(host)]


@case("C27", one=registering("tool('t', lambda args, **kwargs: 'x' * 150_000)"))
def outside_of_a_turn_no_result_is_cut(host):
    return len(host.call_tool("t").value)


@case(
    "C28",
    one=registering("for name in ('web_search', 'browser_x', 'mcp_x'): tool(name, lambda a, **k: 'x' * 99, name)"),
)
def outside_of_a_turn_no_result_is_marked_as_untrusted(host):
    return called(host, "web_search", "browser_x", "mcp_x")


# --- Hooks of one call


@case("D19", one=registering("tool('t'); watch('pre_tool_call', 'post_tool_call', 'transform_tool_result')"))
def hooks_of_a_call_get_the_arguments_of_the_release(host):
    return [host.call_tool("t", n="5").value, seen(host)]


RETURNED = (
    {"action": "block", "message": "m"},
    {"action": "block"},
    {"action": "block", "message": ""},
    {"action": "block", "message": 5},
    {"action": "BLOCK", "message": "m"},
    {"decision": "block", "reason": "m"},
    {"action": ["block"], "message": "m"},
    "block",
    True,
    {"action": "approve", "message": "why"},
    {"action": "approve"},
    {"action": "approve", "message": 7, "rule_key": " "},
)
"""What ``pre_tool_call`` may return; the tool's argument ``n`` chooses."""


@case(
    "D30",
    one=registering(f"""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda args, **kwargs: {RETURNED!r}[args["n"]])
        watch("post_tool_call", "transform_tool_result")
    """),
)
def only_a_block_with_a_message_blocks(host):
    return [[host.call_tool("t", n=n).value for n in range(len(RETURNED))], seen(host)]


@case(
    "D30",
    one=registering("""
        tool("t")
        for number in (1, 2): ctx.register_hook("pre_tool_call", lambda number=number, **kwargs: SEEN.append(number))
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "first"})
        ctx.register_hook("pre_tool_call", lambda **kwargs: SEEN.append("after") or {"action": "block", "message": "second"})
    """),
)
def the_first_block_wins_and_all_callbacks_run(host):
    return [called(host, "t", "unknown"), seen(host)]


@case(
    "D31",
    one=registering("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "approve", "message": "why", "rule_key": " key "})
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "later"})
    """),
)
def approval_that_nobody_can_give_blocks(host):
    return host.call_tool("t").value


@case(
    "D32",
    one=registering("""
        def bad(**kwargs): raise KeyError("no")
        tool("t"); tool("empty")
        for answer in ({"no": 1}, b"bytes", 5):
            ctx.register_hook("transform_tool_result", lambda answer=answer, **kwargs: answer)
        ctx.register_hook("transform_tool_result", bad)
        ctx.register_hook("transform_tool_result", lambda tool_name, **kwargs: "" if tool_name == "empty" else None)
        ctx.register_hook("transform_tool_result", lambda result, **kwargs: f"{result} changed")
        ctx.register_hook("transform_tool_result", lambda result, **kwargs: SEEN.append(result) or "later")
        watch("post_tool_call")
    """),
)
def the_first_text_replaces_the_result(host):
    return [called(host, "t", "empty", "unknown"), seen(host)]


@case(
    "D33",
    one=registering("""
        tool("t"); tool("todo", toolset="mine")
        ctx.register_hook("pre_tool_call", lambda tool_name, **kw: {"action": "block", "message": "no"} if tool_name == "t" else None)
        watch("transform_tool_result")
    """),
)
def blocked_calls_and_tools_of_the_agent_loop_are_not_transformed(host):
    return [called(host, "t", "todo"), seen(host)]
