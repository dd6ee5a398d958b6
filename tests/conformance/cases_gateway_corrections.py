"""Cases of H19: messages that correct the current turn of a chat, and commands that stop it."""

from conformance.gateway_cases import gateway_case, list_events

from hermes_sdk.llm import call, interrupt, say

NOTING = """
def note(name):
    def callback(**given):
        history = [[m["role"], m.get("content"), m.get("api_content")] for m in given.get("conversation_history", ())]
        SEEN.append([name, given.get("user_message"), history, given.get("completed"), given.get("interrupted")])
    ctx.register_hook(name, callback)
for name in ("pre_llm_call", "post_llm_call", "on_session_end", "pre_api_request"):
    note(name)
ctx.register_tool("slow", "set", {"name": "slow", "description": "d", "parameters": {"type": "object"}}, lambda args, **kw: " done ")
"""


def correct_turn(host, *steps, chat=None, after=("after",), begin="begin"):
    """Run a turn in which chats send texts during requests, and return the events."""
    gateway = host.gateway()
    first = gateway.dm() if chat is None else chat(gateway)

    def during(texts):
        def write(request):
            for text in texts:
                sender, said = text if isinstance(text, tuple) else (first, text)
                (sender(gateway) if callable(sender) else sender).says(said)
            return interrupt()

        return write

    host.llm.script(*(during(step) if isinstance(step, list) else step for step in steps), *[say("more")] * len(after))
    first.receives(begin)
    for text in after:
        first.receives(text)
    gateway.stop()
    return list_events(host)


@gateway_case("H19", NOTING)
def hooks_receive_the_message_with_its_correction(host):
    return correct_turn(host, ["instead this"], say("redirected"))


@gateway_case("H19", NOTING)
def a_turn_is_corrected_twice(host):
    return correct_turn(host, ["one"], ["two"], say("redirected"))


@gateway_case("H19", NOTING, since="0.20.2")
def a_turn_is_corrected_after_a_tool_call(host):
    return correct_turn(host, call("slow"), ["instead this"], call("slow"), say("redirected"))


@gateway_case("N47", 'ctx.register_hook("on_stream_delta", lambda delta, **kwargs: SEEN.append(delta))')
def the_text_after_a_correction_starts_a_paragraph(host):
    return correct_turn(host, ["instead this"], say("redirected"))


@gateway_case("H19", NOTING, config={"group_sessions_per_user": False})
def another_user_corrects_a_turn_of_a_shared_session(host):
    return correct_turn(
        host,
        [(lambda gateway: gateway.group("g", user="u2", name="Bo"), "instead this")],
        say("redirected"),
        say("spare"),
        chat=lambda gateway: gateway.group("g", user="u1", name="Al"),
    )


@gateway_case("H19", NOTING)
def a_turn_in_a_thread_is_corrected(host):
    return correct_turn(
        host,
        ["instead this"],
        say("redirected"),
        chat=lambda gateway: gateway.group("g", user="u1", name="Al", thread="t"),
    )


@gateway_case("H19", NOTING)
def a_corrected_turn_is_stopped(host):
    return correct_turn(host, ["instead this"], ["/stop"], after=("after",))


@gateway_case("H19", NOTING)
def a_turn_with_a_tool_call_is_stopped(host):
    return correct_turn(host, call("slow"), ["/stop"], after=("after", "again"))


@gateway_case("H19", NOTING)
def a_new_session_begins_after_a_tool_call(host):
    return correct_turn(host, call("slow"), ["/new"], after=("after",))


@gateway_case("H19", NOTING, since="0.20.2")
def a_turn_is_corrected_with_surrounding_spaces(host):
    return correct_turn(host, ["  padded [x] \\n two  "], say("redirected"), begin="  begin  ")


@gateway_case("H19", NOTING)
def a_turn_is_corrected_after_a_stopped_turn(host):
    gateway = host.gateway()
    chat = gateway.dm()

    def says(text):
        def write(request):
            chat.says(text)
            return interrupt()

        return write

    host.llm.script(call("slow"), says("/stop"), say("after stop"), says("instead"), say("redirected"))
    for text in ("start", "and now", "more"):
        chat.receives(text)
    gateway.stop()
    return list_events(host)


@gateway_case("H19", NOTING, config={"display": {"busy_input_mode": "queue"}})
def a_message_waits_behind_a_tool_call(host):
    gateway = host.gateway()
    chat = gateway.dm()

    def write(request):
        chat.says("  second  ")
        return " one "

    host.llm.script(call("slow"), write, "two", "three")
    chat.receives("  first  ")
    chat.receives(" third ")
    gateway.stop()
    return list_events(host)


@gateway_case("H19", NOTING, config={"group_sessions_per_user": False})
def users_share_a_session(host):
    gateway = host.gateway()
    host.llm.script("one", "two", "three")
    for user in ("u1", "u2", "u1"):
        gateway.group("g", user=user, name=user.upper()).receives("hi")
    gateway.stop()
    return list_events(host)
