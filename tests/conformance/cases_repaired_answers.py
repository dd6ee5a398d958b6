"""Cases of model answers that the host repairs before it stores or resends them: ids, names, odd characters."""

from conformance.case import case
from conformance.cases_turns import listening_plugin
from conformance.conversations import converse

from hermes_sdk.llm import Answer, ToolCall, call, say

NEXT = ("pre_api_request", "post_llm_call")


def calls(*given: str, tool: str = "ask") -> Answer:
    """Return an answer that calls a tool once for each id, with a distinct number."""
    return Answer(tool_calls=tuple(ToolCall(tool, f'{{"n": {number}}}', one) for number, one in enumerate(given)))


@case("C18", one=listening_plugin("pre_tool_call", *NEXT), releases=["0.20.2", "0.22.2"])
def calls_share_an_id(host):
    host.llm.script(calls("c1"), calls("c1", "c1", "c1_d2"), say("one"), calls("c1", tool="tell"), say("two"))
    return converse(host, "hello", "again")


@case("C18", one=listening_plugin("pre_tool_call", *NEXT), releases=["0.19.0", "0.20.2", "0.22.2"])
def a_later_call_has_the_id_of_an_earlier_one(host):
    host.llm.script(calls("c1"), calls("c1"), say("one"), calls("c1", "c2"), say("two"))
    return converse(host, "hello", "again")


@case("C18", one=listening_plugin(), releases=["0.19.0"], refused="run tool calls that share an id")
def calls_that_share_an_id_lose_results(host):
    host.llm.script(calls("c1", "c1"), say("one"))
    converse(host, "hello")


@case("C18", one=listening_plugin(), refused="repair the id of a tool call")
def a_tool_call_id_with_two_halves_is_repaired(host):
    host.llm.script(calls("c1|f1"), say("one"))
    converse(host, "hello")


@case("C18", one=listening_plugin(), releases=["0.22.2"], refused="repair the id of a tool call")
def the_ids_of_all_calls_are_minted_by_a_provider(host):
    host.llm.script(calls("chatcmpl-tool-1", "chatcmpl-tool-2"), say("one"))
    converse(host, "hello")


@case("C18", one=listening_plugin(), releases=["0.19.0", "0.20.2"])
def ids_minted_by_a_provider_are_kept(host):
    host.llm.script(calls("chatcmpl-tool-1", "chatcmpl-tool-2"), say("one"))
    return converse(host, "hello")


@case("C18", one=listening_plugin(*NEXT))
def invalid_names_of_tool_calls_are_repaired(host):
    names = ("functions.alpha", "ls -la /tmp", "ü", "..", "_zz_", "z..z__z", "z" * 90, "-zz.")
    told = tuple(ToolCall(name, "{}", f"c{number}") for number, name in enumerate(names))
    host.llm.script(Answer(tool_calls=told), say("one"), say("two"))
    return converse(host, "hello", "again")


@case("C18", one=listening_plugin("pre_tool_call", *NEXT))
def spaces_around_names_of_tool_calls_are_removed(host):
    told = tuple(ToolCall(name, "{}", f"c{number}") for number, name in enumerate((" ask ", "q ", "  ", "\n", "as k")))
    host.llm.script(Answer(tool_calls=told), say("one"), say("two"))
    return converse(host, "hello", "again")


@case("D16", one=listening_plugin("post_llm_call", "transform_llm_output"))
def parts_of_a_continued_answer_are_joined(host):
    parts = [say(text, finish_reason="length") for text in ("one", "two ", "three")]
    host.llm.script(*parts, say("\nfour"), *[say("part", finish_reason="length")] * 4, say("next"))
    return converse(host, "hello", "again", "more")


@case("D16", one=listening_plugin(*NEXT))
def a_truncated_answer_continues_with_a_call(host):
    host.llm.script(say("part", finish_reason="length"), calls("c1"), say("rest"), say("next"))
    return converse(host, "hello", "again")


@case("D16", one=listening_plugin(*NEXT))
def a_truncated_answer_continues_with_nothing(host):
    host.llm.script(say("part", finish_reason="length"), *[say("")] * 4, say("next"))
    return converse(host, "hello", "again")


@case(
    "D16", one=listening_plugin(), releases=["0.20.2", "0.22.2"], refused="continue an answer that was cut off before"
)
def an_answer_is_truncated_before_its_text(host):
    host.llm.script(say("", finish_reason="length"), say("rest"))
    converse(host, "hello")


SURROGATES = r"""
def register(ctx):
    schema = {"name": "ask", "description": "d%s", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("ask", "p", schema, lambda args, **kwargs: "result \udc80")
    ctx.register_hook("pre_llm_call", lambda **kwargs: {"context": "context \udc80"})
    ctx.register_hook("transform_llm_output", lambda response_text="", **kwargs: response_text + " added \udc80")
    ctx.register_hook("post_llm_call", lambda **kwargs: None)
    ctx.register_hook("pre_api_request", lambda **kwargs: None)
"""


@case("D16", one=SURROGATES % "")
def lone_surrogates_are_replaced(host):
    thought = say("<think>thought \udc80</think>reply \udc80")
    host.llm.script(calls("c1"), say("reply \udc80"), thought, say("three"))
    return converse(host, "hello \udc80", "again", "more")


@case("D16", one=SURROGATES % r"\udc80", releases=["0.20.2", "0.22.2"])
def lone_surrogates_of_tools_are_replaced(host):
    host.llm.script(say("one"))
    return converse(host, "hello"), host.llm.requests[0].body["tools"]


