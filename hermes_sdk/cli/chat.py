"""The command `hermes-sdk chat`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk.cli.action import Chosen, Done, add_options, print_done
from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command
from hermes_sdk.errors import UsageError
from hermes_sdk.terminal import format_count

if TYPE_CHECKING:
    from hermes_sdk.hosts.inspection import LoadedPlugin


@click.command(name="chat", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGE...")
@click.option(
    "--script",
    "scripts",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Answers of the model: a scenario, or the value of its key `script`. Repeat it for further messages.  "
    "[default: ok]",
)
@add_options
def command(messages: tuple[str, ...], scripts: tuple[Path, ...], chosen: Chosen, as_json: bool) -> int:
    """Send each MESSAGE to an agent with the plugin, in a child process, and print what happens in each turn.

    A message that begins with a slash runs a slash command. Exit code: 1 when a turn fails, or the plugin raised an
    exception that Hermes swallows.
    """
    from hermes_sdk.traces import read_script

    turns = sum(not text.startswith("/") for text in messages)
    if len(scripts) > max(turns, 1):
        raise UsageError(f"--script is given {len(scripts)} times for {format_count(turns, 'message')} to the model.")
    read = [read_script(one) for one in scripts]

    def chat(plugin: LoadedPlugin) -> Iterator[Done]:
        answers = iter(read)
        for text in messages:
            if text.startswith("/"):
                yield Done("command", text, {}, plugin.command(text))
            else:
                main, aux = next(answers, ((), ()))
                yield Done("chat", text, {}, plugin.chat(text, main=main, aux=aux))

    return print_done(chosen.run(chat), as_json=as_json)
