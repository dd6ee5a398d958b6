"""The command `hermes-sdk call`."""

from __future__ import annotations

import click

from hermes_sdk.cli.action import Chosen, Done, add_options, parse_arguments, print_done


@click.command(name="call")
@click.argument("tool")
@click.option("--args", "text", default="{}", metavar="JSON", help="The arguments as a JSON object.")
@add_options
def command(tool: str, text: str, chosen: Chosen, as_json: bool) -> int:
    """Call TOOL of a plugin, in a child process, the way a model's call goes, and print what the model gets.

    Middleware and hooks run, arguments are coerced. Exit 1: the result is an error, or the plugin raised what the
    host hides.
    """
    arguments = parse_arguments(text)
    with chosen.load() as plugin:
        done = Done("call", tool, arguments, plugin.call_tool(tool, arguments))
        return print_done(plugin, [done], as_json=as_json)
