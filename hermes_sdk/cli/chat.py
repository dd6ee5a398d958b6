"""The command `hermes-sdk chat`."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_sdk.cli.action import Done, add_options, load_plugin, print_done
from hermes_sdk.hosts.interface import HostKind


@click.command(name="chat")
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGE...")
@click.option(
    "--script",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What the model answers: a scenario, or what stands under its key `script`; default: ok.",
)
@add_options
def command(
    messages: tuple[str, ...], script: Path | None, path: Path, host: HostKind, release: str | None, as_json: bool
) -> int:
    """Say each MESSAGE to an agent that has the plugin, in a child process, and print what happens in each turn.

    A message that begins with a slash runs a slash command. Exit 1: a turn failed, or the plugin raised what the host
    hides.
    """
    from hermes_sdk.traces import read_script

    main, aux = read_script(script) if script else ((), ())
    done: list[Done] = []
    with load_plugin(path, host, release) as plugin:
        for text in messages:
            if text.startswith("/"):
                done.append(Done("command", text, {}, plugin.command(text)))
            else:
                # The first turn brings the whole script.
                done.append(Done("chat", text, {}, plugin.chat(text, main=main, aux=aux)))
                main = aux = ()
        return print_done(plugin, done, as_json=as_json)
