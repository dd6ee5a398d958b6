"""Cases of registration handles and how they undo registrations (N38, N43 to N45; since 0.20.1)."""

from textwrap import dedent

from conformance.case import case, plugin
from conformance.recorder import read_notes, recorder

HELPERS = """
    from pathlib import Path
    skill = Path(__file__).with_name("SKILL.md")
    def told(handle):
        if handle is None: return None
        shown = [type(handle).__name__, handle.kind, handle.key, handle.plugin_key, handle.active]
        return [*shown, getattr(handle, "persistent", "lacking")]
    def keep(handle): SEEN.append(told(handle)); return handle
"""
ALL = """
    made = [
        keep(ctx.register_tool("t", "set", {"parameters": ANY}, echo)),
        keep(ctx.register_hook("pre_llm_call", lambda **kwargs: "called")),
        keep(ctx.register_hook("bogus", lambda **kwargs: "called")),
        keep(ctx.register_middleware("tool_request", lambda **kwargs: {"args": {"n": 2}})),
        keep(ctx.register_command("/My Command", lambda text: "said")),
        keep(ctx.register_cli_command("mine", "help", lambda parser: None)),
        keep(ctx.register_skill("howto", skill)),
        keep(ctx.register_platform("echo", "Echo", lambda config: None, lambda: True)),
        keep(ctx.register_auxiliary_task("task", display_name="", description="")),
        keep(ctx.register_slack_action_handler("approve", echo)),
    ]
"""
NOTHING = """
    keep(ctx.register_command(" ", str))
    keep(ctx.register_command("new", str))
    keep(ctx.register_context_engine(object()))
    keep(ctx.register_web_search_provider(object()))
"""


def handle_plugin(*bodies, key="p"):
    """Return the files of a plugin with these bodies of ``register``; ``keep`` records a handle."""
    return {
        **plugin(recorder(dedent(HELPERS) + dedent("".join(bodies))), name=key),
        "SKILL.md": "---\nname: howto\n---\nHow.\n",
    }


@case("N43", plugins={"p": handle_plugin(ALL)}, enable=["p"])
def a_registration_returns_a_handle(host):
    return read_notes(host)


@case("N44", plugins={"p": handle_plugin(NOTHING)}, enable=["p"])
def rejected_registrations_return_none(host):
    return read_notes(host)


@case(
    "N43",
    plugins={"p": handle_plugin(ALL, "for one in filter(None, made): one.dispose(); one.dispose(); keep(one)\n")},
    enable=["p"],
)
def a_handle_undoes_its_registration(host):
    seen = [host.call_tool("t").text, host.fire("pre_llm_call"), host.commands, host.cli_commands, host.skills]
    return [*seen, sorted(host.hooks)]


@case(
    "N43",
    plugins={
        "p": handle_plugin(
            "held = [keep(ctx.register_hook('pre_llm_call', lambda n=n, **kwargs: n)) for n in range(3)]\n",
            "ctx.register_command('drop', lambda n: str(held[int(n)] and held[int(n)].dispose()))\n",
        )
    },
    enable=["p"],
)
def a_handle_undoes_its_registration_later(host):
    fired = [host.fire("pre_llm_call")]
    for number in "102":
        host.command(f"/drop {number}")
        fired.append(host.fire("pre_llm_call"))
    return fired


TWICE = """
    held = [
        keep(ctx.register_command("c", lambda text, n=n: str(n))) for n in range(3)
    ]
    ctx.register_command("drop", lambda n: str(held[int(n)] and held[int(n)].dispose()))
"""


@case("N45", plugins={"p": handle_plugin(TWICE)}, enable=["p"])
def undoing_a_registration_restores_the_replaced_one(host):
    answers = [host.command("/c")]
    for number in "12":
        host.command(f"/drop {number}")
        answers.append(host.command("/c"))
    return answers


@case(
    "N45",
    plugins={
        "a": handle_plugin("held = keep(ctx.register_tool('t', 'set', {}, lambda a, **k: 'a'))\n", key="a"),
        "b": handle_plugin(
            "held = keep(ctx.register_tool('t', 'set', {}, lambda a, **k: 'b'))\n",
            "ctx.register_command('drop', lambda text: str(held and held.dispose()))\n",
            key="b",
        ),
    },
    enable=["a", "b"],
)
def undoing_a_registration_restores_the_tool_of_another_plugin(host):
    before = host.call_tool("t").text
    host.command("/drop")
    return [before, host.call_tool("t").text]


@case(
    "N38",
    plugins={
        "p": handle_plugin(
            "def say(text):\n",
            "    with Path(__file__).with_name('unloaded').open('a') as file: file.write(text)\n",
            "def last(): say('last ')\n",
            "def bad(): say('bad '); raise ValueError('no')\n",
            "for one in (lambda: say('first '), bad, last): keep(ctx.on_unload(one))\n",
            "failed(ctx.on_unload, 5)\n",
        )
    },
    enable=["p"],
    releases=["0.20.2", "0.22.2"],
)
def callbacks_run_when_the_plugin_is_unloaded(host):
    host.rescan()
    return [read_notes(host), (host.home / "plugins" / "p" / "unloaded").read_text()]


@case(
    "N38",
    one="""
        def register(ctx):
            ctx.register_hook("pre_llm_call", lambda **kwargs: "called")
            ctx.on_unload(lambda: 1 / 0)
            raise ValueError("late")
    """,
    releases=["0.20.2", "0.22.2"],
)
def callbacks_run_when_register_raises(host):
    return host.fire("pre_llm_call")


SIGN_IN = """
    from pathlib import Path
    def register(ctx):
        from hermes_cli.dashboard_auth import DashboardAuthProvider
        todo = {name: (lambda self, **k: None) for name in DashboardAuthProvider.__abstractmethods__}
        made = type("Mine", (DashboardAuthProvider,), {**todo, "name": "mine", "display_name": "Mine"})
        if not Path(__file__).with_name("gone").exists():
            handle = ctx.register_dashboard_auth_provider(made())
            told = [handle.kind, handle.key, getattr(handle, "persistent", "lacking")] if handle else None
            ctx.register_command("told", lambda text: repr(told))
"""


@case("N43", plugins={"p": plugin(SIGN_IN, name="p")}, enable=["p"], releases=["0.20.2", "0.22.2"])
def a_sign_in_provider_survives_a_rescan_in_some_releases(host):
    told = [host.command("/told")]
    host.rescan()
    return [*told, host.command("/told")]


@case("N43", plugins={"p": plugin(SIGN_IN, name="p")}, enable=["p"], releases=["0.20.2", "0.22.2"])
def a_sign_in_provider_is_removed_with_its_plugin_in_some_releases(host):
    (host.home / "plugins" / "p" / "gone").touch()
    host.rescan()
    return host.report("p")["providers"]["dashboard_auth"]
