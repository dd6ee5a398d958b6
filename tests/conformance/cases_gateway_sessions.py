"""Cases of D12, H17 and H19: renewed and expired sessions of a gateway, and messages during a turn."""

import time

from conformance.gateway_cases import gateway_case, hook, list_events, write_messages
from conformance.raw_keys import lacks_texts

from hermes_sdk.home import Home
from hermes_sdk.llm import call, fail, interrupt
from hermes_sdk.traces import Trace

EVENTS = hook(["session:*", "agent:end", "command:*"])
FREELY = {"approvals": {"destructive_slash_confirm": False}}
HOOKS = "for name in ('on_session_start', 'on_session_end', 'on_session_finalize', 'on_session_reset'):\n    ctx.register_hook(name, lambda **kw: None)\n"


@gateway_case("D12", HOOKS, files=EVENTS)
def a_new_session_starts_when_the_user_confirms(host):
    host.llm.script("one", "two")
    return write_messages(host, "hello", "/new", "/approve", "again")


@gateway_case("D12", files=EVENTS)
def a_new_session_does_not_start_when_the_user_cancels(host):
    host.llm.script("one", "two", "three")
    # The catalogue includes words without a slash.
    no = "/no" if lacks_texts(host.release) else "no"
    return write_messages(host, "hello", "/new", "/cancel", "/reset", no, "again", "/approve")


@gateway_case("D12", HOOKS, files=EVENTS)
def the_user_is_not_asked_again(host):
    host.llm.script("one", "two")
    gateway = host.gateway()
    chat = gateway.dm()
    for text in ("hello", "/new", "/always", "again", "/reset"):
        chat.receives(text)
    gateway.stop()
    return list_events(host), Home(host.home).config.get("approvals")


@gateway_case("D12", HOOKS, files=EVENTS, config=FREELY)
def new_and_reset_start_a_session(host):
    host.llm.script("one", "two")
    return write_messages(host, "/new", "hello", "/new", "/reset now", "again")


@gateway_case(
    "D12",
    HOOKS,
    files=EVENTS,
    # The notice would depend on how soon the host has counted the tokens of the turn.
    config={"session_reset": {"mode": "idle", "idle_minutes": 0.0001, "notify": False}},
)
def a_session_over_the_idle_limit_is_renewed(host):
    host.llm.script("one", "two")
    gateway = host.gateway()
    chat = gateway.dm()
    chat.receives("hello")
    time.sleep(0.05)  # The session expires after 6 ms.
    chat.receives("again")
    gateway.stop()
    return list_events(host)


def interrupt_turn(host, *texts, then=()):
    """Return the events when texts arrive during the first request, which is then interrupted."""
    gateway = host.gateway()
    chat = gateway.dm()

    def write(request):
        for text in texts:
            chat.says(text)
        return interrupt()

    host.llm.script(write, *then)
    chat.receives("hello")
    gateway.stop()
    return list_events(host)


@gateway_case("H19", HOOKS, files=EVENTS)
def a_turn_is_stopped(host):
    return interrupt_turn(host, "/stop")


@gateway_case("H19", HOOKS, files=EVENTS, config=FREELY)
def a_session_is_renewed_while_a_turn_runs(host):
    return interrupt_turn(host, "/new")


# The host registers the agent of a second turn long after its request.
@gateway_case("H19", HOOKS, files=EVENTS)
def a_second_turn_is_stopped(host):
    gateway = host.gateway()
    chat = gateway.dm()

    def stop(request):
        chat.says("/stop")
        return interrupt()

    host.llm.script("one", stop, "three")
    for text in ("first", "second", "third"):
        chat.receives(text)
    gateway.stop()
    return list_events(host)


@gateway_case("H19", HOOKS, files=EVENTS)
def another_message_interrupts_a_turn(host):
    return interrupt_turn(host, "something else", then=["about something else"])


@gateway_case("H19", "watch()", releases=["0.20.2", "0.22.2"])
def a_correction_is_stored_in_some_releases(host):
    interrupt_turn(host, "something else", then=["about something else"])
    events = Trace.of(host.events, host=host.kind, release=host.release, scenario="").normalise({}).events
    return [one["arguments"]["conversation_history"] for one in events if one["name"] == "post_llm_call"]