@case(
    "D16", one=SURROGATES % r"\udc80", releases=["0.19.0"], refused="recover from a request that no encoding can write"
)
def lone_surrogates_of_tools_break_the_request(host):
    host.llm.script(say("one"))
    host.chat("hello")


ADDED = r"""
def add(request=None, **kwargs):
    return {"request": {**request, "messages": [*request["messages"], {"role": "user", "content": "\udc80"}]}}

def register(ctx):
    ctx.register_middleware("llm_request", add)
"""


@case("D16", one=ADDED, refused="recover from a request that no encoding can write")
def middleware_adds_lone_surrogates(host):
    host.llm.script(say("one"))
    host.chat("hello")


@case("D16", one=listening_plugin("post_llm_call"))
def empty_messages_are_handled(host):
    host.llm.script(say("one"), calls("c1"), say("two"), say("three"))
    return converse(host, "hello", " \n", "again")


LOOP = "end a turn whose answer repeats itself"


@case("D16", one=listening_plugin(), releases=["0.20.2", "0.22.2"], refused=LOOP)
def a_truncated_answer_repeats_itself(host):
    host.llm.script(say("ha " * 200, finish_reason="length"), say("rest"))
    converse(host, "hello")


@case("D16", one=listening_plugin(), releases=["0.22.2"], refused=LOOP)
def a_very_long_answer_repeats_itself(host):
    host.llm.script(say("the same line\n" * 1200))
    converse(host, "hello")


@case("D16", one=listening_plugin("post_llm_call"))
def a_very_long_answer_does_not_repeat_itself(host):
    host.llm.script(
        say("\n".join(f"line {number}" for number in range(2000))), say("the same line\n" * 100), say("next")
    )
    return converse(host, "hello", "again", "more")


@case("D16", one=listening_plugin(), refused="continue an answer that was cut off before its text")
def an_answer_is_truncated_within_its_reasoning(host):
    host.llm.script(say("<think>hm</think>", finish_reason="length"), say("rest"))
    converse(host, "hello")


@case("D16", one=listening_plugin(), refused="ask again for the calls that an answer announces")
def an_answer_announces_calls(host):
    host.llm.script(say("wait", finish_reason="tool_calls"))
    converse(host, "hello")


OPENED = [
    "one\n<tool_call>{}",
    "one <tool_calls> two",
    "one\n <TOOL_RESULT>\n",
    "one\n<function_call id='1'>{",
    "<tool_call>",
]


OPENED_IN_TURN = [*map(say, OPENED), say("<tool_call>", call("ask", n=1)), say("done")]


@case("D16", one=listening_plugin("post_llm_call", "transform_llm_output", "on_stream_delta"))
def unfinished_calls_in_a_text_are_handled(host):
    host.llm.script(*OPENED_IN_TURN, *[say("spare")] * 6)
    return converse(host, *["hello"] * len(OPENED), "go on")


@case("D16", one=listening_plugin(), refused="remove unusual marks of reasoning or calls")
def unusual_marks_of_reasoning_are_removed(host):
    host.llm.script(say("<thinking>hm</thinking>answer"))
    converse(host, "hello")


@case("D16", one=listening_plugin(), refused="remove unusual marks of reasoning or calls")
def unusual_marks_of_a_call_are_removed(host):
    host.llm.script(say('<function name="ask">1</function> answer'))
    converse(host, "hello")


PARTS = """
CONTENTS = [
    [{"type": "text", "text": " one\\n"}],
    [{"type": "text", "text": "one", "more": 1}],
    [{"text": "one", "cache_control": {"type": "ephemeral"}}],
    [{"type": "text", "text": "one"}, {"type": "other", "cache_control": {"type": "ephemeral"}}, "two"],
    [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
    [],
    [{"type": "text", "text": 5}],
    [{"type": "other", "text": "one"}],
]

def register(ctx):
    schema = {"name": "ask", "description": "d", "parameters": {"type": "object", "properties": {}}}
    answer = lambda args, **kwargs: {"_multimodal": True, "content": CONTENTS[args["n"]]}
    ctx.register_tool("ask", "p", schema, answer)
    ctx.register_hook("pre_api_request", lambda **kwargs: None)
"""


@case("C28", one=PARTS)
def one_part_is_sent_as_text(host):
    host.llm.script(calls(*"abcdefgh"), say("one"), say("two"))
    return converse(host, "hello", "again")


ODD_PART = (
    SURROGATES.replace('"result \\udc80"', '{"_multimodal": True, "content": [{"type": "text", "text": "\\udc80"}]}')
    % ""
)


@case("C28", one=ODD_PART, releases=["0.20.2", "0.22.2"])
def lone_surrogates_of_parts_are_replaced(host):
    host.llm.script(calls("c1"), say("one"), say("two"))
    return converse(host, "hello", "again")


@case("C28", one=ODD_PART, releases=["0.19.0"], refused="change the parts of a result")
def lone_surrogates_of_parts_break_the_result(host):
    host.llm.script(calls("c1"), say("one"))
    converse(host, "hello")


SECTION = r"""
def register(ctx): ctx.register_system_prompt_section("odd", "odd \udc80")
"""


@case("N78", one=SECTION, releases=["0.20.2", "0.22.2"], refused="store a system prompt that no encoding can write")
def a_section_of_the_prompt_has_a_lone_surrogate(host):
    host.llm.script(say("one"))
    host.chat("hello")
