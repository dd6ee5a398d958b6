"""The commands of ``hermes-sdk``: their names and summaries, and how one is found."""

from __future__ import annotations

from importlib import import_module

import click

from hermes_sdk import __version__

# Summaries stand here so that `--help` needs to import no command.
COMMANDS = {
    "add": "Add a tool, a hook, a command, a setting … to a plugin, with its test.",
    "check": "Find what would break a plugin, and say how to fix it.",
    "compat": "Run a plugin and its tests on every release of Hermes.",
    "contract": "Show, compare or extract what a release of Hermes promises to plugins.",
    "explain": "Explain a check rule.",
    "hooks": "List, try and check the shell hooks of HERMES_HOME.",
    "new": "Create a plugin project from a template.",
    "plugins": "Install, update, remove, enable and disable plugins of a home.",
    "schema": "Print the JSON Schema of plugin.yaml.",
    "show": "Load a plugin and print what a host gets from it.",
    "trace": "Play a scenario and show what plugins see, in order.",
    "update": "Bring a project to today's template, as commits to review.",
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