@gateway_case("H19", HOOKS, files=EVENTS, config={"display": {"busy_input_mode": "queue"}})
def a_message_waits_for_its_turn(host):
    gateway = host.gateway()
    chat = gateway.dm()

    def write(request):
        chat.says("second")
        return "one"

    host.llm.script(write, "two")
    chat.receives("first")
    gateway.stop()
    return list_events(host)


@gateway_case("H8", HOOKS)
def each_chat_has_its_own_session(host):
    gateway = host.gateway()
    host.llm.script(*("abcdef"))
    users = [gateway.dm("u1"), gateway.dm("u2"), gateway.group("g", user="u1"), gateway.group("g", user="u2")]
    users += [gateway.group("g", user="u1", thread="t"), gateway.group("g", user="u2", thread="t")]
    sent = [one.receives("hello")[-1].text for one in users]
    started = [one["arguments"]["session_id"] for one in host.events if one["name"] == "on_session_start"]
    asked = [[part["content"] for part in one.messages[1:]] for one in host.llm.requests]
    return sent, len(set(started)), asked


@gateway_case("H12", "watch()\n")
def the_name_of_an_unknown_tool_is_stored_for_later_turns(host):
    host.llm.script(call("absent"), "one", "two")
    write_messages(host, "hello", "again")
    events = [one for one in host.events if one["kind"] == "hook" and one["name"] == "pre_llm_call"]
    return [
        [message["role"], message.get("tool_name"), message.get("name")]
        for message in events[-1]["arguments"]["conversation_history"]
    ]


INTERRUPTED = """
tool("runs", lambda args, **kwargs: "done\\n[Command interrupted]")
"""


@gateway_case("H12", INTERRUPTED, refused="replace the result of an interrupted command in later turns")
def results_of_interrupted_commands_are_replaced_in_later_turns(host):
    host.llm.script(call("runs"), "one", "two")
    return write_messages(host, "hello", "again")


@gateway_case("H12", "watch()\n", refused="expand references in a message")
def file_references_in_a_message_are_expanded(host):
    host.llm.script("one", "two")
    return write_messages(host, "mail me@diffs.org", "see @file:a.txt")


LATE = """
tool("base", lambda args, **kwargs: "base")
made = []
ctx.register_command("late", lambda line: str(made.append(tool("late", lambda args, **kwargs: "late"))))
ctx.register_hook("on_session_start", lambda **kwargs: None)
"""


@gateway_case("D12", LATE)
def the_agent_of_a_chat_is_rebuilt_when_tools_change(host):
    host.llm.script("one", call("late"), "two", "three")
    return write_messages(host, "hello", "/late", "again", "/status", "at last")


NOTED = 'tool("ask", lambda args, **kwargs: "{}")\nctx.register_hook("on_stream_delta", lambda delta, **kwargs: SEEN.append(delta))\n'


@gateway_case("N47", NOTED, config={"agent": {"api_max_retries": 1}})
def the_agent_of_a_chat_is_rebuilt_when_its_user_is_renamed(host):
    host.llm.script(call("ask"), fail(400, "no"), "one", call("ask"), fail(400, "no"), "two")
    gateway = host.gateway()
    for name in ("Ann", "Bo", "Bo", "Bo"):
        gateway.dm("u1", name=name).receives("hello")
    gateway.stop()
    return list_events(host)


ENGINE = """
from agent.context_engine import ContextEngine
todo = {name: (lambda self, *args, **kwargs: None) for name in ContextEngine.__abstractmethods__}
ctx.register_context_engine(type("Mine", (ContextEngine,), {**todo, "name": "mine", "should_compress": lambda *args: False})())
"""


@gateway_case(
    "D12",
    LATE + ENGINE,
    config={"context": {"engine": "mine"}},
    refused="make another agent of a chat whose memory or engine would begin again",
)
def the_engine_of_a_chat_restarts_when_tools_change(host):
    host.llm.script("one", "two")
    return write_messages(host, "hello", "/late", "again")


@gateway_case(
    "D12",
    ENGINE,
    config={"context": {"engine": "mine"}},
    refused="make another agent of a chat whose memory or engine would begin again",
)
def the_engine_of_a_chat_restarts_when_its_user_is_renamed(host):
    host.llm.script("one", "two")
    gateway = host.gateway()
    for name in ("Ann", "Bo"):
        gateway.dm("u1", name=name).receives("hello")
