"""Cases of sections C and D: what happens in a turn, and what plugins see of it."""

import json

from conformance.case import case
from conformance.cases_builtin_results import LONG, STOPPED
from conformance.conversations import comparable_hooks, converse, script_summary
from conformance.recorder import read_notes, recorder

from hermes_sdk import contract
from hermes_sdk.llm import call, fail, interrupt, say
from hermes_sdk.traces import Normaliser

TOOL = """
import json

def register(ctx):
    def answer(args, **kwargs):
        return json.dumps({"got": args, "told": sorted(kwargs)})
    for name in ("ask", "tell"):
        schema = {"name": name, "description": "d", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
        ctx.register_tool(name=name, toolset="p", schema=schema, handler=answer)
"""

LISTENING = (
    TOOL
    + """
    for hook in %s:
        ctx.register_hook(hook, lambda hook=hook, **kwargs: None)
"""
)

ALL = [
    "api_request_error",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "on_session_start",
    "post_api_request",
    "post_llm_call",
    "post_tool_call",
    "pre_api_request",
    "pre_llm_call",
    "pre_tool_call",
    "pre_verify",
    "subagent_start",
    "subagent_stop",
    "transform_llm_output",
    "transform_tool_result",
]


def listening_plugin(*hooks: str) -> str:
    """Return a plugin with two tools, and callbacks of these hooks that return None."""
    return LISTENING % repr(list(hooks) or ALL)


def answering_plugin(hook: str, *values: object) -> str:
    """Return a plugin with two tools, and callbacks of a hook that return these values."""
    lines = [f"    ctx.register_hook({hook!r}, lambda **kwargs: {value!r})" for value in values]
    return TOOL + "\n".join(["", *lines, ""])


@case("D8", one=listening_plugin(), also=("N60",))
def hooks_fire_in_a_turn_with_a_tool_call(host):
    host.llm.script(call("ask", n="5"), say("done"))
    return converse(host, "hello")


@case("D13", one=listening_plugin())
def hooks_fire_in_a_session_of_three_turns(host):
    host.llm.script(say("one"), call("tell"), say("two"), say("three"))
    return converse(host, "first", "second", "third")


@case("C26", one=listening_plugin("pre_tool_call", "post_tool_call"))
def tool_calls_of_one_answer_run_one_after_another(host):
    host.llm.script(say("Both.", call("ask", n=1), call("tell", n=2)), say("done"))
    return converse(host, "hello")


@case("D11", one=listening_plugin())
def hooks_fire_at_the_end_of_a_session(host):
    host.llm.script(say("one"))
    normaliser = Normaliser({})
    return [
        comparable_hooks(normaliser, host.chat("hello").hooks),
        comparable_hooks(normaliser, host.finish()),
        host.finish().names,
    ]


@case("D11", one=listening_plugin())
def a_session_that_never_began_does_not_end(host):
    return host.finish().names


@case(
    "D12",
    one=recorder("ctx.register_command('late', lambda name: str(tool(name)))\ntool('early')"),
)
def a_new_session_offers_the_tools_of_the_previous_one(host):
    host.llm.script(*map(say, ("one", "two", "three")))
    host.chat("hello")
    host.command("/late new")
    host.chat("again")
    host.command("/new")
    host.chat("at last")
    return [one.tools for one in host.llm.requests]


@case("D12", one=listening_plugin("on_session_start", "on_session_finalize", "on_session_reset", "pre_llm_call"))
def hooks_fire_for_a_new_session(host):
    host.llm.script(say("one"), say("two"))
    return [*converse(host, "hello"), host.command("/new"), *converse(host, "again")]


@case(
    "D27",
    one=answering_plugin(
        "pre_llm_call",
        {"context": "A"},
        " B ",
        "",
        "  ",
        {"context": 5},
        {"context": ""},
        7,
        {"target": "x"},
        ["C"],
        {"context": "D", "target": "system"},
    ),
)
def plugins_add_context_to_the_message(host):
    host.llm.script(call("ask"), say("done"))
    return converse(host, "hello")


@case(
    "D28",
    one=TOOL + "    ctx.register_hook('pre_llm_call', lambda **kw: {'context': 'about ' + kw['user_message']})\n",
)
def added_context_is_sent_again(host):
    host.llm.script(say("one"), call("ask"), say("two"), say("three"))
    return converse(host, "first", "second", "third")


@case("D28", one=answering_plugin("pre_llm_call", {"context": "the note"}))
def added_context_stays_in_the_messages_of_earlier_turns(host):
    host.llm.script(say("one"), say("two"))
    host.chat("first")
    host.chat("second")
    return [one["content"] for one in host.llm.requests[-1].body["messages"] if one["role"] == "user"]


def _without_file_name(value):
    import re

    return re.sub(r"[0-9a-f]{32}\.txt", "<file>.txt", value)


@case(
    "D29",
    one=answering_plugin("pre_llm_call", {"context": "x" * 10_000}, {"context": "A" * 6000 + "B" * 6000}),
    also=("N73",),
)
def long_context_is_saved_to_a_file(host):
    host.llm.script(say("one"))
    host.chat("hello")
    text = host.llm.requests[0].user_text
    files = [path.read_text() for path in sorted(host.home.glob("hook_outputs/*/*.txt"))]
    return [_without_file_name(Normaliser({str(host.home): "<home>"}).text(text)), files]


