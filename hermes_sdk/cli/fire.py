"""The command `hermes-sdk fire`."""

from __future__ import annotations

import click

from hermes_sdk.cli.action import Chosen, Done, add_options, parse_arguments, print_done


@click.command(name="fire")
@click.argument("hook")
@click.option("--args", "text", default="{}", metavar="JSON", help="The arguments as a JSON object.")
@add_options
def command(hook: str, text: str, chosen: Chosen, as_json: bool) -> int:
    """Fire HOOK on a plugin, in a child process, and print what its callbacks return.

    Arguments that the release passes with every call and that are not given get sample values. Exit 1: a callback
    raised.
    """
    arguments = parse_arguments(text)
    with chosen.load() as plugin:
        done = Done("fire", hook, arguments, plugin.fire(hook, arguments))
        return print_done(plugin, [done], as_json=as_json)
