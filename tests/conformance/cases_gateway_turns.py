"""Cases of H8 and H18: turns in a chat."""

from conformance.cases_builtin_results import STOPPED
from conformance.cases_repaired_answers import OPENED, OPENED_IN_TURN
from conformance.gateway_cases import gateway_case, hook, list_events, write_messages

from hermes_sdk.llm import call, fail, say
from hermes_sdk.traces import Trace

EVENTS = ["gateway:startup", "session:*", "agent:*", "command:*"]
TOOL = "tool('ask', lambda args, **kw: json.dumps({'found': 1}))\n"


@gateway_case("H8", f"watch()\n{TOOL}", files=hook(EVENTS), also=("N80", "N81"))
def a_chat_answers_two_messages_with_a_tool_call(host):
    host.llm.script(call("ask"), say("one"), say("two"))
    return write_messages(host, "use the tool", "again")


@gateway_case("N77", f"watch()\n{TOOL}")
def stored_messages_of_a_chat_have_ids(host):
    host.llm.script(call("ask"), say("one"), say("two"), say("three"))
    write_messages(host, "use the tool", "again", "more")
    events = Trace.of(host.events, host=host.kind, release=host.release, scenario="").normalise({}).events
    hooks = [event for event in events if "conversation_history" in (event.get("arguments") or {})]
    return [[one["name"], one["arguments"]["conversation_history"]] for one in hooks]


@gateway_case("H8", f"watch()\n{TOOL}")
def unfinished_calls_in_a_text_are_handled_in_a_chat(host):
    host.llm.script(*OPENED_IN_TURN, *[say("spare")] * 6)
    return write_messages(host, *["hello"] * len(OPENED), "go on")


@gateway_case("H8", TOOL, until="0.20.2", refused="go on in a chat with more messages than the host's database has")
def a_chat_goes_on_after_an_empty_answer(host):
    host.llm.script(call("ask"), say(""), call("ask", n=2), say("one"), say("two"))
    write_messages(host, "hello", "again")


@gateway_case("H8", TOOL, since="0.20.2")
def a_prompt_follows_an_empty_answer_in_some_releases(host):
    unknown = call("no_such_tool")
    host.llm.script(call("ask"), say(""), call("ask", n=2), say("one"), unknown, say(""), *[unknown] * 2, say("two"))
    events = write_messages(host, "hello", "again", "more")
    return [[m["role"], m["content"]] for m in host.llm.requests[-1].messages[1:]], events


FAILING = "tool('fails', lambda args, **kw: json.dumps({'error': 'no'}))\n"


@gateway_case("C16", FAILING, since="0.21.3", refused=STOPPED)
def repeated_failures_end_a_turn_in_a_chat(host):
    host.llm.script(*[call("fails")] * 6, say("done"))
    host.gateway().dm("u1").receives("go")


@gateway_case("C16", FAILING, until="0.21.3")
def a_turn_in_a_chat_continues_after_repeated_failures(host):
    host.llm.script(*[call("fails")] * 6, say("done"), say("spare"))
    host.gateway().dm("u1").receives("go")
    return sum("tools" in request.body for request in host.llm.requests)


@gateway_case(
    "H8",
    "tool('ask', lambda args, **kw: json.dumps({'found': 1}))\n",
    config={"display": {"interim_assistant_messages": False}, "platform_toolsets": {"echo": ["set", "memory"]}},
)
def a_text_beside_housekeeping_is_the_reply(host):
    keep = call("memory", action="add", target="user", content="likes tea")
    host.llm.script(say("noted", keep), say(""), say("next"), say("again", keep), call("ask"), say(""), say("end"))
    events = write_messages(host, "remember", "go on", "twice")
    return [[m["role"], m["content"]] for m in host.llm.requests[-1].messages[1:]], events