@case(
    "D29",
    one="""
    def register(ctx):
        import os
        from pathlib import Path
        def link(session_id, user_message, **kw):
            folder = Path(os.environ["HERMES_HOME"], "hook_outputs")
            if user_message == "linked":
                (folder / session_id).rename(folder / "before")
                (folder / session_id).symlink_to(folder / "before")
            return {"context": "x" * 10_001}
        ctx.register_hook("pre_llm_call", link)
    """,
)
def the_file_with_long_context_is_private(host):
    host.llm.script(say("one"), say("two"))
    host.chat("first")
    files = [*host.home.glob("hook_outputs/*/*.txt"), *host.home.glob("hook_outputs/*")]
    modes = [oct(path.stat().st_mode & 0o777) for path in files]
    host.chat("linked")
    return [modes, ["unavailable" in request.user_text for request in host.llm.requests]]


@case(
    "D29",
    one=answering_plugin("pre_llm_call", {"context": "0123456789"}),
    config={"hooks": {"output_spill": {"max_chars": 5, "preview_head": 2, "preview_tail": 0}}},
)
def the_limit_for_long_context_can_be_configured(host):
    host.llm.script(say("one"))
    host.chat("hello")
    return _without_file_name(Normaliser({str(host.home): "<home>"}).text(host.llm.requests[0].user_text))


@case(
    "D30",
    one=answering_plugin(
        "pre_tool_call",
        {"action": "block"},
        {"action": "block", "message": "no"},
        {"action": "block", "message": "later"},
    )
    + listening_plugin("post_tool_call", "transform_tool_result").partition("\n    for hook")[1]
    + " in ['post_tool_call', 'transform_tool_result']:\n        ctx.register_hook(hook, lambda **kw: None)\n",
)
def a_call_is_blocked_in_a_turn(host):
    host.llm.script(call("ask", n=1), say("done"))
    return converse(host, "hello")


@case(
    "D31",
    one=answering_plugin("pre_tool_call", {"action": "approve", "message": "sure?"}),
)
def a_call_in_a_turn_needs_approval(host):
    host.llm.script(call("ask", n=1), say("done"))
    return converse(host, "hello")


@case(
    "D32",
    one=answering_plugin("transform_llm_output", "", None, 5, "changed", "again")
    + "    ctx.register_hook('post_llm_call', lambda **kw: None)\n",
)
def the_first_string_replaces_the_reply(host):
    host.llm.script(say("one"), say("two"))
    return converse(host, "hello", "again")


@case("D32", one=answering_plugin("transform_tool_result", None, 5, "", "later"))
def the_first_string_replaces_a_result_in_a_turn(host):
    host.llm.script(call("ask", n=1), say("done"))
    return converse(host, "hello")


@case(
    "D4",
    one=TOOL
    + "    ctx.register_hook('pre_llm_call', lambda **kw: 1 / 0)\n    ctx.register_hook('post_llm_call', lambda: None)\n",
)
def callbacks_that_raise_do_not_stop_a_turn(host):
    host.llm.script(say("one"))
    return converse(host, "hello")


@case("C17", one=listening_plugin("pre_tool_call", "post_tool_call", "post_api_request"))
def arguments_that_are_not_an_object_are_handled(host):
    host.llm.script(call("ask", "[1]"), call("ask", ""), call("ask", "   "), call("ask", "null"), say("done"))
    return converse(host, "hello")


@case("C17", one=listening_plugin("pre_api_request", "post_api_request"))
def arguments_that_are_not_json_are_requested_again(host):
    host.llm.script(call("ask", "{bad}"), call("ask", '{"n": "'), call("ask", "{}"), say("done"))
    return converse(host, "hello")


@case("C17", one=listening_plugin("pre_tool_call"))
def arguments_that_are_almost_json_are_repaired(host):
    texts = [
        '{"n": 1',
        '{"n": 1,}',
        '{"n": 1}}',
        "None",
        '{"s": "a\nb"}',
        '{"n": [1, 2}',
        '{"s": "[", "n": 1}',
        '{"n": 1',
        '{"a": {"n": 1}',
        '[{"n": 1',
    ]
    host.llm.script(*[call("ask", text) for text in texts], say("done"), say("spare"))
    return converse(host, "hello")


@case("C17", one=listening_plugin("pre_tool_call"))
def arguments_that_cannot_be_repaired_are_requested_again(host):
    texts = ["{", '{"n": 1, "s": "a\tb"', "{}}", '{"s": "a\n', "{}"]
    host.llm.script(*[call("ask", text) for text in texts], say("done"), say("spare"))
    return converse(host, "hello")


@case(
    "C17",
    one=listening_plugin("pre_api_request", "post_api_request", "on_session_end"),
)
def arguments_that_stay_broken_end_the_turn(host):
    host.llm.script(*[call("ask", "{bad}")] * 5, *[say("done")] * 4)
    turn = host.chat("hello")
    random = ("timestamp", "message_uid", "_db_row_snapshot")
    messages = [{name: value for name, value in one.items() if name not in random} for one in turn.messages]
    return [turn.reply, turn.error, turn.hooks.names, messages, len(host.llm.requests)]


