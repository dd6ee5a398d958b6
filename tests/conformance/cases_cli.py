"""Cases of section F: CLI commands (F11 to F13)."""

from conformance.attempts import attempt
from conformance.case import case, plugin

CLI = """
    import sys
    def setup(parser):
        parser.add_argument("--n", type=int, default=1)
        parser.add_argument("what", nargs="?")
    def handler(args):
        print(type(args).__name__, args.command, args.n, args.what, args.func.__name__)
        if args.what == "raise": raise ValueError("no")
        if args.what == "exit": sys.exit(4)
        return 9
    def register(ctx):
        ctx.register_cli_command("notes", "Help", setup, handler, "Description")
        ctx.register_cli_command("silent", "Help", lambda parser: None)
"""


@case("F11", one=CLI)
def a_cli_command_receives_a_namespace(host):
    results = [host.cli(*argv) for argv in (("notes", "--n", "3", "x"), ("notes", "raise"), ("notes", "exit"))]
    errors = [result.stderr.strip().splitlines()[-1:] for result in results]
    return [[result.exit_code, result.stdout] for result in results] + errors


@case(
    "F11",
    one="def register(ctx):\n    ctx.register_cli_command('n', '', lambda p: None, lambda args: print(sorted(vars(args))))\n",
    known="The real namespace also holds the global options of the program `hermes`, which the model does not have.",
)
def the_namespace_includes_the_global_options(host):
    return host.cli("n").stdout


@case("F11", one=CLI)
def invalid_arguments_of_a_cli_command_exit_with_status_2(host):
    result = host.cli("notes", "--n", "x")
    return [result.exit_code, result.stdout, result.stderr.strip().splitlines()[-1]]


@case(
    "F12",
    one="def bad(parser): raise ValueError('no')\n"
    "def register(ctx):\n"
    "    ctx.register_cli_command('early', '', lambda p: None, lambda a: print('early'))\n"
    "    ctx.register_cli_command('broken', '', bad, lambda a: print('broken'))\n"
    "    ctx.register_cli_command('late', '', lambda p: None, lambda a: print('late'))\n",
)
def a_setup_that_raises_removes_the_commands_after_it(host):
    results = [host.cli(name) for name in ("early", "broken", "late")]
    return [[result.exit_code, result.stdout.partition(" ")[0]] for result in results]


@case("F11", one=CLI)
def a_cli_command_without_a_handler_shows_the_help_of_hermes(host):
    result = host.cli("silent")
    return [result.exit_code, result.stdout.split()[:2], result.stderr]


@case("F11", one=CLI)
def a_cli_command_has_its_own_help(host):
    result = host.cli("notes", "--help")
    return [result.exit_code, result.stdout, result.stderr]


@case(
    "F11",
    one="""
        import sys
        async def later(args): print("never")
        def setup(parser):
            actions = parser.add_subparsers(dest="action", required=True)
            actions.add_parser("text").set_defaults(func=lambda args: sys.exit("a text"))
            actions.add_parser("none").set_defaults(func=lambda args: sys.exit())
            actions.add_parser("later").set_defaults(func=later)
            actions.add_parser("own").set_defaults(func=lambda args: print(args.command, args.action))
        def register(ctx):
            ctx.register_cli_command("notes", "Help", setup)
    """,
)
def a_cli_command_can_have_subcommands(host):
    results = {name: host.cli("notes", name) for name in ("text", "none", "own")}
    return {name: [one.exit_code, one.stdout, one.stderr] for name, one in results.items()}


@case(
    "F11",
    one="""
        async def later(args): print("never")
        async def setup(parser): parser.add_argument("--never")
        def register(ctx):
            ctx.register_cli_command("later", "Help", lambda parser: None, later)
            ctx.register_cli_command("bare", "Help", setup, lambda args: print(sorted(vars(args).keys() & {"never"})))
    """,
)
def async_functions_of_a_cli_command_are_not_awaited(host):
    results = {name: host.cli(name) for name in ("later", "bare")}
    return {name: [one.exit_code, one.stdout] for name, one in results.items()}


@case(
    "F11",
    plugins={
        name: plugin(
            f"def register(ctx): ctx.register_cli_command('same', '', lambda p: None, lambda a: print({name!r}))\n",
            name=name,
        )
        for name in "ab"
    },
    enable=["b", "a"],
)
def the_later_plugin_wins_a_shared_cli_command(host):
    return host.cli("same").stdout


NESTED = """
def set_up(parser):
    commands = parser.add_subparsers(dest="action")
    for name in ("list", "lint", "remove"): commands.add_parser(name)
    parser.add_argument("--level", choices=["high", "low"])

def register(ctx):
    ctx.register_cli_command("notebook", "", set_up, lambda arguments: print(arguments.action))
"""


@case("F12", one=NESTED)
def unknown_subcommands_are_reported_in_some_releases(host):
    return [host.cli("notebook", *line.split()) for line in ("list", "lits", "zzz", "--level hi list")]


@case("F12", one=NESTED, since="0.22.2")
def unknown_cli_commands_are_answered_with_suggestions(host):
    return [host.cli(name) for name in ("notebok", "zzzzz")]


@case("F11", one=CLI)
def an_unknown_cli_command_exits_with_status_2(host):
    result = host.cli("nothing-such")
    return [result.exit_code, result.stdout, result.stderr.splitlines()[-1]]


