"""The entry point ``hermes-sdk``: finds the command, runs it, and turns our errors into messages and exit codes."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from itertools import pairwise

import click

from hermes_sdk import __version__
from hermes_sdk.errors import HermesSdkError, UsageError

# Summaries stand here so that `--help` needs to import no command.
COMMANDS = {
    "check": "Find what would break a plugin, and say how to fix it.",
    "contract": "Show, compare or extract what a release of Hermes promises to plugins.",
    "new": "Create a plugin project from a template.",
    "schema": "Print the JSON Schema of plugin.yaml.",
    "show": "Load a plugin and print what a host gets from it.",
}


class LazyGroup(click.Group):
    """A group whose commands live in modules of the same name and are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"hermes_sdk.cli.{cmd_name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the summaries without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hermes-sdk")
def group() -> None:
    """Build, test and check plugins for Hermes Agent."""


def run(argv: list[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        argv: The arguments without the program's name; default `sys.argv[1:]`.
    """
    argv = sys.argv[1:] if argv is None else argv
    try:
        code = group.main(args=argv, prog_name="hermes-sdk", standalone_mode=False)
    except HermesSdkError as error:
        _print_error(argv, error)
        sys.exit(error.exit_code)
    except click.UsageError as error:
        # click words its own errors well; with --json they take the shape of ours.
        if _wants_json(argv):
            _print_error(argv, UsageError(error.format_message()))
        else:
            error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted.", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _wants_json(argv: list[str]) -> bool:
    pairs = pairwise(argv)
    return "--json" in argv or "--format=json" in argv or ("--format", "json") in pairs


def _print_error(argv: list[str], error: HermesSdkError) -> None:
    if _wants_json(argv):
        problem = {"message": error.message, "where": error.where, "fix": error.fix}
        click.echo(json.dumps({"schema": f"hermes-sdk.{argv[0]}/1", "error": problem}, indent=2, ensure_ascii=False))
    else:
        click.echo(f"hermes-sdk: {error}", err=True)
