"""Cases of section F: slash commands (F6 to F10)."""

from conformance.case import case, plugin


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
def names_of_commands_are_cleaned_and_clashes_settled(host):
    return [host.command(line) for line in ("/shared", "/spaced-name", "/object", "/x")]


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
def a_command_gets_its_arguments_as_typed(host):
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
    return [host.command(line) for line in lines]
