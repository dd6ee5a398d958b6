"""The command `hermes-sdk fire`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from hermes_sdk.cli.action import Chosen, Done, add_options, parse_arguments, print_done
from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import SURFACES, SurfaceName

if TYPE_CHECKING:
    from hermes_sdk.hosts.inspection import LoadedPlugin


@click.command(name="fire", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("hook")
@click.option("--args", "text", metavar="JSON", help="The arguments as a JSON object.")
@click.option(
    "--surface",
    type=click.Choice(SURFACES),
    help="Let the host itself fire the hook, in a conversation on this surface. The embedded host supports cli and "
    "gateway.",
)
@add_options
def command(hook: str, text: str | None, surface: SurfaceName | None, chosen: Chosen, as_json: bool) -> int:
    """Fire HOOK on a plugin in a child process, and print what its callbacks return.

    Arguments that you omit, but the release always passes, get sample values. Exit code: 1 when a callback raises an
    exception.

    With --surface, the host fires the hook with its own arguments while the agent runs a command, writes a file,
    delegates a task and answers. Exit code: 1 when a callback raises an exception, or the hook does not fire.

    \b
    Examples:
      hermes-sdk fire pre_llm_call --args '{"user_message": "hi"}'
      hermes-sdk fire on_session_finalize --surface gateway
      hermes-sdk fire post_llm_call --surface cron --host real
    """
    if surface is not None and text is not None:
        raise UsageError(
            "--args has no effect with --surface", fix="Drop one of them: on a surface, Hermes passes the arguments."
        )
    arguments = parse_arguments(text or "{}")

    def fire(plugin: LoadedPlugin) -> Iterator[Done]:
        if surface is None:
            yield Done("fire", hook, arguments, plugin.fire(hook, arguments))
        else:
            yield Done("fire", hook, {"surface": surface}, plugin.fire_on(hook, surface))

    runs = chosen.run(fire)
    failed = print_done(runs, as_json=as_json)
    fired = [run.ran.outcome.done[0].outcome for run in runs if run.ran]
    if all(one["events"] for one in fired):
        if not (as_json or surface or failed) and not any(one["value"] for one in fired):
            click.echo(
                "The callbacks returned None. Omitted arguments are sample values: pass others with --args.", err=True
            )
        return failed
    if surface is None:
        click.echo(
            f"The plugin has no callback for the hook {hook}. `hermes-sdk show` lists its hooks.\n"
            "More: hermes-sdk docs troubleshooting#hook-never-called",
            err=True,
        )
        return failed
    click.echo(f"Hermes did not fire {hook} in the conversation on {surface}.", err=True)
    return 1
