"""Cases of section C, the part about one call: arguments, handler and result."""

from conformance.case import case
from conformance.noting import called, registering, seen

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.base import HostExited


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