def list_sent_messages(host):
    """Return all arguments of the messages that the adapter sends."""
    events = Trace.of(host.events, host=host.kind, release=host.release, scenario="").normalise({}).events
    return [one["arguments"] for one in events if one["kind"] == "adapter" and one["name"] == "send"]


REPEATED = f"""
{TOOL}
for name in ("on_interim_message", "on_stream_delta"):
    ctx.register_hook(name, lambda hook=name, **kwargs: SEEN.append([hook, kwargs.get("text"), kwargs.get("delta")]))
"""


def _repeat_texts(host):
    texts = ("one moment", "one  moment", "(empty)", "one moment\n")
    host.llm.script(*[say(text, call("ask", n=number)) for number, text in enumerate(texts)], say("one"))
    host.llm.script(say("one moment", call("ask")), say("two"))
    write_messages(host, "use the tool", "once more")
    return list_sent_messages(host), list_events(host)


@gateway_case("N49", REPEATED)
def a_repeated_text_beside_calls_is_reported_once_in_a_turn(host):
    return _repeat_texts(host)


@gateway_case("N49", REPEATED, config={"display": {"interim_assistant_messages": False}})
def a_repeated_text_beside_calls_is_reported_again_without_interim_messages(host):
    return _repeat_texts(host)


@gateway_case("H8", TOOL, releases=["0.20.2", "0.22.2"])
def a_text_beside_tool_calls_is_sent_in_some_releases(host):
    host.llm.script(say("one moment", call("ask")), say("one"), say("again", call("ask")), say("two"))
    write_messages(host, "use the tool", "once more")
    return list_sent_messages(host)


@gateway_case("H8")
def provider_errors_are_hidden_from_a_chat(host):
    said = (
        "API call failed: 401 and 429",
        "HTTP 401: no",
        "Error code: 400 - moderation",
        "Connection error.",
        "connection reset by peer",
        "API failed: no route to host",
        "HTTP 500: broken",
        "A connection error is no error here.",
    )
    host.llm.script(*said)
    write_messages(host, *(f"message {number}" for number in range(len(said))))
    return list_sent_messages(host)


@gateway_case("H8", "watch()\n" + TOOL)
def pending_results_are_noted_in_some_releases(host):
    host.llm.script(call("ask"), fail(400, "bad"), say("done"), say("end"))
    write_messages(host, "use the tool", "again", "more")
    found = []
    for event in host.events:
        messages = (event.get("arguments") or {}).get("conversation_history") or []
        found += [[event["name"], one["content"], one.get("api_content")] for one in messages if one["role"] == "user"]
    return found


@gateway_case(
    "D21",
    "watch()",
    config={"platform_toolsets": {"echo": ["terminal"]}},
    releases=["0.20.2", "0.22.2"],
)
def chats_have_separate_shells_in_some_releases(host):
    gateway = host.gateway()
    shows = 'echo "$MINE"; test "$PWD" = / && echo there'
    for user, command in (("u1", "export MINE=1; cd /"), ("u2", shows), ("u1", shows)):
        host.llm.script(call("terminal", command=command), say("done"))
        gateway.dm(user).receives("go")
    gateway.stop()
    fired = [event["arguments"] for event in host.events if event["name"] == "transform_terminal_output"]
    return [[one["task_id"], one["output"]] for one in fired]


@gateway_case(
    "H11",
    "watch()",
    adapter="async def send_typing(self, chat_id, metadata=None): pass",
    files=hook(EVENTS),
)
def typing_starts_while_a_message_is_processed(host):
    host.llm.script("one", "two")
    gateway = host.gateway()
    chat, order = gateway.dm(), []
    for text in ("hello", "again"):
        before = len(host.events)
        chat.receives(text)
        events = [event for event in host.events[before:] if event["thread"] == "gateway"]
        names = [event["name"] for event in events if event["kind"] in ("adapter", "gateway_hook", "hook")]
        # The number of typing notifications is random.
        order.append([*dict.fromkeys(names)])
    gateway.stop()
    return order
