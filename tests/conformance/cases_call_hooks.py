"""Cases of section D, the part about the hooks of one tool call, and what they may return."""

from conformance.case import case
from conformance.noting import called, registering, seen


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