@case("C18", one=listening_plugin("pre_tool_call", "post_api_request"))
def misspelled_tool_names_are_recognised(host):
    host.llm.script(
        *[call(name) for name in ("Ask", "ASK", "ask_tool", "Tell-Tool", "tel", "Ask_tool_tool", 'ask" x="1')],
        say("done"),
    )
    return converse(host, "hello")


@case("C18", one=listening_plugin("pre_tool_call", "post_tool_call"))
def unknown_tools_are_reported_to_the_model(host):
    host.llm.script(call("zzz"), call(""), say("done"))
    return converse(host, "hello")


@case("C18", one=listening_plugin("post_llm_call", "on_session_end"))
def three_unknown_tools_end_the_turn(host):
    host.llm.script(call("zzz"), call("yyy"), call("xxx"), say("done"))
    return converse(host, "hello", "again")


@case("C18", one=listening_plugin("pre_tool_call"))
def an_unknown_tool_is_reported_beside_a_known_one(host):
    host.llm.script(say("", call("zzz"), call("ask")), say("done"))
    return converse(host, "hello")


@case("C16", one=listening_plugin("pre_tool_call"))
def the_same_call_twice_runs_once(host):
    host.llm.script(say("", call("ask", n=1), call("ask", n=1), call("ask", n=2)), say("done"))
    return converse(host, "hello")


@case("D36", one=listening_plugin("transform_llm_output", "post_llm_call", "on_session_end"))
def an_empty_answer_is_requested_again(host):
    host.llm.script(*[say("")] * 4, say(""), say("done"))
    return converse(host, "hello", "again")


@case("D36", one=listening_plugin("post_llm_call"))
def an_empty_answer_after_a_tool_call_is_requested_again(host):
    host.llm.script(call("ask"), say(""), say("done"), say("more"))
    return converse(host, "hello", "again")


@case("D36", one=listening_plugin("post_llm_call"))
def repeated_empty_answers_after_a_tool_call_end_the_turn(host):
    host.llm.script(call("ask"), *[say("")] * 5, say("more"))
    return converse(host, "hello", "again")


@case("D36", one=listening_plugin("post_llm_call"))
def an_answer_with_reasoning_only_is_requested_again(host):
    host.llm.script(say("", reasoning="because"), say("done"), *[say("", reasoning="why")] * 6)
    return converse(host, "hello", "again")


@case("D16", one=listening_plugin("post_api_request", "post_llm_call"))
def reasoning_is_removed_from_the_reply(host):
    host.llm.script(say("<think>hm</think>answer", reasoning="because"), say("<think>a</think> <think>b</think>two"))
    return converse(host, "hello", "again")


@case("D16", one=listening_plugin("post_api_request"))
def post_api_request_receives_usage(host):
    host.llm.script(say("one", usage={"prompt_tokens": 7, "completion_tokens": 3}))
    return converse(host, "hello")


DETAILED = {
    **{"prompt_tokens": 70, "completion_tokens": 30, "prompt_tokens_details.cached_tokens": 50},
    **{"completion_tokens_details.reasoning_tokens": 20, "completion_tokens_details.audio_tokens": 0},
}


@case("D16", one=listening_plugin("post_api_request"))
def post_api_request_receives_usage_details(host):
    host.llm.script(say("one", usage=DETAILED), say("two", usage={**DETAILED, "cache_read_input_tokens": 40}))
    return converse(host, "hello", "again")


COUNTED = """
from types import SimpleNamespace as N
USAGES = [
    N(prompt_tokens=10, completion_tokens=2, prompt_tokens_details=N(cached_tokens=4, cache_write_tokens=1)),
    {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cache_creation_input_tokens": 2}},
    N(input_tokens=10, output_tokens=3),
    N(prompt_tokens=-5, completion_tokens=2),
    N(prompt_tokens=10, completion_tokens=2, cached_tokens=3, cache_write_tokens=1),
    N(prompt_tokens=10, completion_tokens=2, cache_read_input_tokens=1, cache_creation_input_tokens=3),
    N(prompt_tokens="x", completion_tokens=2, completion_tokens_details=N(reasoning_tokens=1)),
]
def register(ctx):
    def answer(next_call, **kwargs):
        message = N(role="assistant", content="hi", tool_calls=None, reasoning_content=None)
        choice = N(index=0, finish_reason="stop", message=message)
        return N(id="fake", model="fake-model", usage=USAGES.pop(0), choices=[choice])
    ctx.register_middleware("llm_execution", answer)
    ctx.register_hook("post_api_request", lambda **kwargs: None)
"""


@case("D16", one=COUNTED)
def usage_is_normalised_across_providers(host):
    turns = [host.chat("hello") for _ in range(7)]
    return [one.arguments["usage"] for turn in turns for one in turn.hooks if one.name == "post_api_request"]


@case("D16", one=listening_plugin("post_api_request", "post_llm_call"))
def a_truncated_answer_is_continued(host):
    host.llm.script(say("part one ", finish_reason="length"), say("part two"))
    return converse(host, "hello")


@case("D16", one=listening_plugin("post_llm_call", "on_session_end"))
def an_answer_that_stays_truncated_ends_the_turn(host):
    host.llm.script(*[say("part ", finish_reason="length")] * 4, say("next"))
    return converse(host, "hello", "again")


@case("D17", one=listening_plugin("api_request_error", "post_llm_call", "on_session_end"))
def a_transient_api_error_is_retried(host):
    host.llm.script(fail(500, "boom"), fail(429, "slow down"), say("done"))
    return converse(host, "hello")


