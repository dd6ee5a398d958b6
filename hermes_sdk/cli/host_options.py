"""The options that say which host a command runs on, in which release of Hermes, and with which variables."""

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


OPTION_HELP = f"default: {contract.DEFAULT}; real host: the newest release installed or on the package index."

CHOICES = ("auto", "embedded", "real")
HOST_HELP = (
    "Host that runs it. `auto`: the embedded host, and the real one of that release, if it is installed, where the "
    "embedded host does not model what is used.  [default: auto; embedded if the variable CI is set]"
)


def add_host_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--host`` to a command."""
    return click.option("--host", type=click.Choice(CHOICES), default=_default_host, help=HOST_HELP)(function)


def add_allowed_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--allow-path`` to a command that reads a scenario or a recording."""
    return click.option(
        "--allow-path",
        "allowed",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Allow paths of the file that lead out of its project, into DIR. Repeatable.",
    )(function)


def _default_host() -> HostChoice:
    from hermes_sdk.hosts.staging import default_choice

    return default_choice()


def choose_release(host: HostChoice, wanted: str | None) -> str:
    """Return the release that was asked for, else the default of the host.

    The real host of the default release is not always at hand; standard error then says which one runs instead.
    """
    if wanted is not None or host != "real":
        return wanted or contract.DEFAULT
    from hermes_sdk.hosts import default_release

    chosen = default_release(host)
    if chosen != contract.DEFAULT:
        click.echo(
            f"Running the real host of {chosen}: that of {contract.DEFAULT} is neither installed nor on the package "
            f"index. To install it from its tag, use --release {contract.DEFAULT}.",
            err=True,
        )
    return chosen


def print_note(ran: Ran[Any]) -> None:
    """Print to standard error why something ran in the real Hermes, or how to run it there."""
    if ran.note:
        click.echo(ran.note, err=True)


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Parse what is given as ``NAME=VALUE``, or as ``NAME`` for the value that this process has.

    Raises:
        UsageError: A name is empty, or this process does not have the variable.
    """
    variables: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not (equals or name in os.environ):
            raise UsageError(f"--env {text}: there is no variable {name!r} here; write NAME=VALUE.")
        variables[name] = value if equals else os.environ[name]
    return variables
