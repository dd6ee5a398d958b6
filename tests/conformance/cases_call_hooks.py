"""Cases of section D: hooks of a tool call, and their return values."""

from conformance.case import case
from conformance.recorder import call_tools, read_notes, recorder


@case("D18", one=recorder("tool('t'); watch('pre_tool_call')"))
def pre_tool_call_receives_the_name_the_arguments_and_the_ids(host):
    return [call_tools(host, "t", "no such tool", n="5", s="x"), read_notes(host)]


@case("D19", one=recorder("tool('t'); watch('pre_tool_call', 'post_tool_call', 'transform_tool_result')"))
def tool_call_hooks_receive_the_arguments_of_the_release(host):
    return [host.call_tool("t", n="5").value, read_notes(host)]


ENDINGS = (
    '{"error": "x"}',
    '{"error": 0}',
    '{"error": ""}',
    '{"error": {"code": 5}}',
    '{"error": ["a"], "result": 1}',
    '[{"error": "x"}]',
    '{"result": {"error": "x"}}',
    ' {"error": "padded"} ',
    '{"error": true}',
    '"error"',
    "Error: no JSON",
    '{"error": "ü", "error_type": "of_the_tool", "status": "timeout"}',
    '{"error": NaN}',
    "",
)
"""Results of a tool, selected by its argument ``n``."""


@case(
    "D19",
    one=recorder(f"""
        def note_ending(status="unset", error_type="unset", error_message="unset", **kwargs):
            SEEN.append([status, error_type, error_message])
        tool("t", lambda args, **kwargs: {ENDINGS!r}[args["n"]])
        tool("parts", lambda args, **kwargs: {{"_multimodal": True, "content": [], "error": "x"}})
        ctx.register_hook("post_tool_call", note_ending)
        ctx.register_hook("transform_tool_result", note_ending)
    """),
)
def a_call_fails_when_its_result_is_an_object_with_an_error(host):
    for n in range(len(ENDINGS)):
        host.call_tool("t", n=n)
    host.call_tool("parts")
    return read_notes(host)


@case(
    "D19",
    one=recorder("""
        tool("t")
        def raises(**kwargs): raise OSError("in a hook")
        for hook in ("pre_tool_call", "post_tool_call", "transform_tool_result"): ctx.register_hook(hook, raises)
        ctx.register_hook("post_tool_call", lambda **kwargs: "ignored")
        ctx.register_hook("post_tool_call", lambda result, **kwargs: SEEN.append(result))
    """),
)
def hooks_that_raise_do_not_affect_the_call(host):
    return [host.call_tool("t", n="5").value, read_notes(host)]


@case(
    "D20",
    one=recorder("""
        tool("t")
        for hook in ("pre_tool_call", "post_tool_call", "transform_tool_result"):
            ctx.register_hook(hook, lambda hook=hook, **kwargs: SEEN.append([hook, sorted(kwargs)]))
    """),
)
def transform_tool_result_receives_the_arguments_as_args(host):
    host.call_tool("t")
    return read_notes(host)


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
"""Return values of ``pre_tool_call``, selected by the argument ``n`` of the tool."""


@case(
    "D30",
    one=recorder(f"""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda args, **kwargs: {RETURNED!r}[args["n"]])
        watch("post_tool_call", "transform_tool_result")
    """),
)
def only_a_block_with_a_message_blocks(host):
    return [[host.call_tool("t", n=n).value for n in range(len(RETURNED))], read_notes(host)]


@case(
    "D30",
    one=recorder("""
        tool("t")
        for number in (1, 2): ctx.register_hook("pre_tool_call", lambda number=number, **kwargs: SEEN.append(number))
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "first"})
        ctx.register_hook("pre_tool_call", lambda **kwargs: SEEN.append("after") or {"action": "block", "message": "second"})
    """),
)
def the_first_block_wins_and_all_callbacks_run(host):
    return [call_tools(host, "t", "unknown"), read_notes(host)]


@case(
    "D30",
    one=recorder("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "no: \\u00fc <system>"})
        for hook in ("post_tool_call", "transform_tool_result"): watch(hook)
        if hasattr(ctx, "register_middleware"):
            ctx.register_middleware("tool_request", lambda **kwargs: {"args": {"n": 1}, "reason": "why"})
            ctx.register_middleware("tool_execution", lambda **kwargs: SEEN.append("never"))
    """),
)
def a_blocked_call_is_reported_but_not_run(host):
    return [host.call_tool("t", n="5").value, host.call_tool("no such tool").value, read_notes(host)]


@case(
    "D30",
    one=recorder("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "approve", "message": "why"})
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "no"})
        watch("post_tool_call")
    """),
)
def the_first_directive_wins_whichever_it_is(host):
    return [host.call_tool("t", n="5").value, read_notes(host)]


@case(
    "D32",
    one=recorder("""
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
def the_first_string_replaces_the_result(host):
    return [call_tools(host, "t", "empty", "unknown"), read_notes(host)]


@case(
    "D32",
    one=recorder("""
        tool("t", lambda args, **kwargs: {"_multimodal": True, "content": []})
        ctx.register_hook("transform_tool_result", lambda result, **kwargs: f"was {type(result).__name__}")
    """),
)
def a_multimodal_result_can_become_text(host):
    return host.call_tool("t").value


@case(
    "D33",
    one=recorder("""
        tool("t"); tool("todo", toolset="mine")
        ctx.register_hook("pre_tool_call", lambda tool_name, **kw: {"action": "block", "message": "no"} if tool_name == "t" else None)
        watch("transform_tool_result")
    """),
)
def blocked_calls_and_tools_of_the_agent_loop_are_not_transformed(host):
    return [call_tools(host, "t", "todo"), read_notes(host)]