@case("D37", one=listening_plugin("api_request_error", "post_llm_call", "on_session_end"))
def a_permanent_api_error_fails_the_turn(host):
    host.llm.script(fail(400, "boom"), say("done"))
    return converse(host, "hello", "again")


@case("D37", one=listening_plugin("post_llm_call", "on_session_end", "on_session_finalize"))
def a_permanent_api_error_keeps_hooks_at_the_end_of_a_turn_from_firing(host):
    host.llm.script(fail(400, "boom"))
    return {"chat": host.chat("hello").hooks.names, "finish": host.finish().names}


@case(
    "D37",
    one=listening_plugin("api_request_error", "post_llm_call", "on_session_end"),
    config={"agent": {"auto_recovery_cycles": 2}},
)
def a_lasting_api_error_fails_the_turn(host):
    # Later releases retry the first request without streaming, and wait for the provider twice.
    behaviour = contract.load(host.release).behaviour
    attempts = behaviour.server_errors_repeated + 3 * (3 if behaviour.outages_waited_out else 1)
    host.llm.script(*[fail(503, "boom")] * attempts, say("done"))
    return converse(host, "hello", "again")


@case(
    "D17",
    one=listening_plugin("api_request_error"),
    config={"agent": {"auto_recovery_cycles": 0}},
)
def every_status_has_a_reason(host):
    # Later releases retry the first server error without streaming.
    repeated = 1 if host.release == "0.22.2" else 0
    statuses = (400, 401, 402, 403, 404, 408, 409, 422, 429, 500, 502, 503, 529)
    host.llm.script(
        *[
            fail(status)
            for status in statuses
            for _ in range((3 if status in (404, 408) or status > 422 else 1) + repeated * (status == 500))
        ]
    )
    return converse(host, *["hello"] * len(statuses))


@case("D17", one=listening_plugin("api_request_error"))
def a_request_over_the_size_limit_fails_the_turn(host):
    host.llm.script(say("one"), fail(413))
    return converse(host, "hello", "again")


@case("D17", one=listening_plugin("api_request_error", "on_session_end"))
def a_declined_answer_fails_the_turn(host):
    host.llm.script(say("no", finish_reason="content_filter"))
    return converse(host, "hello")


@case("D22", one=listening_plugin("post_llm_call", "on_session_end"), config={"agent": {"max_turns": 2}})
def a_turn_over_the_request_limit_ends_with_a_summary(host):
    # In later releases the request for a summary offers tools, so the script for the agent loop answers it.
    summarises = host.llm if contract.load(host.release).behaviour.summaries_offer_tools else host.llm.aux
    host.llm.script(call("ask", n=1), call("ask", n=2), *[say("summary")] * (summarises is host.llm))
    host.llm.aux.script(*[say("summary")] * (summarises is host.llm.aux))
    shown = converse(host, "hello")
    last = summarises.requests[-1]
    return [*shown, last.messages[1:], last.tools]


@case("C11", one=listening_plugin("pre_api_request"), config={"platform_toolsets": {"cli": ["todo"]}})
def plugin_tools_are_offered_beside_selected_toolsets(host):
    host.llm.script(say("one"))
    host.chat("hello")
    return host.llm.requests[0].tools


@case(
    "C11",
    one=listening_plugin("pre_api_request"),
    config={"platform_toolsets": {"cli": ["todo"]}, "known_plugin_toolsets": {"cli": ["p"]}},
)
def plugin_tools_that_were_not_selected_are_not_offered(host):
    host.llm.script(say("one"))
    host.chat("hello")
    return host.llm.requests[0].tools


def list_offered_tools(host):
    host.llm.script(say("one"))
    host.chat("hello")
    return host.llm.requests[0].tools


IN_TOOLSETS_OF_HERMES = recorder(
    "tool('of_file', toolset='file'); tool('of_debugging', toolset='debugging'); tool('of_search', toolset='search')"
)


@case("C11", one=IN_TOOLSETS_OF_HERMES)
def built_in_toolsets_include_plugin_tools_and_each_other(host):
    return list_offered_tools(host)


@case("C11", one=recorder("tool('mine', toolset='file_tools')"))
def a_plugin_can_use_the_former_name_of_a_toolset(host):
    return list_offered_tools(host)


@case(
    "C11",
    one=IN_TOOLSETS_OF_HERMES,
    config={"platform_toolsets": {"cli": ["todo", "file"]}, "agent": {"disabled_toolsets": ["file"]}},
)
def tools_of_disabled_toolsets_are_not_offered(host):
    return list_offered_tools(host)


@case(
    "C11",
    one=recorder("tool('mine'); tool('other', toolset='other')"),
    config={"agent": {"disabled_toolsets": ["p", "none"]}},
)
def a_plugin_toolset_can_be_disabled(host):
    return list_offered_tools(host)


@case(
    "C11",
    one=recorder("tool('mine')"),
    config={
        "platform_toolsets": {"cli": ["file", "todo"]},
        "agent": {"disabled_toolsets": ["hermes-cli"]},
    },
)
def a_bundle_of_toolsets_can_be_disabled(host):
    return list_offered_tools(host)


