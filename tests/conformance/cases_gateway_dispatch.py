"""Cases of H10 to H12: authorisation of users, and `pre_gateway_dispatch`."""

from conformance.gateway_cases import gateway_case, hook, list_events, write_messages

COMMANDS = hook(["command:*"])


def deciding_callback(answers: str) -> str:
    """Return a callback of `pre_gateway_dispatch` that looks up its result by the text of the message."""
    return f"ctx.register_hook('pre_gateway_dispatch', lambda event, **kw: ({answers}).get(event.text))\n"


@gateway_case(
    "H12",
    deciding_callback(
        "{'skip': {'action': 'skip', 'reason': 'no'}, 'bare': {'action': 'skip'}, 'allow': {'action': 'allow'}}"
    ),
    adapter="""
        async def on_processing_start(self, event): pass
        async def on_processing_complete(self, event, outcome): pass
    """,
)
def a_message_is_skipped_silently(host):
    host.llm.script("allowed")
    seen = write_messages(host, "skip", "bare", "allow")
    return seen, [one.message for one in host.log if "pre_gateway_dispatch" in one.message]


@gateway_case(
    "H12",
    deciding_callback(
        "{'a': {'action': 'rewrite', 'text': 'A'}, 'b': {'action': 'rewrite', 'text': ''},"
        " 'c': {'action': 'rewrite', 'text': 5}, 'd': {'action': 'rewrite'}, 'e': {'action': 'REWRITE', 'text': 'E'},"
        " 'f': 'skip', 'g': ['skip'], '/h x': {'action': 'rewrite', 'text': 'H'},"
        " 'i': {'action': 'rewrite', 'text': '/seen'}}"
    ),
    adapter="async def on_processing_complete(self, event, outcome): pass",
    files=COMMANDS,
)
def pre_gateway_dispatch_rewrites_messages(host):
    host.llm.script(*("abcdefgh"))
    return write_messages(host, "a", "b", "c", "d", "e", "f", "g", "/h x", "i")


@gateway_case(
    "H12",
    deciding_callback("{'a': {'action': 'nothing'}, 'b': {'action': 'rewrite', 'text': 3}, 'c': {'action': 'allow'}}")
    + deciding_callback(
        "{'a': {'action': 'rewrite', 'text': 'A'}, 'b': {'action': 'skip'}, 'c': {'action': 'skip'}, 'd': {'action': 'skip'}}"
    )
    + "ctx.register_hook('pre_gateway_dispatch', lambda event, **kw: 1 / 0)\n"
    + deciding_callback("{'a': {'action': 'skip'}, 'e': {'action': 'rewrite', 'text': 'E'}}"),
)
def the_first_decision_counts(host):
    host.llm.script(*("ABCE"))
    return write_messages(host, "a", "b", "c", "d", "e")


@gateway_case(
    "H12",
    "ctx.register_hook('pre_gateway_dispatch', lambda event, gateway, session_store, **kw: SEEN.append(["
    "sorted(kw), sorted(p.value for p in gateway.adapters), event.source.user_id, event.is_command(), event.get_command()]))\n"
    "ctx.register_command('mine', lambda arguments: 'mine ' + arguments)\n",
    environment={"GATEWAY_ALLOW_ALL_USERS": "false", "ECHO_ALLOWED_USERS": "u1"},
)
def pre_gateway_dispatch_runs_before_authorisation_and_sees_commands(host):
    gateway = host.gateway()
    gateway.dm("u1").receives("/mine a b")
    gateway.dm("stranger").receives("/mine c")
    return list_events(host), host.command("/seen")


@gateway_case("H10", "watch()", environment={"GATEWAY_ALLOW_ALL_USERS": ""})
def an_unknown_user_receives_a_pairing_code(host):
    gateway = host.gateway()
    gateway.dm("u1").receives("hello")
    gateway.dm("u1").receives("hello again")
    gateway.dm("u2", name="Two").receives("/status")
    gateway.group("g1", user="u3").receives("hello all")
    gateway.stop()
    return list_events(host)


@gateway_case("H10", environment={"GATEWAY_ALLOW_ALL_USERS": "false", "ECHO_ALLOWED_USERS": " u1 ,u2,, "})
def users_on_the_allowlist_can_write(host):
    gateway = host.gateway()
    host.llm.script("one", "two", "me")
    sent = [gateway.dm(user).receives("hello")[-1:] for user in ("u1", "u2", "u3", "u1@host", "U1")]
    return [*sent, gateway.group("g", user="u3").receives("hello")]


@gateway_case("H10", environment={"GATEWAY_ALLOW_ALL_USERS": "true", "ECHO_ALLOWED_USERS": "u1"})
def an_allowlist_takes_precedence_over_allowing_all_users(host):
    gateway = host.gateway()
    return gateway.dm("u2").receives("hello")


