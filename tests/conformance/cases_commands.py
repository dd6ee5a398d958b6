"""Cases of section F: slash commands (F6 to F10)."""

import asyncio

from conformance.attempts import attempt
from conformance.case import case, plugin

from hermes_sdk.hosts.interface import HostExited


@case(
    "F6",
    plugins={
        "a": plugin(
            "def register(ctx):\n"
            "    for name in ('/Spaced Name ', '', '  ', 'help', 'New', 'q', 'with_under', '//x'):\n"
            "        ctx.register_command(name, lambda a: 'first')\n"
            "    ctx.register_command('shared', lambda a: 'first')\n"
            "    ctx.register_command('object', 5)\n",
            name="a",
        ),
        "b": plugin("def register(ctx): ctx.register_command('shared', lambda a: 'second')\n", name="b"),
    },
    enable=["a", "b"],
)
def command_names_are_normalised_and_clashes_resolved(host):
    return [host._command(line) for line in ("/shared", "/spaced-name", "/object", "/x")]


@case(
    "F7",
    one="""
            async def later(arguments): return f"later {arguments}"
            def bad(arguments): raise ValueError("no")
            def prints(arguments): print("printed"); return "returned"
            def register(ctx):
                ctx.register_command("echo2", lambda arguments: repr(arguments))
                ctx.register_command("number", lambda arguments: 7)
                ctx.register_command("zero", lambda arguments: 0)
                ctx.register_command("none", lambda arguments: None)
                ctx.register_command("later", later)
                ctx.register_command("bad", bad)
                ctx.register_command("prints", prints)
            """,
)
def a_command_receives_its_arguments_as_typed(host):
    lines = (
        "/echo2  a  B ",
        "/ECHO2",
        "/number",
        "/zero",
        "/none",
        "/later x",
        "/bad",
        "/prints",
        "/unknown",
        "echo2 x",
    )
    return [host._command(line) for line in lines]


@case(
    "F6",
    plugins={
        "p": attempt(
            "ctx.register_command(None, str)",
            "ctx.register_command(5, str)",
            "ctx.register_command('hint', str, args_hint=5)",
            "ctx.register_command('none', str, description=None, args_hint=None)",
            "ctx.register_command('object', None)",
            "ctx.register_command('tab\\tname', lambda a: 'tab')",
            "ctx.register_command('a/b', lambda a: 'slash')",
            "ctx.register_command('ÄÖ', lambda a: 'letters')",
        )
    },
    enable=["p"],
)
def odd_command_names_and_hints_are_accepted_or_raise(host):
    return [host._command(line) for line in ("/raised", "/a/b", "/äö", "/ÄÖ", "/none x", "/hint x")]


@case(
    "F6",
    one="""
            ALIASES = ["h", "exit", "reload_mcp", "reload-mcp", "sb", "set-home", "sethome", "gateway", "platforms"]
            def register(ctx):
                for name in ("model", "MODEL", "/tools", "plugins", "skills", "stop", "reset", *ALIASES):
                    ctx.register_command(name, lambda a: "mine")
            """,
)
def names_and_aliases_of_built_in_commands_are_reserved(host):
    return [host._command(f"/{name}") for name in ("model", "tools", "plugins", "reset")]


@case(
    "F6",
    plugins={
        name: plugin(f"def register(ctx): ctx.register_command('same', lambda a: {name!r})\n", name=name)
        for name in "ab"
    },
    enable=["b", "a"],
)
def the_later_plugin_wins_a_shared_command(host):
    return host.command("/same")


@case(
    "F7",
    one="""
            def register(ctx):
                ctx.register_command("tell", lambda arguments: arguments)
            """,
)
def command_lines_are_parsed(host):
    lines = (
        "/tell",
        "/tell ",
        "/tell a\n b",
        "/tell\ta",
        " /tell a ",
        "//tell a",
        "/ tell a",
        "/tell  a   b  ",
        "/TELL A",
        "/tell /tell",
        "/tell 0",
        "/",
        "",
    )
    return [host._command(line) for line in lines]


@case(
    "F7",
    one="""
            class Odd:
                def __str__(self): raise RuntimeError("no text")
            class Falsy:
                def __bool__(self): return False
            class Wait:
                def __await__(self):
                    return "waited"
                    yield
            def register(ctx):
                results = {"list": [1, "a"], "empty": [], "mapping": {"a": 1}, "bytes": b"x", "false": False, "true": True,
                           "text": "two\\nlines\\n", "blank": " ", "odd": Odd(), "falsy": Falsy(), "wait": Wait()}
                for name, result in results.items():
                    ctx.register_command(name, lambda arguments, result=result: result)
                ctx.register_command("noarguments", lambda: "x")
                ctx.register_command("two", lambda a, b: "x")
                ctx.register_command("nothing", None)
            """,
)
def return_values_of_commands_are_printed(host):
    names = ("list", "empty", "mapping", "bytes", "false", "true", "text", "blank", "odd", "falsy", "wait")
    return {name: host.command(f"/{name} x") for name in (*names, "noarguments", "two", "nothing")}


ASYNC = """
    import asyncio
    async def later(arguments):
        await asyncio.sleep(0)
        return f"{arguments} {asyncio.get_running_loop().is_running()}"
    async def bad(arguments): raise ValueError("late")
    async def empty(arguments): return ""
    def register(ctx):
        for handler in (later, bad, empty):
            ctx.register_command(handler.__name__, handler)
"""


@case("F7", one=ASYNC)
def async_command_handlers_are_awaited(host):
    return [host.command(f"/{name} x") for name in ("later", "bad", "empty")]


@case("F7", one=ASYNC)
def async_command_handlers_are_awaited_in_a_running_loop(host):
    async def within():
        return [host.command(f"/{name} x") for name in ("later", "bad", "empty")]

    return asyncio.run(within())


@case(
    "F7",
    one="import sys\ndef register(ctx): ctx.register_command('leave', lambda a: sys.exit(3))\n",
    ends=HostExited,
)
def a_command_that_exits_ends_the_host(host):
    return host.command("/leave")


@case(
    "F7",
    one="async def leave(arguments): raise SystemExit(4)\ndef register(ctx): ctx.register_command('leave', leave)\n",
    ends=HostExited,
)
def an_async_command_that_exits_ends_the_host(host):
    return host.command("/leave")
