"""Cases of F9 and H19: slash commands in a gateway, and decisions of event hooks about them."""

from contextlib import suppress

from conformance.gateway_cases import gateway_case, hook, write_messages

from hermes_sdk.hosts.interface import NotSupported

COMMANDS = hook(["command:*"])


def deciding_hook(answers):
    """Return the files of an event hook that looks up its result by the name of the command."""
    return hook(["command:*"], f"return {answers!r}.get(context['command'])")


@gateway_case(
    "F9",
    """
    async def later(arguments):
        await asyncio.sleep(0)
        return "later " + arguments
    def broken(arguments): raise ValueError("boom")
    ctx.register_command("shout", lambda arguments: arguments.upper())
    ctx.register_command("under_score", lambda arguments: "under_score")
    ctx.register_command("da-sh", lambda arguments: "da-sh " + arguments)
    ctx.register_command("later", later)
    ctx.register_command("quiet", lambda arguments: None)
    ctx.register_command("empty", lambda arguments: "")
    ctx.register_command("number", lambda arguments: 5)
    ctx.register_command("broken", broken)
    """,
    files=COMMANDS,
)
def plugin_commands_run_in_a_chat(host):
    host.llm.script("a slash")
    lines = ("/shout  a  b ", "/SHOUT x", "/shout@bot y", "/da_sh z", "/da-sh z", "/under_score", "/under-score")
    return write_messages(
        host, *lines, "/later x", "/quiet", "/empty", "/number", "/broken x", "/nothing a", "/shouts", "/"
    )


SPELLED = ("da-sh", "under_score")


@gateway_case("F9", f"for name in {SPELLED}: ctx.register_command(name, lambda text, name=name: name)\n")
def a_command_with_an_underscore_runs_in_the_cli_only(host):
    in_the_cli = [name for name in SPELLED if host.command(f"/{name}") == name]
    gateway = host.gateway()
    chat = gateway.dm("u1")
    in_a_chat = [name for name in SPELLED if [one.text for one in chat.receives(f"/{name}")] == [name]]
    gateway.stop()
    return {"CLI": in_the_cli, "chat": in_a_chat}


@gateway_case("F9", "ctx.register_command('shout', lambda arguments: arguments.upper(), description='Shout')\n")
def help_lists_the_built_in_commands(host):
    return write_messages(host, "/help", "/help shout", "/HELP@bot")


@gateway_case("F9")
def commands_are_listed_in_pages(host):
    return write_messages(host, "/commands", "/commands 2", "/commands 99", "/commands 0", "/commands x")


@gateway_case(
    "F9",
    files={"skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine\n---\nDo it.\n"},
    refused="list the skills of the home in a chat",
)
def help_lists_the_skills_of_the_home(host):
    host.gateway().dm().receives("/help")


BLOCKING = """
    watch(pre_command={"action": "block", "message": "no"})
    ctx.register_command("shout", lambda arguments: arguments.upper())
"""


@gateway_case("N52", BLOCKING, files=COMMANDS)
def built_in_commands_are_observed(host):
    # Other cases compare the replies.
    return [
        one
        for one in write_messages(host, "/whoami  now ", "/WHOAMI@bot", "/nothing a")["gateway"]
        if one[0] != "adapter"
    ]


@gateway_case("N52", BLOCKING, files=COMMANDS, releases=["0.20.2", "0.22.2"])
def plugin_commands_are_observed(host):
    return write_messages(host, "/shout  a  b ", "/SHOUT@bot x")


@gateway_case(
    "H19",
    """
    for name in ("one", "two", "three", "four", "five", "six", "seven"):
        ctx.register_command(name, lambda arguments, name=name: f"{name} {arguments}")
    """,
    files=deciding_hook(
        {
            "one": {"decision": "deny", "message": "not you"},
            "two": {"decision": "deny"},
            "three": {"decision": "handled", "message": "done"},
            "four": {"decision": "handled"},
            "five": {"decision": "rewrite", "command_name": "six", "raw_args": "other"},
            "six": {"decision": "allow"},
            "seven": {"decision": "nonsense", "message": "x"},
        }
    ),
)
def hooks_deny_handle_or_rewrite_commands(host):
    return write_messages(host, "/one a", "/two", "/three", "/four", "/five x y", "/six b", "/seven c")


