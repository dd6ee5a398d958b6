"""Cases of section C: arguments, handler and result of a tool call."""

from conformance.case import case
from conformance.conversations import converse
from conformance.recorder import call_tools, read_notes, recorder

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.llm import call, say


@case("C19", one=recorder("tool('t'); tool('execute_code'); tool('bare', lambda args: 'x')"))
def a_handler_receives_the_arguments_and_keywords_of_the_release(host):
    return call_tools(host, "t", "execute_code", "bare", s="x")


@case(
    "C19",
    one=recorder("""
        tool("t"); tool("todo", lambda args, **kwargs: "of the plugin", "mine")
        tool("outer", lambda args, **kwargs: ctx.dispatch_tool("t", {"n": "5"}))
        tool("ids", lambda args, **kwargs: ctx.dispatch_tool("t", {"n": "5"}, task_id=kwargs["task_id"], more=1))
        tool("none", lambda args, **kwargs: ctx.dispatch_tool("t", None))
        tool("loop", lambda args, **kwargs: ctx.dispatch_tool("todo", {}))
        tool("unknown", lambda args, **kwargs: ctx.dispatch_tool("no such tool", {}))
        watch("pre_tool_call", "post_tool_call")
    """),
)
def a_dispatched_tool_receives_the_arguments_from_the_plugin(host):
    return [call_tools(host, "outer", "ids", "none", "loop", "unknown"), read_notes(host)]


@case(
    "C19",
    one=recorder("""
        class Handlers:
            def method(self, args, **kwargs): return f"method {sorted(args)}"
            def __call__(self, args, task_id, **kwargs): return f"called {task_id}"
        tool("method", Handlers().method); tool("called", Handlers()); tool("other", lambda arguments, **k: str(arguments))
        tool("keyword", lambda *, args, **k: "x"); tool("nothing", lambda: "x"); tool("no_handler", None)
        tool("kwargs", lambda args, task_id=None, user_task="unset", session_id="unset": f"{user_task} {session_id}")
    """),
)
def handlers_receive_one_positional_argument_and_keywords(host):
    return call_tools(host, "method", "called", "other", "keyword", "nothing", "no_handler", "kwargs", n="1")


# Each value is passed for each type: numbers, words and JSON as strings, and other types.
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
    one=recorder(f"""
        show = lambda args, **kwargs: json.dumps({{key: repr(value) for key, value in args.items()}})
        tool("t", show, parameters={{"type": "object", "properties": {PROPERTIES!r}}})
    """),
)
def arguments_are_coerced_by_the_schema(host):
    return host.call_tool("t", ARGUMENTS).json


REFERENCES = """
    leaf = {"type": "object", "properties": {"n": {"type": "integer"}, "below": {"type": "array", "items": {"$ref": "#/$defs/leaf"}}}}
    given = {
        "leaf": {"$ref": "#/$defs/leaf"},
        "leaves": {"type": "array", "items": {"$ref": "#/$defs/leaf"}},
        "number": {"$ref": "#/$defs/number", "type": "boolean", "nullable": True},
        "path": {"$ref": "#/properties/either/anyOf/1"},
        "either": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"list": {"type": "array"}}}]},
        "escaped": {"$ref": "#/$defs/a~1b%20c"},
        "wrong": {"$ref": "#/$defs/a~2b"},
        "missing": {"$ref": "#/$defs/missing"},
        "elsewhere": {"$ref": "https://example.org/number"},
        "loop": {"$ref": "#/$defs/loop"},
        "union": {"type": "array", "items": {"$ref": "#/$defs/union"}},
        "root": {"$ref": "#"},
    }
    number = {"type": "integer"}
    union = {"anyOf": [{"$ref": "#/$defs/union"}, {"type": "array"}]}
    defs = {"leaf": leaf, "number": number, "a/b c": number, "loop": {"$ref": "#/$defs/loop"}, "union": union}
    tool("t", parameters={"type": "object", "properties": given, "$defs": defs})
"""


@case("C20", one=recorder(REFERENCES))
def arguments_are_coerced_by_referenced_definitions(host):
    leaf = '{"n": "4", "below": ["{}", "[]"]}'
    numbers = dict.fromkeys(("number", "escaped", "wrong", "missing", "elsewhere", "loop"), "4")
    return [
        call_tools(host, "t", leaf=leaf, leaves=[leaf, {"below": "[1]"}], **numbers),
        call_tools(host, "t", number="null", path='{"list": "[1]"}', either='{"list": "[1]"}', union=["[1]"]),
        call_tools(host, "t", root='{"number": "4", "leaves": "[1]"}'),
    ]


@case("C20", one=recorder("tool('t', parameters={'properties': ['n']})"), ends=HermesSdkError)
def properties_that_are_not_a_mapping_break_the_call(host):
    host.call_tool("t", n="1")