@case(
    "F11",
    plugins={
        "p": attempt(
            "ctx.register_cli_command('x')",
            "ctx.register_cli_command('x', 'help')",
            "ctx.register_cli_command('x', 'help', None)",
            "ctx.register_cli_command(None, 'help', None)",
        )
    },
    enable=["p"],
)
def cli_commands_are_not_validated_at_registration(host):
    return host.command("/raised")


def _command(name):
    return f"    ctx.register_cli_command({name!r}, '', lambda p: None, lambda a: print({name!r}))\n"


@case(
    "F12",
    one=f"def register(ctx):\n{_command('early')}{_command('checkpoints')}{_command('late')}",
)
def a_clash_with_a_command_of_hermes_removes_the_commands_after_it(host):
    return [host.cli(name).exit_code for name in ("early", "late")]


@case(
    "F12",
    one=f"def register(ctx):\n{_command('early')}{_command('curator')}",
)
def a_clash_with_a_late_command_of_hermes_breaks_the_cli(host):
    result = host.cli("early")
    return [result.exit_code, result.stdout, result.stderr.strip().splitlines()[-1]]


@case(
    "F12",
    one=f"def register(ctx):\n{_command('early')}{_command('checkpoints')}{_command('curator')}",
)
def a_clash_after_an_earlier_clash_has_no_effect(host):
    result = host.cli("early")
    return [result.exit_code, result.stdout]


@case("F12", one=f"def register(ctx):\n{_command('help')}{_command('late')}")
def a_command_named_help_is_never_found(host):
    result = host.cli("help")
    return [result.exit_code, result.stdout, host.cli("late").stdout]


MEMORY = {
    **plugin("class Own: 'Stands for a MemoryProvider.'\n", name="own"),
    "cli.py": "def register_cli(parser): parser.add_argument('--n')\ndef own_command(args): print('of the provider', args.n)\n",
}


@case(
    "F13",
    plugins={"own": MEMORY, "p": plugin(f"def register(ctx):\n{_command('own')}{_command('other')}", name="p")},
    enable=["p"],
    config={"memory": {"provider": "own"}},
)
def the_cli_of_the_memory_provider_comes_first(host):
    return [host.cli("own", "--n", "3").stdout, host.cli("other").stdout, host.cli_commands]


def _memory_cli(cli, **manifest):
    return {"own": {**plugin("1 / 0\nclass Own: 'Stands for a MemoryProvider.'\n", **manifest), "cli.py": cli}}


SAYING = "def register_cli(parser): pass\n"


@case(
    "G10",
    plugins=_memory_cli(SAYING + "def own_command(args): print(__name__)\n", description="About it."),
    config={"memory": {"provider": "own"}},
)
def an_active_memory_provider_has_a_cli_command(host):
    results = [host.cli("own"), host.cli("own", "--help"), host.cli("own", "--wrong")]
    return [[one.exit_code, one.stdout, one.stderr.splitlines()[-1:]] for one in results]


@case(
    "G10",
    plugins=_memory_cli(SAYING + "def honcho_command(args): print(args.command)\n"),
    config={"memory": {"provider": "own"}},
)
def the_handler_of_another_memory_provider_is_not_used(host):
    # Without a handler the host prints its help; the embedded host has only its beginning.
    return [host.cli("own").stdout[: len("usage: hermes [-h]")], host.cli("own", "--help").stdout]


@case("G10", plugins=_memory_cli(SAYING))
def an_inactive_memory_provider_has_no_cli_command(host):
    return host.cli("own").exit_code


@case(
    "G10",
    plugins={
        **_memory_cli("print('loaded')\n1 / 0\n"),
        "p": plugin(f"def register(ctx):\n{_command('other')}", name="p"),
    },
    enable=["p"],
    config={"memory": {"provider": "own"}},
)
def a_cli_of_a_memory_provider_that_raises_is_skipped(host):
    results = [host.cli("own"), host.cli("other")]
    return [[one.exit_code, one.stdout] for one in results]


@case(
    "G10",
    plugins=_memory_cli("from . import words\n" + SAYING + "def own_command(args): print(words.HELLO)\n"),
    files={"plugins/own/words.py": "HELLO = 'hello'\n"},
    config={"memory": {"provider": "own"}},
)
def the_cli_of_a_memory_provider_imports_its_submodules(host):
    return [host.cli("own").exit_code, host.cli("own").stdout]


USAGE = """
    def setup(parser):
        parser.add_argument("--alpha", help="a value whose help is so long that argparse has to wrap it at the end of a line")
        parser.add_argument("--beta", type=int)
        for number in range(6): parser.add_argument(f"--option-with-a-long-name-{number}")
        child = parser.add_subparsers(dest="what").add_parser("sub")
        child.add_argument("n", type=int, choices=[1, 2, 3])
    def register(ctx):
        ctx.register_cli_command("notes", "Help", setup, lambda args: None, description="About\\n  notes")
        ctx.register_cli_command("silent", "Help", lambda parser: None, lambda args: None)
"""


@case("F11", one=USAGE)
def cli_commands_print_their_usage(host):
    asked = (("notes", "-h"), ("notes", "sub", "-h"), ("notes", "sub", "x"), ("notes", "--beta", "x"), ("silent", "-h"))
    return [vars(host.cli(*argv)) for argv in asked]