@case(
    "D33",
    one=listening_plugin("pre_tool_call", "post_tool_call", "transform_tool_result"),
    config={"platform_toolsets": {"cli": ["todo"]}},
)
def agent_loop_tools_run_in_a_turn(host):
    host.llm.script(call("todo", todos=[{"id": "1", "content": "a", "status": "pending"}]), call("todo"), say("done"))
    return converse(host, "hello")


@case(
    "D34",
    one=listening_plugin("pre_tool_call", "post_tool_call"),
    config={"platform_toolsets": {"cli": ["skills"]}},
    until="0.20.2",
)
def read_only_tools_run_in_parallel(host):
    host.llm.script(say("", call("skills_list"), call("skill_view", name="none")), say("done"))
    turn = host.chat("hello")
    names = [(one.name, one.arguments["tool_name"]) for one in turn.hooks]
    return [sorted(names[:2]), sorted(names[2:]), [one.name for one in turn.tool_calls]]


@case(
    "D34",
    one=listening_plugin("post_tool_call")
    + """
    import threading
    begun = threading.Event()
    def note(tool_name, **kwargs):
        if tool_name == "skill_view":
            begun.set()
    ctx.register_hook("pre_tool_call", note)
    schema = {"name": "skills_list", "description": "d", "parameters": {"type": "object", "properties": {}}}
    handler = lambda args, **kwargs: json.dumps({"begun": begun.wait(10)})
    ctx.register_tool(name="skills_list", toolset="p", schema=schema, handler=handler, override=True)
""",
    config={
        "platform_toolsets": {"cli": ["skills"]},
        "plugins": {"entries": {"p": {"allow_tool_override": True}}},
    },
    since="0.20.2",
)
def a_read_only_tool_waits_for_a_parallel_one(host):
    host.llm.script(say("", call("skills_list"), call("skill_view", name="none")), say("done"))
    turn = host.chat("hello")
    names = [(one.name, one.arguments["tool_name"]) for one in turn.hooks]
    return [sorted(names[:2]), sorted(names[2:]), [one.result.value for one in turn.tool_calls]]


@case(
    "D34",
    one=TOOL
    + """
    import os, threading
    def where(tool_name, args, **kwargs):
        name = "main" if threading.current_thread() is threading.main_thread() else "aside"
        with open(os.path.join(os.environ["HERMES_HOME"], "where.txt"), "a") as file:
            file.write(f"{tool_name} {args.get('path', '')} {name}\\n")
    ctx.register_hook("post_tool_call", where)
""",
    config={"platform_toolsets": {"cli": ["file"]}},
)
def file_tools_with_different_paths_run_in_parallel(host):
    def write(path):
        return call("write_file", path=path, content=path)

    host.llm.script(
        say("", write("a.txt"), write("b.txt")),
        say("", write("c.txt"), write("./c.txt")),
        say("", write("d.txt"), write("e.txt"), call("ask"), write("f.txt"), write("g.txt"), write("./f.txt")),
        say("", call("read_file", path="a.txt"), call("write_file", content="x"), call("read_file", path="b.txt")),
        say("done"),
    )
    turn = host.chat("hello")
    noted = (host.home / "where.txt").read_text(encoding="utf-8").splitlines()
    return [sorted(noted), [(one.name, one.result.value) for one in turn.tool_calls]]


@case(
    "D35",
    one=answering_plugin(
        "pre_verify",
        None,
        {"action": "continue"},
        {"decision": "block", "reason": "check it"},
        {"action": "continue", "message": "later"},
    ),
    config={"platform_toolsets": {"cli": ["file"]}},
)
def pre_verify_continues_a_turn_that_changed_files(host):
    host.llm.script(call("write_file", path="a.txt", content="hi"), *[say(f"done {n}") for n in range(4)])
    turn = host.chat("hello")
    host.llm.script(say("nothing changed"))
    again = host.chat("again")
    return [
        turn.reply,
        turn.hooks.names,
        [(one["role"], one["content"]) for one in again.messages if one["role"] != "tool"],
    ]


@case(
    "D35",
    one=answering_plugin("transform_llm_output", None),
    config={"platform_toolsets": {"cli": ["file", "terminal"]}},
)
def failed_file_changes_of_a_turn_are_reported(host):
    """One change fails permanently; others succeed later by the same name, by another one, or by a command."""
    missing = [{"path": name, "old_string": "a", "new_string": "b"} for name in ("no.txt", "a.txt", "b.txt", "c.txt")]
    host.llm.script(
        *[call("patch", **one) for one in missing],
        call("write_file", path="a.txt", content="x"),
        call("write_file", path="./b.txt", content="x"),
        call("terminal", command="echo x > c.txt"),
        say("all is done "),
        call("write_file", path="no.txt", content="x"),
        say("now it is"),
    )
    return converse(host, "hello", "again")


@case(
    "D35",
    one=answering_plugin("transform_llm_output", None),
    config={"platform_toolsets": {"cli": ["file"]}, "display": {"file_mutation_verifier": False}},
)
def the_notice_about_failed_file_changes_can_be_disabled(host):
    host.llm.script(call("patch", path="no.txt", old_string="a", new_string="b"), say("fine"))
    return host.chat("hello").reply


@case(
    "D36",
    one=listening_plugin("on_session_end", "post_llm_call", "transform_llm_output"),
    config={"agent": {"max_turns": 2}},
    until="0.22.2",
)
def an_empty_answer_before_the_limit_is_the_reply(host):
    host.llm.script(say(""), call("ask", n=1), say("more"))
    host.llm.aux.script(say("summary"))
    return converse(host, "hello")