@gateway_case(
    "H19",
    "for name in 'abcdef': ctx.register_command(name, lambda arguments, name=name: f'{name} {arguments}')\n",
    files={
        **hook(
            ["command:a", "command:b", "command:f"],
            "return {'a': {'decision': 'allow'}, 'b': {'decision': 'nonsense'}, 'f': {'decision': 'rewrite', 'command_name': 'nothing'}}.get(context['command'])",
            name="first",
        ),
        **hook(
            ["command:*"],
            """
            if context["command"] == "c": raise ValueError("boom")
            return {
                'a': {'decision': 'deny', 'message': 'second'},
                'b': {'decision': 'deny', 'message': 'second'},
                'd': 'deny',
                'e': {'decision': 'rewrite', 'command_name': '/A', 'raw_args': 5},
            }.get(context['command'])
            """,
            name="second",
        ),
    },
)
def decisions_of_several_hooks_are_resolved(host):
    return write_messages(host, "/a x", "/b x", "/c x", "/d x", "/e x", "/f x")


@gateway_case("H19", files=COMMANDS)
def built_in_commands_fire_events(host):
    gateway = host.gateway()
    chat = gateway.dm()
    for line in (
        "/help",
        "/commands",
        "/status",
        "/sethome",
        "/whoami",
        "/stop",
        "/resume",
        "/start",
        "/plugins",
        "/reset",
    ):
        # The embedded host does not support some replies, but hooks receive the events.
        with suppress(NotSupported):
            chat.receives(line)
    return [event["arguments"] for event in host.events if event["kind"] == "gateway_hook"]


@gateway_case(
    "H19",
    "ctx.register_command('mine', lambda arguments: 'mine ' + arguments)\n",
    files=deciding_hook(
        {
            "new": {"decision": "deny", "message": "stay"},
            "status": {"decision": "rewrite", "command_name": "mine", "raw_args": "b"},
        }
    ),
)
def hooks_can_deny_and_rewrite_built_in_commands(host):
    return write_messages(host, "/new", "/status a")


@gateway_case(
    "F15",
    "ctx.register_command('inject', lambda arguments: repr([ctx.inject_message('a'), ctx.inject_message('b', role='system')]))\n",
)
def messages_cannot_be_injected_by_a_command(host):
    sent = host.gateway().dm().receives("/inject")
    return [one.text for one in sent], [f"{one.level} {one.message}" for one in host.log if "inject" in one.message]


@gateway_case(
    "F13",
    """
    tool("ask", lambda args, **kw: json.dumps({"args": args, "kw": sorted(kw)}))
    ctx.register_command("dispatch", lambda arguments: ctx.dispatch_tool("ask", {"a": 1}))
    ctx.register_command("who", lambda arguments: repr(getattr(ctx, "profile_name", None)))
    """,
)
def commands_can_dispatch_tools_in_a_chat(host):
    chat = host.gateway().dm()
    return [[one.text for one in chat.receives(line)] for line in ("/dispatch", "/who")]


@gateway_case("F9")
def status_describes_the_session(host):
    host.llm.script("a reply")
    return write_messages(host, "/status", "hello", "/status")


@gateway_case("F9")
def undo_asks_for_confirmation(host):
    host.llm.script("a reply")
    return write_messages(host, "hello", "/undo", "/cancel", "/undo")


@gateway_case(
    "F9",
    config={"quick_commands": {"up": {"type": "exec", "command": "uptime"}}},
    refused="run quick commands of the configuration in a chat",
)
def quick_commands_of_the_user_run(host):
    return write_messages(host, "/up")