@case(
    "C21",
    one=recorder("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kw: kw["args"].update(s="changed", n="7"))
        watch("pre_tool_call", "post_tool_call")
    """),
)
def hooks_receive_the_live_coerced_arguments(host):
    return [host.call_tool("t", n="1", s="x").json, read_notes(host)]


@case(
    "C20",
    one=recorder("""
        tool("t")
        ctx.register_tool("bare", "set", {}, echo)
        ctx.register_tool("odd", "set", {"parameters": {"type": "object", "properties": {"n": {}}}}, echo)
        ctx.register_hook("pre_tool_call", lambda args, **kwargs: SEEN.append(dict(args)))
    """),
)
def undeclared_arguments_are_not_coerced(host):
    return [
        call_tools(host, "t", "bare", "odd", n="5", s=5, other="5"),
        call_tools(host, "t", "bare"),
        read_notes(host),
    ]


@case(
    "C22",
    one=recorder("""
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
    return [call_tools(host, "later", "fails", "loop", "nested", "not_async"), host.call_tool("loop").value]


@case(
    "C22",
    one=recorder("""
        import asyncio, contextvars, threading
        VALUE = contextvars.ContextVar("value", default="unset")
        async def value(args, **kwargs): return f"{VALUE.get()} {threading.current_thread() is threading.main_thread()}"
        async def outer(args, **kwargs):
            VALUE.set("set by the caller")
            return ctx.dispatch_tool("value", {})
        for handler in (value, outer): tool(handler.__name__, handler, is_async=True)
        tool("plain", lambda args, **kwargs: VALUE.set("set by a plain tool") and ctx.dispatch_tool("value", {}))
    """),
)
def a_handler_on_a_new_thread_sees_context_variables_in_some_releases(host):
    return call_tools(host, "value", "outer", "plain")


@case(
    "C22",
    one=recorder("""
        import asyncio, threading
        LOOPS = []
        async def loop(args, **kwargs):
            LOOPS.append(asyncio.get_running_loop())
            return "noted"
        def elsewhere(args, **kwargs):
            def work():
                for _ in range(2): ctx.dispatch_tool("loop", {})
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            return "joined"
        async def tasks(args, **kwargs):
            LEFT.append(asyncio.ensure_future(asyncio.sleep(0)))
            return str([one.done() for one in LEFT])
        LEFT = []
        tool("loop", loop, is_async=True); tool("elsewhere", elsewhere); tool("tasks", tasks, is_async=True)
        tool("count", lambda args, **kwargs: json.dumps([LOOPS.index(one) for one in LOOPS]))
    """),
)
def each_thread_has_its_own_event_loop(host):
    for name in ("loop", "elsewhere", "loop"):
        host.call_tool(name)
    return [host.call_tool("count").json, host.call_tool("tasks").value, host.call_tool("tasks").value]


@case(
    "C22",
    one=recorder("""
        import asyncio
        async def timeout(args, **kwargs): await asyncio.wait_for(asyncio.sleep(9), 0.001)
        async def generator(args, **kwargs): yield "x"
        for handler in (timeout, generator): tool(handler.__name__, handler, is_async=True)
        tool("awaitable", lambda args, **kwargs: asyncio.sleep(0, "of a coroutine"), is_async=True)
        tool("nested_run", lambda args, **kwargs: asyncio.run(asyncio.sleep(0, "own loop")))
    """),
)
def errors_of_awaited_handlers_are_reported(host):
    return call_tools(host, "timeout", "awaitable", "nested_run", "generator")


RESULTS = (
    "'', 'no JSON', None, {'a': 1}, {'error': 'x'}, [1], 3, True, {'_multimodal': True, 'content': []},"
    " {'_multimodal': 1, 'content': []}, {'_multimodal': True, 'content': ()}, type('Sub', (str,), {})('sub')"
)


@case(
    "C23",
    one=recorder(f"""
        for number, result in enumerate(({RESULTS})):
            tool(f"t{{number}}", lambda args, result=result, **kwargs: result)
        watch("post_tool_call", "transform_tool_result")
    """),
)
def results_are_text_or_multimodal(host):
    return [call_tools(host, *host.tools), read_notes(host)]


@case(
    "C23",
    one=recorder("""
        async def later(args, **kwargs): return "x"
        tool("undeclared", later)
        tool("bytes", lambda args, **kwargs: b"bytes")
    """),
)
def results_that_json_cannot_represent_are_errors(host):
    values = call_tools(host, "undeclared", "bytes").values()
    # A real host represents values that are not serialisable by their repr.
    return [one["__repr__"] if isinstance(one, dict) else one if isinstance(one, str) else repr(one) for one in values]


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
    one=recorder(f"""
        class Mute(Exception):
            def __str__(self): return "quoted 'text' \\"here\\""
        def raises(args, **kwargs): raise (ValueError({MESSAGES!r}[args["n"]]) if "n" in args else Mute)
        tool("t", raises)
        watch("post_tool_call", "transform_tool_result")
    """),
)
def an_exception_becomes_an_error_without_markup(host):
    return [[host.call_tool("t", n=n).value for n in range(len(MESSAGES))], host.call_tool("t").value, read_notes(host)]


WRITTEN = {
    "long": {"error": "é" * 3000, "more": 1},
    "short": {"error": "x" * 2048},
    "inside": {"told": {"error": "x" * 3000}},
    "list": {"error": ["x" * 3000]},
}


@case(
    "C24",
    one=recorder(f"""
        for name, result in {WRITTEN!r}.items(): tool(name, lambda args, result=result, **kwargs: json.dumps(result))
        tool("text", lambda args, **kwargs: '"error"' + "x" * 3000)
        tool("items", lambda args, **kwargs: json.dumps([{{"error": "x" * 3000}}]))
    """),
)
def an_error_returned_by_a_handler_is_truncated_in_some_releases(host):
    return call_tools(host, *WRITTEN, "text", "items")


@case(
    "C24",
    one=recorder("""
        class Group(ExceptionGroup): pass
        def chained(args, **kwargs):
            try: 1 / 0
            except ZeroDivisionError as error: raise LookupError("later") from error
        def stops(args, **kwargs): raise StopIteration("x")
        def key(args, **kwargs): raise KeyError("k")
        def unicode(args, **kwargs): b"\\xff".decode()
        def group(args, **kwargs): raise Group("many", [ValueError(1), TypeError(2)])
        def recursion(args, **kwargs): return recursion(args)
        for handler in (chained, stops, key, unicode, group, recursion): tool(handler.__name__, handler)
    """),
)
def an_error_names_its_type_and_message(host):
    return call_tools(host, "chained", "stops", "key", "unicode", "group", "recursion")


@case(
    "C24",
    one=recorder("""
        class Odd(Exception):
            def __str__(self): raise RuntimeError("in __str__")
        def odd(args, **kwargs): raise Odd
        tool("odd", odd)
    """),
)
def an_exception_whose_str_raises_is_a_dispatch_error(host):
    return host.call_tool("odd").value


@case(
    "C24",
    one=recorder("""
        class Odd(Exception):
            def __str__(self): raise RuntimeError("in __str__")
        def odd(args, **kwargs): raise Odd
        tool("odd", odd)
    """),
)
def an_exception_whose_str_raises_is_reported_in_a_turn(host):
    host.llm.script(call("odd"), say("done"))
    return converse(host, "hello")


@case("C24", one=recorder("import sys; tool('t', lambda args, **kwargs: sys.exit(3))"), ends=HostExited)
def sys_exit_of_a_handler_ends_the_host(host):
    return host.call_tool("t").value


@case(
    "C24",
    one=recorder("""
        async def stops(args, **kwargs): raise SystemExit(4)
        tool("t", stops, is_async=True)
    """),
    ends=HostExited,
)
def sys_exit_in_a_coroutine_ends_the_host(host):
    return host.call_tool("t").value


@case("C25", one=recorder("tool('known'); tool('todo'); watch('pre_tool_call', 'post_tool_call'); tool('clarify')"))
def unknown_tools_and_those_of_the_agent_loop_are_errors(host):
    names = ("unknown", "Known", "known_tool", "", "todo", "memory", "session_search", "delegate_task", "clarify")
    return [call_tools(host, *names, n="1"), read_notes(host)]


@case("C25", one=recorder("tool('todo', toolset='mine'); tool('memory', toolset='mine')"))
def a_plugin_cannot_serve_tools_of_the_agent_loop(host):
    return [
        host.tools,
        call_tools(host, "todo", "memory", n="1"),
        [one["function"]["name"] for one in host.definitions()],
    ]


@case("C27", one=recorder("tool('t', lambda args, **kwargs: 'x' * 150_000)"))
def results_are_not_truncated_outside_a_turn(host):
    return len(host.call_tool("t").value)


@case(
    "C28",
    one=recorder("for name in ('web_search', 'browser_x', 'mcp_x'): tool(name, lambda a, **k: 'x' * 99, name)"),
)
def results_are_not_marked_as_untrusted_outside_a_turn(host):
    return call_tools(host, "web_search", "browser_x", "mcp_x")


MULTIMODAL = {"_multimodal": True, "content": [{"type": "text", "text": "x"}], "text_summary": "short", "more": 1}


@case("C29", one=recorder(f"tool('t', lambda args, **kwargs: {MULTIMODAL!r}); watch('post_tool_call')"))
def multimodal_results_are_unchanged_outside_a_turn(host):
    return [host.call_tool("t").value, read_notes(host)]


@case(
    "C16",
    one=recorder("""
        def noting(name): return lambda args=None, **kwargs: SEEN.append([name, dict(args)])
        tool("t", lambda args, **kwargs: SEEN.append(["handler", dict(args)]) or "result")
        for hook in ("transform_tool_result", "post_tool_call", "pre_tool_call"): ctx.register_hook(hook, noting(hook))
        if hasattr(ctx, "register_middleware"):
            ctx.register_middleware("tool_execution", lambda args, next_call, **k: SEEN.append(["around", dict(args)]) or next_call())
            ctx.register_middleware("tool_request", noting("tool_request"))
    """),
)
def coercion_is_the_first_step_outside_a_turn(host):
    return [host.call_tool("t", n="5").value, read_notes(host)]