@case(
    "D36",
    one=listening_plugin("post_llm_call"),
)
def an_empty_answer_between_tool_calls_is_requested_again(host):
    host.llm.script(call("ask", n=1), say(""), call("ask", n=2), say("fine"), say("more"))
    return converse(host, "hello", "again")


@case("C22", one=TOOL)
def known_tools_beside_an_unknown_tool_are_reported(host):
    both = say("", call("ask", n=1), call("nobody"), call("tell"))
    host.llm.script(both, say("first"), *[both] * 3, say("more"))
    return converse(host, "hello", "again")


@case(
    "D17",
    one=listening_plugin("api_request_error", "post_llm_call"),
)
def an_answer_stopped_by_a_content_filter_is_handled(host):
    host.llm.script(say("as far as", finish_reason="content_filter"), say("more"))
    return converse(host, "hello")


@case("D36", one=TOOL)
def truncated_arguments_are_requested_again(host):
    cut_off = say("", call("ask", n=1), finish_reason="length")
    host.llm.script(cut_off, call("ask", n=1), cut_off, call("ask", n=2), say("more"))
    return converse(host, "hello")


@case("D36", one=TOOL)
def a_repeated_request_for_truncated_arguments_fails(host):
    cut_off = say("", call("ask", n=1), finish_reason="length")
    host.llm.script(
        cut_off, fail(503, "busy"), call("ask", n=2), say("so", finish_reason="length"), fail(503, "busy"), say("on")
    )
    return converse(host, "hello")


@case("D36", one=TOOL, refused="repeat a request for calls that were cut off before")
def arguments_are_truncated_again_before_a_tool_ran(host):
    cut_off = say("", call("ask", n=1), finish_reason="length")
    host.llm.script(cut_off, call("no_such_tool"), cut_off, say("done"))
    return converse(host, "hello")


@case(
    "D36",
    one=listening_plugin("on_session_end"),
    config={"agent": {"max_turns": 2}},
)
def the_last_allowed_request_can_be_answered(host):
    host.llm.script(call("ask", n=1), say("that is all"), say("at once"))
    return converse(host, "hello", "again")


@case(
    "D35",
    one=answering_plugin("pre_verify", {"action": "continue", "message": "check it"}),
    config={"platform_toolsets": {"cli": ["file"]}, "agent": {"max_turns": 2}},
)
def a_turn_continued_by_pre_verify_reaches_its_limit(host):
    host.llm.script(call("write_file", path="a.txt", content="hi"), say("done it"), say("more"))
    host.llm.aux.script(say("summary"))
    return converse(host, "hello")


@case(
    "N77",
    one=answering_plugin("pre_verify", {"action": "continue", "message": "check it"}),
    config={"platform_toolsets": {"cli": ["file"]}, "agent": {"max_verify_nudges": 2}},
)
def an_answer_replaces_those_before_a_verification(host):
    host.llm.script(call("write_file", path="a.txt", content="hi"), *[say(text) for text in "abcde"])
    turns = [host.chat("hello"), host.chat("again"), host.chat("more")]
    return [[(one["role"], sorted(one), one.get("_absorbed_row_ids")) for one in turn.messages] for turn in turns]


@case(
    "C31",
    one=TOOL
    + """
    def rewrite(**kwargs):
        request = kwargs["request"]
        return {"request": {**request, "messages": request["messages"] + [{"role": "user", "content": "also"}]}, "source": "p"}
    ctx.register_middleware("llm_request", rewrite)
    ctx.register_hook("pre_api_request", lambda **kwargs: None)
""",
)
def middleware_rewrites_a_request(host):
    host.llm.script(say("one"))
    return converse(host, "hello")


@case(
    "C32",
    one=TOOL
    + """
    from types import SimpleNamespace as N
    def replace(next_call, **kwargs):
        if kwargs["api_call_count"] > 1:
            return next_call()
        message = N(role="assistant", content=None, tool_calls=[N(id="x1", type="function", function=N(name="ask", arguments="{}"))], reasoning_content=None)
        return N(id="fake", model="fake-model", usage=None, choices=[N(index=0, finish_reason="tool_calls", message=message)])
    ctx.register_middleware("llm_execution", replace)
    ctx.register_hook("post_api_request", lambda **kwargs: None)
""",
)
def middleware_answers_instead_of_the_model(host):
    host.llm.script(say("one"))
    return converse(host, "hello")


@case(
    "C32",
    one=TOOL
    + """
    def spoil(next_call, **kwargs):
        next_call()
        return None
    ctx.register_middleware("llm_execution", spoil)
    ctx.register_hook("api_request_error", lambda **kwargs: None)
""",
)
def middleware_returns_no_answer(host):
    host.llm.script(say("one"), say("two"), say("three"))
    return converse(host, "hello")


@case(
    "C32",
    one=TOOL
    + """
    SEEN = []
    def wrap(next_call, **kwargs):
        try:
            return next_call()
        except Exception as error:
            SEEN.append(type(error).__name__)
            raise
    ctx.register_middleware("llm_execution", wrap)
    ctx.register_hook("pre_llm_call", lambda **kwargs: {"context": ", ".join(SEEN)})
    ctx.register_hook("api_request_error", lambda **kwargs: None)
""",
)
def middleware_sees_the_errors_of_the_model(host):
    host.llm.script(fail(400, "boom"), say("two"))
    return converse(host, "hello", "again")


