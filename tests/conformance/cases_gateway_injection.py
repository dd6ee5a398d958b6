"""Cases of N40, N41 and N81: messages that plugins inject into chats of a gateway."""

from conformance.case import case, plugin
from conformance.gateway_cases import gateway_case, hook, list_events

from hermes_sdk.llm import say

INJECT = """
import ast
ctx.register_command('inject', lambda line: repr(ctx.inject_message(**ast.literal_eval(line))))
for name in ('pre_gateway_dispatch', 'post_gateway_admission', 'on_session_start'):
    ctx.register_hook(name, lambda **kw: None)
"""
GRANTED = {"plugins": {"entries": {"p": {"allow_gateway_injection": True}}}}
WATCHED = hook(["session:*", "agent:*", "command:*"])
KEY = "agent:main:echo:dm:u1"
RELEASES = ["0.20.2", "0.22.2"]
NEWEST = ["0.22.2"]


def inject_message(host, *, sent, **arguments):
    """Return the events when a user makes the plugin inject a message into the chat of another, which receives `sent`."""
    host.llm.script(say("one"), say("two"), say("three"))
    gateway = host.gateway()
    first, second = gateway.dm("u1"), gateway.dm("u2")
    first.receives("hello")
    before = len(first.sent)
    answer = [one.text for one in second.receives(f"/inject {arguments!r}")]
    if sent:
        gateway.wait_for("u1", before, sent, 30)
        gateway.settle()
    asked = [[one["content"] for one in request.messages[1:]] for request in host.llm.requests]
    gateway.stop()
    # The chats are served concurrently, so the answer to `/inject` and the hooks of the injected turn have no order.
    fired = [
        [event["kind"], event["name"], event["arguments"].get("event_type")]
        for event in host.events
        if event["kind"] in ("hook", "gateway_hook")
    ]
    delivered = [[message.text for message in chat.sent] for chat in (first, second)]
    return answer, asked, fired, delivered, list_events(host)["logged"]


@gateway_case("N40", INJECT, config=GRANTED, files=WATCHED, releases=RELEASES)
def a_message_is_injected_into_a_session(host):
    return inject_message(host, sent="two", content="/new", session_key=KEY)


@gateway_case("N40", INJECT, config=GRANTED, files=WATCHED, releases=RELEASES)
def a_message_is_injected_with_another_role(host):
    return inject_message(host, sent="two", content="a", role="system", session_key=KEY)


@gateway_case("N40", INJECT, config=GRANTED, releases=RELEASES)
def a_message_for_an_unknown_session_is_rejected(host):
    return inject_message(host, sent="", content="a", session_key="agent:main:echo:dm:other")


@gateway_case("N40", INJECT, releases=RELEASES)
def a_plugin_without_a_grant_cannot_inject_a_message(host):
    return inject_message(host, sent="", content="a", session_key=KEY)


@gateway_case("N41", INJECT, config=GRANTED, files=WATCHED, releases=NEWEST)
def a_message_is_injected_into_a_chat_by_its_origin(host):
    return inject_message(host, sent="two", content="a", origin={"platform": "echo", "chat_id": "u1", "user_id": "u1"})


@gateway_case("N41", INJECT, config=GRANTED, releases=NEWEST)
def a_message_for_a_disconnected_platform_is_rejected(host):
    return inject_message(host, sent="", content="a", origin={"platform": "telegram", "chat_id": "u1", "user_id": "u1"})


@gateway_case("N41", INJECT, config=GRANTED, releases=NEWEST)
def an_incomplete_origin_is_rejected(host):
    return inject_message(host, sent="", content="a", origin={"chat_id": "u1"})


TRIES = """
def register(ctx):
    def inject(line):
        return repr([ctx.inject_message("a", **{name: value}) for name, value in TARGETS])
    ctx.register_command("inject", inject)
"""


@case(
    "N40",
    plugins={
        "p": plugin(f"TARGETS = [('role', 'user'), ('session_key', ''), ('session_key', {KEY!r})]\n" + TRIES, name="p")
    },
    enable=["p"],
    config={"plugins": {"entries": {"p": {"allow_gateway_injection": 1}}}},
    releases=RELEASES,
)
def only_true_grants_injection(host):
    return host.command("/inject")


@case(
    "N40",
    plugins={"p": plugin(f"TARGETS = [('session_key', {KEY!r})]\n" + TRIES, name="p")},
    enable=["p"],
    config=GRANTED,
    releases=RELEASES,
)
def messages_are_not_injected_without_a_gateway(host):
    return host.command("/inject")


@case(
    "N41",
    plugins={"p": plugin("TARGETS = [('origin', 'u1'), ('origin', {})]\n" + TRIES, name="p")},
    enable=["p"],
    config=GRANTED,
    releases=NEWEST,
)
def an_origin_must_be_a_mapping(host):
    return host.command("/inject")
