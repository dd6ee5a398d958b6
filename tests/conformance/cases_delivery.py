"""Cases of statements N46 to N77: how callbacks of hooks and middleware are called since 0.20, and in which order."""

from conformance.case import case
from conformance.cases_turns import TOOL, answering_plugin
from conformance.conversations import script_summary
from conformance.recorder import call_tools, read_notes, recorder

from hermes_sdk.llm import call, fail, say
from hermes_sdk.traces import Normaliser

ORDER = (
    TOOL
    + """
    SEEN = []
    ctx.register_command("seen", lambda args: json.dumps(SEEN))

    def note(name, returns=None):
        def noted(**kwargs):
            SEEN.append([name, kwargs.get("args"), kwargs.get("result"), kwargs.get("status")])
            return returns
        ctx.register_hook(name, noted)

    def rewrite(**kwargs):
        SEEN.append(["tool_request", kwargs["args"]])

    def around(next_call, args, **kwargs):
        SEEN.append(["enters", args])
        result = next_call(args)
        SEEN.append(["leaves", result])
        return result

    ctx.register_middleware("tool_request", rewrite)
    ctx.register_middleware("tool_execution", around)
    note("transform_tool_result", "transformed")
    note("post_tool_call")
"""
)


def _run_turn(host, *answers):
    """Run a turn, and return the results of its calls and the notes of the plugin."""
    host.llm.script(*answers, say("done"))
    turn = host.chat("hello")
    return [[one.result.value for one in turn.tool_calls], read_notes(host)]


@case("N74", one=ORDER + '    note("pre_tool_call")\n')
def middleware_and_hooks_run_in_order_within_a_tool_call(host):
    return _run_turn(host, call("ask", n="5"))


@case("N75", one=ORDER + '    note("pre_tool_call", {"action": "block", "message": "no"})\n')
def middleware_runs_before_a_call_is_blocked(host):
    return _run_turn(host, call("ask", n=1))


@case(
    "N75",
    one=ORDER
    + """    note("pre_tool_call", {"action": "block", "message": "no"})
    ctx.register_middleware("tool_execution", lambda **kwargs: "instead")
""",
)
def hooks_cannot_block_a_call_that_middleware_answers(host):
    return _run_turn(host, call("ask", n=1))


@case("N76", one=ORDER + '    note("pre_tool_call")\n')
def calls_of_one_answer_run_in_sequence(host):
    return _run_turn(host, say("Both.", call("ask", n=1), call("tell", n=2)))


MODIFYING = """
    note("pre_tool_call", {"action": "modify", "args": {"n": 7}})
    note("pre_tool_call", {"action": "modify", "args": {"m": 8}})
    note("pre_tool_call", {"action": "modify", "args": {}})
    note("pre_tool_call", {"action": "modify", "args": [1]})
"""


@case("N61", one=ORDER + MODIFYING)
def pre_tool_call_modifies_arguments(host):
    return _run_turn(host, call("ask", n=1))


@case(
    "N61",
    one=ORDER
    + MODIFYING
    + """
    note("pre_tool_call", {"action": "block", "message": "no"})
    note("pre_tool_call", {"action": "modify", "args": {"n": 9}})
""",
    also=("N62",),
)
def a_blocked_call_is_reported_with_its_modified_arguments(host):
    return _run_turn(host, call("ask", n=1))