LOOPING = """
def register(ctx):
    def fail(args, **kwargs):
        raise ValueError("boom")
    for name in ("web_search", "fail"):
        schema = {"name": name, "description": "d", "parameters": {"type": "object", "properties": {}}}
        ctx.register_tool(name=name, toolset="p", schema=schema, handler=fail if name == "fail" else lambda args, **kw: "x" * 50)
    ctx.register_hook("post_tool_call", lambda **kwargs: None)
"""


@case("C27", one=answering_plugin("transform_tool_result", "x" * 150_000), refused=LONG)
def a_long_result_is_shortened(host):
    host.llm.script(call("ask"), say("", call("ask", n=1), call("ask", n=2)), say("done"))
    return converse(host, "hello")


@case("C27", one=answering_plugin("transform_tool_result", "x" * 90_000), refused=LONG)
def several_long_results_are_shortened(host):
    host.llm.script(say("", *[call("ask", n=number) for number in range(4)]), say("done"))
    return converse(host, "hello")


@case("C28", one=LOOPING)
def results_from_the_web_are_framed(host):
    host.llm.script(call("web_search"), say("done"))
    return converse(host, "hello")


@case("C24", one=LOOPING)
def repeated_failures_of_a_tool_are_pointed_out(host):
    host.llm.script(*[call("fail", n=number // 2) for number in range(5)], say("done"))
    return converse(host, "hello")


EMPTYING = recorder("""
    def empty(args, **kwargs):
        args.clear()
        return json.dumps({"error": "no"})
    tool("empty", empty)
    tool("odd", lambda args, **kwargs: args.clear())
""")


@case("C24", one=EMPTYING)
def failures_of_handlers_that_clear_their_arguments_are_counted(host):
    alone = [call(name, n=number) for name in ("empty", "odd") for number in range(3)]
    together = [say("", *[call(name, n=number) for number in range(3)]) for name in ("empty", "odd")]
    host.llm.script(*alone, *together, call("odd", n=3), say("done"))
    return converse(host, "hello")


@case(
    "C24",
    one=LOOPING,
    config={"tool_loop_guardrails": {"hard_stop_enabled": True, "hard_stop_after": {"same_tool_failure": 3}}},
    refused=STOPPED,
)
def a_tool_that_fails_too_often_ends_the_turn(host):
    host.llm.script(*[call("fail", n=number) for number in range(3)], say("done"))
    return [*converse(host, "hello", "again")]


@case(
    "C24",
    one=LOOPING,
    config={"tool_loop_guardrails": {"hard_stop_enabled": True, "hard_stop_after": {"exact_failure": 2}}},
    refused=STOPPED,
)
def a_call_that_failed_too_often_is_blocked(host):
    host.llm.script(*[call("fail")] * 3, say("done"))
    return [*converse(host, "hello", "again")]


@case("D24", one=listening_plugin(), config={"platform_toolsets": {"cli": ["delegation"]}}, stateless=True)
def a_task_is_delegated(host):
    host.llm.script(call("delegate_task", goal="part", context="ctx"), call("ask", n=1), say("child"), say("done"))
    return _run_delegation(host)


@case(
    "D24",
    one=listening_plugin(),
    config={"platform_toolsets": {"cli": ["delegation"]}},
    refused="run further calls while a delegated task runs",
)
def a_task_is_delegated_beside_another_call(host):
    host.llm.script(say("", call("delegate_task", goal="Count to ten"), call("ask", n=1)), say("one"), say("two"))
    return _run_delegation(host)


@case(
    "D24",
    one=listening_plugin("subagent_start", "subagent_stop"),
    config={"platform_toolsets": {"cli": ["delegation"]}},
    stateless=True,
)
def invalid_calls_of_delegate_task_are_rejected(host):
    wrong = [{}, {"tasks": [{"goal": ""}]}, {"tasks": [1]}, {"tasks": [{"goal": "a"}] * 4}, {"goal": "  "}]
    host.llm.script(*[call("delegate_task", args) for args in wrong], say("done"))
    return _run_delegation(host)


@case(
    "D24",
    one=listening_plugin("subagent_start"),
    config={"platform_toolsets": {"cli": ["delegation"]}, "tool_loop_guardrails": {"warnings_enabled": False}},
    releases=["0.20.2", "0.22.2"],
    stateless=True,
)
def vague_goals_are_rejected(host):
    good = "describe the weather"
    wrong = [
        [{"goal": ""}],
        [{"goal": "TASK 12"}, {"goal": good}],
        [{"goal": good}, {"goal": "Todo"}],
        [{"goal": "describe <the topic>"}, {"goal": good}],
        [{"goal": "describe {some-thing here}"}, {"goal": good}],
        [{"goal": good}, {"goal": "short"}],
        [{"goal": good}] * 11,
    ]
    host.llm.script(*[call("delegate_task", tasks=tasks) for tasks in wrong], say("done"))
    return [one.result.text.partition("\n\n[Tool loop")[0] for one in host.chat("hello").tool_calls]


@case(
    "D24",
    one=recorder("""
        tool("fetch", lambda args, **kwargs: json.dumps({"status": "failed"}))
        tool("fine", lambda args, **kwargs: "no error here")
        ctx.register_hook("subagent_stop", lambda **kwargs: note("stop", {"history": kwargs["tool_call_history"]}))
    """),
    config={"platform_toolsets": {"cli": ["delegation"]}},
    releases=["0.20.2", "0.22.2"],
    stateless=True,
)
def the_tool_calls_of_a_child_are_reported(host):
    told = {
        "url": "https://user:secret@example.org:81/path?query=1#end",
        "urls": ["http://[::1]/a?b", "no address", 5, "https://:1/"],
        "path": "x" * 2000,
        "Directory": "/tmp",
        "n": 1,
    }
    host.llm.script(call("delegate_task", goal="part"), call("fetch", told), call("fine"), say("child"), say("done"))
    (answer,) = (json.loads(one.result.text) for one in host.chat("hello").tool_calls)
    return [[one["tool_trace"] for one in answer["results"]], read_notes(host)]


@case(
    "D24",
    one=listening_plugin("subagent_start", "subagent_stop"),
    config={"platform_toolsets": {"cli": ["delegation", "memory", "clarify"]}, "delegation": {"max_spawn_depth": 2}},
    stateless=True,
)
def a_child_can_delegate(host):
    host.llm.script(call("delegate_task", goal="part", role="orchestrator"), say("child"), say("done"))
    return _run_delegation(host)


@case(
    "D24",
    one=listening_plugin("subagent_start", "subagent_stop", "on_session_end"),
    config={"platform_toolsets": {"cli": ["delegation"]}},
    stateless=True,
)
def a_failing_child_is_reported(host):
    host.llm.script(call("delegate_task", goal="part"), fail(400, "boom"), say("done"))
    return _run_delegation(host)


def _run_delegation(host):
    """Run a turn that delegates, and return the hooks of both threads in one order."""
    shown, asked = converse(host, "hello")
    return [
        {**shown, "hooks": sorted(shown["hooks"], key=lambda hook: json.dumps(hook, sort_keys=True))},
        [request["tools"] for request in asked],
    ]


@case("D23", one=listening_plugin("api_request_error", "transform_llm_output", "post_llm_call", "on_session_end"))
def a_turn_is_stopped_by_the_user(host):
    host.llm.script(interrupt(), say("two"))
    return converse(host, "hello", "again")


@case(
    "D23",
    one=listening_plugin("post_tool_call", "post_llm_call", "on_session_end"),
)
def a_turn_is_stopped_by_the_user_after_a_tool_call(host):
    host.llm.script(call("ask", n=1), interrupt(), say("two"))
    return converse(host, "hello", "again")


@case("D12", one=listening_plugin("on_session_start", "on_session_finalize", "on_session_reset"))
def a_new_session_can_start_before_the_first_message(host):
    host.llm.script(say("one"))
    return [host.command("/new"), *converse(host, "hello")]


ASSEMBLED = """
    SEEN = []
    def note(next_call, **kwargs):
        response = next_call()
        message = response.choices[0].message
        SEEN.append([type(response).__name__, sorted(vars(response)), sorted(vars(message)), response.id.split("-")[0]])
        SEEN.append([sorted(vars(one.function)) for one in message.tool_calls or ()])
        return response
    ctx.register_middleware("llm_execution", note)
    ctx.register_command("seen", lambda arguments: json.dumps(SEEN))
"""


@case("C32", one=TOOL + ASSEMBLED)
def middleware_receives_an_answer_assembled_from_a_stream(host):
    host.llm.script(call("ask", n=1), say("one"))
    host.chat("hello")
    return json.loads(host.command("/seen"))


@case("D24", one=TOOL + ASSEMBLED, config={"platform_toolsets": {"cli": ["delegation"]}}, stateless=True)
def middleware_receives_the_answers_of_a_child(host):
    host.llm.script(call("delegate_task", goal="part"), say("child"), say("done"))
    host.chat("hello")
    return [one[0] for one in json.loads(host.command("/seen"))[::2]]


@case("D15", one=recorder("tool('t')"))
def an_empty_message_before_others_is_replaced(host):
    host.llm.script(call("t"), say("one"), say("two"))
    return converse(host, " ", "hello")


@case(
    "C3",
    one=recorder("""
        tool("todo")
        for one in ("pre_tool_call", "post_tool_call"):
            ctx.register_hook(one, lambda tool_name, **kwargs: SEEN.append(tool_name))
    """),
)
def a_former_name_refers_to_a_built_in_tool_in_a_turn(host):
    host.llm.script(call("todo"), say("one"))
    return [converse(host, "hello"), read_notes(host)]


@case("D22", one=recorder("tool('t')"), config={"agent": {"max_turns": 1}})
def a_request_for_a_summary_omits_earlier_reasoning(host):
    host.llm.script(say("one", reasoning="why"))
    script_summary(host, call("t"), say("in short"))
    return converse(host, "hello", "again")


@case("D22", one="def register(ctx): pass\n", config={"platform_toolsets": {"cli": []}, "agent": {"max_turns": 1}})
def a_request_for_a_summary_without_tools_offers_none(host):
    host.llm.script(call("absent"))
    host.llm.aux.script(say("in short"))
    return [converse(host, "hello"), sorted(host.llm.aux.requests[-1].body)]
