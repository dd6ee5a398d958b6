"""Cases of section F: CLI commands (F11 to F13)."""

from conformance.case import case

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
def a_cli_command_gets_a_namespace(host):
    results = [host.cli(*argv) for argv in (("notes", "--n", "3", "x"), ("notes", "raise"), ("notes", "exit"))]
    errors = [result.stderr.strip().splitlines()[-1:] for result in results]
    return [[result.exit_code, result.stdout] for result in results] + errors


@case(
    "F11",
    one="def register(ctx):\n    ctx.register_cli_command('n', '', lambda p: None, lambda args: print(sorted(vars(args))))\n",
    known="The real namespace also holds the global options of the program `hermes`, which the model does not have.",
)
def the_namespace_holds_the_options_of_the_program(host):
    return host.cli("n").stdout


@case("F11", one=CLI)
def wrong_arguments_of_a_cli_command_end_with_2(host):
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
def a_raising_setup_costs_the_commands_after_it(host):
    results = [host.cli(name) for name in ("early", "broken", "late")]
    return [[result.exit_code, result.stdout.partition(" ")[0]] for result in results]