@case(
    "N61",
    one=recorder("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "modify", "args": {"n": 7}})
        watch("post_tool_call")
    """),
)
def pre_tool_call_modifies_arguments_outside_a_turn(host):
    return [call_tools(host, "t", n=1), read_notes(host)]


@case(
    "N64",
    one=recorder("""
        tool("t")
        def positional(tool_name, /, args=None): SEEN.append(["positional", tool_name])
        ctx.register_hook("pre_tool_call", lambda tool_name: SEEN.append(tool_name))
        ctx.register_hook("pre_tool_call", lambda *, args, more=5: SEEN.append([args, more]))
        ctx.register_hook("pre_tool_call", lambda *names: SEEN.append(names))
        ctx.register_hook("post_tool_call", positional)
        ctx.register_hook("post_tool_call", lambda unknown: SEEN.append(unknown))
        ctx.register_hook("post_tool_call", lambda **kwargs: SEEN.append(len(kwargs)))
    """),
)
def a_callback_receives_its_declared_parameters(host):
    return [call_tools(host, "t", n=1), read_notes(host)]


@case("N77", one=TOOL)
def messages_have_timestamps(host):
    host.llm.script(call("ask", n=1), say("done"))
    turn = host.chat("hello")
    return [[one["role"], type(one.get("timestamp")).__name__] for one in turn.messages]


ROWS = (
    TOOL
    + """
    SEEN = []
    ctx.register_command("seen", lambda args: json.dumps(SEEN))

    def note(name):
        def noted(conversation_history, **kwargs):
            SEEN.append([name, *({key: one[key] for key in one if key in ROWS} for one in conversation_history)])
        ctx.register_hook(name, noted)

    for name in ("pre_llm_call", "pre_api_request", "post_llm_call"):
        note(name)

ROWS = ("role", "message_uid", "_db_persisted", "_db_row_snapshot", "_row_id", "_tool_call_uid", "_tool_call_uids")
"""
)


@case("N77", one=ROWS)
def stored_messages_have_ids(host):
    host.llm.script(say("", call("ask", n=1), call("tell", n=2)), say("done"), say("again"))
    for text in ("hello", "again"):
        host.chat(text)
    return Normaliser({}).event({"value": read_notes(host), "thread": "", "name": ""})["value"]


STREAMING = """
import json, threading

def register(ctx):
    SEEN = []
    ctx.register_command("seen", lambda args: json.dumps(SEEN))
    schema = {"name": "ask", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool(name="ask", toolset="p", schema=schema, handler=lambda args, **kwargs: "{}")
    lock = threading.Lock()
    def watch(name):
        def watched(**kwargs):
            with lock:
                SEEN.append([name, threading.current_thread().name, {
                    key: value for key, value in kwargs.items() if not key.endswith("_id")
                }])
        ctx.register_hook(name, watched)
    for name in ("on_stream_start", "on_stream_delta", "on_stream_end", "on_interim_message"):
        watch(name)
    ctx.register_hook("on_stream_end", lambda final_text: None)
"""


def _observe_stream(host, *answers):
    host.llm.script(*answers)
    host.chat("hello")
    noted = read_notes(host)
    names = ("on_stream_start", "on_stream_delta", "on_stream_end", "on_interim_message")
    return [[one for one in noted if one[0] == name] for name in names]


@case("N47", one=STREAMING, also=("N49",))
def streamed_answers_are_observed(host):
    return _observe_stream(
        host, say("I shall ask somebody.", call("ask")), say("\n\nThat is what they said.", reasoning="why")
    )


@case(
    "N48",
    one=STREAMING,
    config={"plugins": {"enabled": ["p"], "stream_reasoning_deltas": True}},
)
def reasoning_is_observed_when_the_user_enables_it(host):
    return _observe_stream(host, say("done", reasoning="because of that"))


@case("N47", one=STREAMING)
def tags_in_an_answer_are_observed(host):
    texts = (
        "I said <b>bold</b> and so on",
        "before <think>hm</think> and after",
        "<think>a longer thought than a piece</think>\n\nafter it",
        "line\n  <think>hm\n</b></think>next",
        "<think>a</think>b<think>c</think>d",
        "ends with a part of a tag </thi",
    )
    host.llm.script(*map(say, texts))
    for text in texts:
        host.chat(text)
    return [one[2]["delta"] for one in read_notes(host) if one[0] == "on_stream_delta"]


@case("N47", one=STREAMING, config={"agent": {"max_turns": 1}})
def the_first_text_after_tools_starts_a_paragraph_in_a_new_session(host):
    script_summary(host, call("ask"), say("in short"))
    host.chat("hello")
    host.command("/new")
    host.llm.script(say("one"), say("two"))
    host.chat("again")
    host.chat("more")
    return [one[2]["delta"] for one in read_notes(host) if one[0] == "on_stream_delta"]


@case("N47", one=STREAMING)
def a_failed_answer_is_observed(host):
    return _observe_stream(host, fail(401, "no"))


@case("N47", one=STREAMING, releases=["0.22.2"])
def an_answer_retried_without_streaming_is_observed(host):
    return _observe_stream(
        host, fail(500, "no"), say("\n\nThat is all that it has to say about this.", reasoning="why")
    )


@case(
    "N67",
    one=answering_plugin("pre_tool_call", None)
    + """
    def guard(**kwargs): raise OSError("x" * 300)
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook("pre_tool_call", lambda wrong: None)
    SEEN = []
    ctx.register_command("seen", lambda args: json.dumps(SEEN))
    ctx.register_hook("post_tool_call", lambda status, error_type, **kwargs: SEEN.append([status, error_type]))
""",
)
def a_policy_hook_that_raises_blocks_the_call(host):
    return _run_turn(host, call("ask", n=1))


SLOW = """
import json, threading, time

def register(ctx):
    SEEN = []
    ctx.register_command("seen", lambda args: json.dumps(SEEN))
    schema = {"name": "ask", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool(name="ask", toolset="p", schema=schema, handler=lambda args, **kwargs: "{}")
    def quick(**kwargs):
        SEEN.append(threading.current_thread().name)
    def slow(**kwargs):
        SEEN.append("slow")
        time.sleep(1.5)
    for hook in %r:
        ctx.register_hook(hook, quick)
        ctx.register_hook(hook, slow)
"""


@case(
    "N47",
    one=recorder("""
        import asyncio
        def cancel(**kwargs): raise asyncio.CancelledError()
        def leave(**kwargs): raise SystemExit(3)
        for name in ("on_stream_start", "on_stream_delta", "on_stream_end"):
            for callback in (cancel, leave): ctx.register_hook(name, callback)
    """),
    releases=["0.20.2", "0.22.2"],
)
def sys_exit_of_a_stream_callback_ends_only_its_thread(host):
    host.llm.script(say("one"), say("two"))
    return [host.chat("hello").reply, host.chat("again").reply]


@case(
    "N65",
    one=SLOW % ["post_llm_call"],
    config={"plugins": {"enabled": ["p"], "hook_callback_timeout": 0.3}},
    releases=["0.22.2"],
    also=("N66",),
)
def a_callback_over_its_timeout_is_abandoned(host):
    host.llm.script(say("one"), say("two"))
    return [host.chat("hello").reply, host.chat("again").reply, read_notes(host)]


@case(
    "N65",
    one=recorder("""
    tool("t")
    ctx.register_hook("post_llm_call", lambda **kwargs: SEEN.append("first"))
    ctx.register_hook("post_llm_call", lambda **kwargs: SEEN.append("second"))
"""),
    config={"plugins": {"enabled": ["p"], "hook_callback_timeout": "soon"}},
    releases=["0.22.2"],
)
def the_callback_timeout_is_read_once_per_hook_call(host):
    host.fire("post_llm_call")
    return [read_notes(host), [one.message for one in host.log if "hook_callback_timeout" in one.message]]


@case(
    "N69",
    one=SLOW % ["pre_tool_call"],
    config={"plugins": {"enabled": ["p"], "hook_callback_timeout": 0.3}},
    releases=["0.22.2"],
)
def a_policy_hook_over_its_timeout_blocks_the_call(host):
    return _run_turn(host, call("ask"), call("ask"))


@case(
    "N65",
    one=recorder("""
    tool("t")
    def leave(**kwargs): raise SystemExit(3)
    ctx.register_hook("post_tool_call", leave)
    ctx.register_hook("on_session_reset", leave)
    ctx.register_hook("post_tool_call", lambda **kwargs: SEEN.append("next"))
"""),
    releases=["0.22.2"],
)
def sys_exit_of_a_callback_counts_as_a_failure(host):
    return [call_tools(host, "t"), host.fire("on_session_reset"), read_notes(host)]


@case(
    "N68",
    one=recorder("""
    tool("t")
    def fails(**kwargs): raise OSError("again")
    def differs(args, **kwargs): raise OSError(args["n"])
    ctx.register_hook("post_tool_call", fails)
    ctx.register_hook("post_tool_call", differs)
    ctx.register_middleware("tool_request", fails)
    ctx.register_middleware("tool_execution", fails)
"""),
)
def the_same_failure_is_logged_once(host):
    return [call_tools(host, "t", n=1), call_tools(host, "t", n=1), call_tools(host, "t", n=2)]


@case(
    "N70",
    one=recorder("""
    tool("t")
    async def told(**kwargs): return {"action": "block", "message": "awaited"}
    ctx.register_hook("pre_tool_call", told)
"""),
    releases=["0.22.2"],
)
def coroutine_callbacks_are_awaited(host):
    return call_tools(host, "t")


@case(
    "C31",
    one=recorder("""
    tool("t", lambda args, **kwargs: json.dumps(args))
    def first(args, original_args, **kwargs):
        args["leaks"] = True
        return {"args": {"n": 2}, "source": "first"}
    def second(args, original_args, **kwargs):
        SEEN.append([args, original_args])
        original_args["leaks"] = True
        return {"args": {**args, "m": 3}}
    def third(args, original_args, **kwargs): SEEN.append([args, original_args])
    for one in (first, second, third): ctx.register_middleware("tool_request", one)
    watch("post_tool_call")
"""),
)
def request_middleware_is_chained(host):
    return [call_tools(host, "t", n=1), read_notes(host)]


@case(
    "C32",
    one=recorder("""
    tool("t")
    def leave(**kwargs): raise SystemExit(3)
    ctx.register_middleware("tool_request", leave)
"""),
    releases=["0.22.2"],
)
def sys_exit_of_middleware_counts_as_a_failure(host):
    return call_tools(host, "t")


@case(
    "C19",
    one=recorder("""
    tool("t", lambda args: json.dumps(args))
    tool("u", lambda args, task_id, more=1: json.dumps([args, bool(task_id), more]))
    tool("v", lambda args, unknown: "{}")
"""),
    also=("N83",),
)
def handlers_receive_their_declared_parameters(host):
    return call_tools(host, "t", "u", "v", n=1)


CLASSIFYING = (
    TOOL
    + """
    SEEN = []
    ctx.register_command("seen", lambda args: json.dumps(SEEN))

    def classify(error, approx_tokens, **kwargs):
        SEEN.append([str(error), kwargs])
    ctx.register_hook("transform_api_error_classification", classify)
    for value in %r:
        ctx.register_hook("transform_api_error_classification", lambda value=value, **kwargs: value)
    ctx.register_hook("api_request_error", lambda reason, retryable, retry_count, **kwargs: SEEN.append(
        ["api_request_error", reason, retryable, retry_count]
    ))
"""
)


def _fail_request(host, status):
    host.llm.script(fail(status, "boom"), say("one"))
    turn = host.chat("hello")
    return [turn.reply, turn.error, read_notes(host)]


@case("N50", one=CLASSIFYING % [5, {"reason": "none"}, {"reason": 1}, {"retryable": False}])
def invalid_error_classifications_are_ignored(host):
    return _fail_request(host, 500)


@case(
    "N50",
    one=CLASSIFYING % [{"reason": " Format_Error ", "retryable": False}, {"reason": "timeout"}],
)
def a_plugin_classifies_an_api_error(host):
    return _fail_request(host, 429)


@case("N50", one=CLASSIFYING % [{"reason": "overloaded"}])
def a_plugin_makes_an_api_error_retryable(host):
    return _fail_request(host, 400)


@case("N50", one=CLASSIFYING % [{"reason": "billing", "retryable": 0}])
def a_plugin_reports_a_billing_error(host):
    return _fail_request(host, 400)


@case("N50", one=CLASSIFYING % [{"reason": "rate_limit", "retryable": False}])
def rate_limits_are_retried_whatever_a_plugin_says(host):
    return _fail_request(host, 400)


@case(
    "N63",
    one=ORDER,
    config={"plugins": {"enabled": ["p"]}, "platform_toolsets": {"cli": ["memory", "p"]}},
    releases=["0.22.2"],
)
def results_of_agent_loop_tools_are_transformed(host):
    return _run_turn(host, call("memory", target="memory", action="add", content="a fact"))


@case("D22", one=answering_plugin("transform_llm_output", "changed"))
def a_transformed_reply_is_stored_in_the_history(host):
    host.llm.script(say("one"))
    turn = host.chat("hello")
    return [turn.reply, [one["content"] for one in turn.messages]]


@case(
    "N65",
    one=recorder("""
    tool("t")
    ctx.register_hook("post_llm_call", lambda **kwargs: None)
    ctx.register_hook("on_session_finalize", lambda **kwargs: None)
"""),
    config={"plugins": {"enabled": ["p"], "hook_callback_timeout": "soon"}},
    releases=["0.22.2"],
)
def the_callback_timeout_is_read_for_each_hook_of_a_turn(host):
    host.llm.script(call("t"), say("done"), say("two"))
    host.chat("hello")
    host.chat("again")
    host.finish()
    return sum("hook_callback_timeout" in one.message for one in host.log)