@gateway_case(
    "H10", environment={"GATEWAY_ALLOW_ALL_USERS": "", "ECHO_ALLOW_ALL_USERS": "Yes", "ECHO_ALLOWED_USERS": "u1"}
)
def a_platform_can_allow_all_users(host):
    host.llm.script("one")
    return host.gateway().dm("u2").receives("hello")


@gateway_case("H10", environment={"GATEWAY_ALLOW_ALL_USERS": "", "ECHO_ALLOWED_USERS": "*"})
def a_star_on_the_allowlist_allows_all_users(host):
    host.llm.script("one")
    return host.gateway().dm("u2").receives("hello")


@gateway_case("H10", environment={"GATEWAY_ALLOW_ALL_USERS": "", "GATEWAY_ALLOWED_USERS": "u1"})
def one_allowlist_applies_to_all_platforms(host):
    host.llm.script("one")
    gateway = host.gateway()
    return [gateway.dm(user).receives("hello") for user in ("u1", "u2")]


@gateway_case(
    "H10",
    environment={"GATEWAY_ALLOW_ALL_USERS": ""},
    files={"platforms/pairing/echo-approved.json": '{"u1": {"user_name": "One", "approved_at": 1.5}}'},
)
def a_paired_user_can_write(host):
    host.llm.script("one")
    gateway = host.gateway()
    return [gateway.dm(user).receives("hello") for user in ("u1", "u2")]


@gateway_case(
    "H10",
    environment={"GATEWAY_ALLOW_ALL_USERS": ""},
    config={
        "platforms": {
            "echo": {
                "enabled": True,
                "extra": {"allow_from": " u1, u9", "group_allow_from": ["u2"], "group_allowed_chats": "g1"},
            }
        }
    },
)
def settings_of_an_adapter_allow_users(host):
    host.llm.script(*["one"] * 5)
    gateway = host.gateway()
    groups = [gateway.group(chat, user=user).receives("hello") for chat in ("g1", "g2") for user in ("u2", "u3")]
    return [gateway.dm(user).receives("hello")[-1:] for user in ("u1", "u2")], [one[-1:] for one in groups]


@gateway_case(
    "H10",
    environment={"GATEWAY_ALLOW_ALL_USERS": ""},
    adapter="""
        enforces_own_access_policy = True
        _dm_policy = "allowlist"
        def _is_dm_allowed(self, user_id):
            return user_id == "u1"
    """,
)
def an_adapter_decides_with_its_own_allowlist(host):
    host.llm.script("one", "two")
    gateway = host.gateway()
    return [gateway.dm(user).receives("hello")[-1:] for user in ("u1", "u2")]


@gateway_case("H11")
def the_home_channel_is_requested_once_in_a_session(host):
    host.llm.script("one", "two", "three", "four")
    gateway = host.gateway()
    sent = [gateway.dm("u1").receives("a"), gateway.dm("u1").receives("b"), gateway.dm("u2").receives("c")]
    sent += [gateway.dm("u1").receives("/sethome"), gateway.dm("u3").receives("d")]
    return sent


@gateway_case(
    "H11",
    """
    from hermes_cli.config import load_env, read_raw_config
    ctx.register_command("saved", lambda _: repr((load_env(), read_raw_config().get("platforms"))))
    """,
)
def a_chosen_home_channel_is_saved(host):
    gateway = host.gateway()
    sent = [gateway.dm("u1").receives("/sethome")]
    return [*sent, gateway.dm("u1").receives("/saved")]


@gateway_case("H11", environment={"ECHO_HOME_CHANNEL": "c9"})
def the_home_channel_can_be_set_in_the_environment(host):
    host.llm.script("one")
    return host.gateway().dm("u1").receives("a")


ADMITTED = """
    answers = {
        "handled": {"action": "handled"}, "reply": {"action": "handled", "reply": "done"}, "blank": {"action": "handled", "reply": " "},
        "number": {"action": "handled", "reply": 5}, "other": {"action": "HANDLED"}, "list": ["handled"],
    }
    def admit(text, **kw):
        SEEN.append([text, sorted(kw), kw["session_key"], kw["platform"], kw["source"]["user_id"], kw["message_id"]])
        return answers.get(text)
    ctx.register_hook("post_gateway_admission", admit)
"""


@gateway_case(
    "N56",
    ADMITTED,
    config={"plugins": {"hook_callback_timeout": 0}},
    files=hook(["session:start", "agent:start"]),
    releases=["0.20.2", "0.22.2"],
)
def plugins_handle_messages_before_the_agent(host):
    host.llm.script(*("abcd"))
    gateway = host.gateway()
    chat = gateway.dm()
    texts = (
        "handled",
        "reply",
        "blank",
        "number",
        "/seen",
        *(["other", "list"] if host.release == "0.22.2" else []),
    )
    sent = [[one.text for one in chat.receives(text)] for text in texts]
    gateway.stop()
    return sent, [one["arguments"]["event_type"] for one in host.events if one["kind"] == "gateway_hook"]
