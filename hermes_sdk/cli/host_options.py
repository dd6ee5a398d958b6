"""Options for the host of a command, the release of Hermes, and environment variables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import contract
from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import HostChoice, Ran


CHOICES = ("auto", "embedded", "real")
_RUNS = "Host that runs the plugin."
HOST_HELP = (
    f"{_RUNS} `auto`: the embedded host, or a real host on this machine if the embedded one does not support what is "
    "used: your own Hermes, unless --release selects another.  [default: auto; embedded if CI is set]"
)


def add_host_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--host`` to a command."""
    return click.option("--host", type=click.Choice(CHOICES), default=_default_host, help=HOST_HELP)(function)


def add_fixed_host_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--host`` to a command that cannot change to another host."""
    return click.option("--host", type=click.Choice(CHOICES[1:]), help=f"{_RUNS}  [default: embedded]")(function)


def add_allowed_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--allow-path`` to a command that reads a scenario or a recording."""
    return click.option(
        "--allow-path",
        "allowed",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Allow the file to use paths in DIR, outside its project. Repeatable.",
    )(function)


def _default_host() -> HostChoice:
    from hermes_sdk.hosts.staging import default_choice

    return default_choice()


def choose_release(host: HostChoice, wanted: str | None) -> str | None:
    """Return the requested release, or the default of the host, which for ``auto`` is None.

    Prints a note to standard error if the user's own Hermes runs, or a real host of a release other than the default.

    Raises:
        UsageError: The user's own Hermes is requested for the embedded host.
        UnavailableError: The user's own Hermes is not installed.
    """
    if wanted is None and host != "real":
        return contract.DEFAULT if host == "embedded" else None
    from hermes_sdk.hosts import default_release
    from hermes_sdk.hosts.installed import name_host

    chosen = name_host(wanted) if wanted else default_release("real")
    if contract.split_location(chosen)[1]:
        if host == "embedded":
            raise UsageError(f"{wanted} is a real Hermes, not a release.", fix="Use --host real.")
        click.echo(f"Running Hermes {contract.format_release(chosen, 'real')} without changing it.", err=True)
    elif chosen != contract.DEFAULT and wanted is None:
        click.echo(
            f"Running the real host of {chosen}, because {contract.DEFAULT} is neither installed nor on the package "
            f"index. To install {contract.DEFAULT} from its Git tag, pass --release {contract.DEFAULT}.",
            err=True,
        )
    return chosen


def print_note(ran: Ran[Any]) -> None:
    """Print to standard error why the command used the real Hermes, or how to use it."""
    if ran.note:
        click.echo(ran.note, err=True)


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Parse variables given as ``NAME=VALUE``, or as ``NAME`` for the value in this process.

    Raises:
        UsageError: A name is empty, or the variable is not set in this process.
    """
    variables: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not (equals or name in os.environ):
            raise UsageError(f"--env {text}: {name!r} is not a variable of this environment; write NAME=VALUE.")
        variables[name] = value if equals else os.environ[name]
    return variables
