"""The command `hermes-sdk call`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from hermes_sdk.cli.action import Chosen, Done, add_options, parse_arguments, print_done
from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command

if TYPE_CHECKING:
    from hermes_sdk.hosts.inspection import LoadedPlugin


@click.command(name="call", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("tool")
@click.option("--args", "text", default="{}", metavar="JSON", help="The arguments as a JSON object.")
@add_options
def command(tool: str, text: str, chosen: Chosen, as_json: bool) -> int:
    """Call TOOL of a plugin in a child process, as the model does, and print the result.

    Middleware and hooks run, and arguments are coerced. Exit code: 1 when the result is an error, or the plugin raised
    an exception that Hermes swallows.
    """
    arguments = parse_arguments(text)

    def call(plugin: LoadedPlugin) -> Iterator[Done]:
        yield Done("call", tool, arguments, plugin.call_tool(tool, arguments))

    return print_done(chosen.run(call), as_json=as_json)
