"""The program ``hermes-sdk``: finds and runs a command, and converts our errors to messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import click

from hermes_sdk import __version__, terminal
from hermes_sdk.cli.code_runs import make_quiet_option
from hermes_sdk.cli.groups import Group
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.journal import recover
from hermes_sdk.system import require_posix

# Summaries are here so that `--help` imports no command.
SECTIONS = {
    "Create": {
        "new": "Create a plugin project from a template.",
        "add": "Add a tool, hook, command, setting or other feature to a plugin, with a test.",
        "update": "Update a project to the current template, as commits to review.",
        "skill": "Teach coding agents hermes-sdk: install or remove a skill.",
    },
    "Test": {
        "call": "Call a tool of a plugin, as the model does.",
        "fire": "Fire a hook, and show what a plugin returns.",
        "chat": "Talk to an agent that has a plugin, with a scripted model.",
        "record": "Record a session of your Hermes in a file, to replay it.",
        "replay": "Replay a recording, and report where it diverges.",
        "codegen": "Print a test that repeats a recording.",
    },
    "Check": {
        "check": "Find problems that break a plugin, and explain how to fix them.",
        "explain": "Explain a check rule.",
        "compat": "Run a plugin and its tests on every Hermes release.",
        "schema": "Print the JSON Schema of plugin.yaml.",
    },
    "Debug": {
        "show": "Load a plugin and print what it registers.",
        "dev": "Inspect a plugin in a browser while you edit it.",
        "trace": "Play a scenario and print the events that plugins see.",
        "view": "Show a trace in a browser: who did what, and when.",
        "docs": "Search the documentation, and print the section that answers a question.",
    },
    "Ship": {
        "verify": "Decide whether a plugin can be shipped, and print the first thing to fix.",
        "submit": "Prepare the entry of a plugin in the Hermes catalog, and check what admission checks.",
    },
    "Hermes": {
        "plugins": "Install, update, remove, enable and disable plugins.",
        "hooks": "List, test and diagnose the shell hooks in HERMES_HOME.",
        "hosts": "List, install and remove the Hermes that plugins run on.",
        "contract": "Show, compare or extract the plugin contracts of Hermes releases.",
    },
}
COMMANDS = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
"""The summary of each command."""
_LONGEST = max(map(len, COMMANDS))

EXIT_CODES = {
    0: "The command found no error.",
    1: "The plugin has an error, a test failed, or a comparison found a difference.",
    2: "The call or an input file is wrong.",
    3: "The machine lacks something, such as a tool, the network or a Hermes release.",
}

_WITHOUT_POSIX = ("check", "contract", "docs", "explain", "new", "schema")
"""Commands that work on Windows, although not with every option."""
_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class LazyGroup(Group):
    """A group whose commands live in modules of the same name and are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """List the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in _WITHOUT_POSIX:
            require_posix(f"`hermes-sdk {cmd_name}`")
        found: click.Command = import_module(f"hermes_sdk.cli.{cmd_name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the summaries without importing a command."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(_LONGEST), summary) for name, summary in commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the exit codes of all commands."""
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code).ljust(_LONGEST), meaning) for code, meaning in EXIT_CODES.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hermes-sdk")
def group() -> None:
    """Build, test and check plugins for Hermes Agent."""


group.params.append(make_quiet_option())


def run_command(argv: list[str]) -> NoReturn:
    """Run a command and exit.

    First cleans up after earlier commands that were killed.

    Args:
        argv: The arguments without the program's name.
    """
    for number in _ENDINGS:
        # Keep ignoring signals that the parent ignores, such as SIGHUP under nohup.
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)
    terminal.guard()
    _allow_owner_access()
    _require_home()
    recover()
    try:
        code = group.main(args=argv, prog_name="hermes-sdk", standalone_mode=False)
        sys.stdout.flush()
    except HermesSdkError as error:
        _print_error(argv, error)
        sys.exit(error.exit_code)
    except click.UsageError as error:
        # The messages of click's own errors are good; with --json they are converted to our format.
        if _wants_json(argv):
            _print_error(argv, UsageError(error.format_message()))
        else:
            error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        # Start a new line, because the terminal shows ^C next to the prompt.
        click.echo("\nAborted.", err=True)
        sys.exit(130)
    except OSError as error:
        if error.filename is not None:
            raise
        fail_to_write(error)
    sys.exit(code if isinstance(code, int) else 0)


def fail_to_write(error: OSError) -> NoReturn:
    """Exit because the output cannot be written, such as to a full disk or a closed pipe."""
    # Replace standard output, because Python would fail again when flushing it at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    click.echo(f"hermes-sdk: the output cannot be written: {error.strerror or error}", err=True)
    sys.exit(1)


def _allow_owner_access() -> None:
    """Remove the owner's permissions from the umask, because commands read files and directories that they create."""
    os.umask(os.umask(0o777) & 0o077)


def _require_home() -> None:
    """Set HOME for users without a home directory on this machine, as in containers."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/"


def _end(number: int, _: object) -> NoReturn:
    """Exit on a signal with the status that shells expect; end child processes and remove temporary directories."""
    for one in _ENDINGS:
        signal.signal(one, signal.SIG_IGN)
    sys.exit(128 + number)


def _wants_json(argv: list[str]) -> bool:
    pairs = pairwise(argv)
    return "--json" in argv or "--format=json" in argv or ("--format", "json") in pairs


def _schema(argv: list[str]) -> str:
    """Return the name of the schema of a command's output."""
    words = [word for word in argv if not word.startswith("-")]
    name = words[0] if words else ""
    if name == "contract":
        return "-".join(words[:2])
    if name in ("call", "chat", "fire"):
        return "action"
    options = {word.partition("=")[0] for word in argv}
    variant = {"compat": ("--workspace", "compat-workspace"), "trace": ("--compare", "trace-comparison")}.get(name)
    return variant[1] if variant and variant[0] in options else name


def _print_error(argv: list[str], error: HermesSdkError) -> None:
    if error.options:
        import shlex

        command = next(number for number, word in enumerate(argv, 1) if not word.startswith("-"))
        again = shlex.join(["hermes-sdk", *argv[:command], *error.options, *argv[command:]])
        error.fix = f"If you trust the file, run: {again}"
    if _wants_json(argv):
        import json

        problem = {"message": error.message, "where": error.where, "fix": error.fix}
        document = {"schema": f"hermes-sdk.{_schema(argv)}/1", "error": problem}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(f"hermes-sdk: {error}", err=True)
