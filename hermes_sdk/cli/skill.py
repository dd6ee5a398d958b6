"""The commands `hermes-sdk skill install` and `skill remove`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk import __version__
from hermes_sdk.cli.code_runs import Command
from hermes_sdk.cli.groups import Group

if TYPE_CHECKING:
    from hermes_sdk.skill import Agent

# Same as in `hermes_sdk.skill`, which `--help` does not import.
_AGENTS = ("claude", "codex", "opencode", "hermes")

_agents = click.option(
    "--for",
    "agents",
    type=click.Choice(_AGENTS),
    multiple=True,
    help="Coding agent. Repeatable.  [default: each agent that has a directory in the project or, with --user, in "
    "your home]",
)
_scope = click.option(
    "--project/--user",
    "of_project",
    default=True,
    help="Skills of the project in the current directory, or your own.  [default: --project]",
)


@click.group("skill", cls=Group)
def command() -> None:
    """Teach coding agents hermes-sdk: install or remove a skill that says how to create, verify and ship plugins.

    hermes-sdk writes nothing for agents unless you run `skill install`.
    """


@command.command("install", cls=Command, runs=[])
@_agents
@_scope
def install(agents: tuple[Agent, ...], of_project: bool) -> None:
    """Install the skill of this version where the agents look for skills.

    Files that you have changed are not overwritten.

    \b
    Examples:
      hermes-sdk skill install --for claude
      hermes-sdk skill install --for codex --for opencode --user
    """
    from hermes_sdk import skill

    for place in skill.find_places(agents, Path.cwd() if of_project else None):
        written = skill.install(place)
        for path in written:
            click.echo(f"Wrote {path}")
        if not written:
            click.echo(f"The skill of hermes-sdk {__version__} for {place.agent} is already in {place.path}")


@command.command("remove", cls=Command, runs=[])
@_agents
@_scope
def remove(agents: tuple[Agent, ...], of_project: bool) -> None:
    """Remove the skill. Files that you have changed stay."""
    from hermes_sdk import skill

    for place in skill.find_places(agents, Path.cwd() if of_project else None):
        removed, kept = skill.remove(place)
        for path in removed:
            click.echo(f"Removed {path}")
        for path in kept:
            click.echo(f"Kept {path}, which was changed")
        if not removed and not kept:
            click.echo(f"There is no skill for {place.agent} in {place.path}")
