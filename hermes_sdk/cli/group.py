"""The commands of ``hermes-sdk``: their names and summaries, and how one is found."""

from __future__ import annotations

from importlib import import_module

import click

from hermes_sdk import __version__

# Summaries are here so that `--help` imports no command.
COMMANDS = {
    "add": "Add a tool, hook, command, setting or other feature to a plugin, with a test.",
    "call": "Call a tool of a plugin, as the model does.",
    "chat": "Talk to an agent that has a plugin, with a scripted model.",
    "check": "Find problems that break a plugin, and explain how to fix them.",
    "codegen": "Print a test that does what a recording did.",
    "compat": "Run a plugin and its tests on every Hermes release.",
    "contract": "Show, compare or extract the plugin contracts of Hermes releases.",
    "dev": "Inspect a plugin in a browser while you edit it.",
    "explain": "Explain a check rule.",
    "fire": "Fire a hook, and show what a plugin returns.",
    "hooks": "List, test and diagnose the shell hooks in HERMES_HOME.",
    "new": "Create a plugin project from a template.",
    "plugins": "Install, update, remove, enable and disable plugins.",
    "record": "Record a session of your Hermes in a file that replays it.",
    "replay": "Replay a recording, and say where it diverges.",
    "schema": "Print the JSON Schema of plugin.yaml.",
    "show": "Load a plugin and print what it registers.",
    "submit": "Prepare the entry of a plugin in the Hermes catalog, and check what admission checks.",
    "trace": "Play a scenario and print the events that plugins see.",
    "update": "Update a project to the current template, as commits to review.",
    "view": "Show a trace in a browser: who did what, and when.",
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
