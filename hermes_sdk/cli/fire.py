"""The command `hermes-sdk fire`."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_sdk.cli.action import Done, add_options, load_plugin, parse_arguments, print_done
from hermes_sdk.hosts.interface import HostKind


@click.command(name="fire")
@click.argument("hook")
@click.option("--args", "text", default="{}", metavar="JSON", help="The arguments as a JSON object.")
@add_options
def command(hook: str, text: str, path: Path, host: HostKind, release: str | None, as_json: bool) -> int:
    """Fire HOOK on a plugin, in a child process, and print what its callbacks return.

    Arguments that the release passes with every call and that are not given get sample values. Exit 1: a callback
    raised.
    """
    arguments = parse_arguments(text)
    with load_plugin(path, host, release) as plugin:
        done = Done("fire", hook, arguments, plugin.fire(hook, arguments))
        return print_done(plugin, [done], as_json=as_json)
