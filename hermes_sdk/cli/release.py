"""The release that a command runs on when none is named."""

from __future__ import annotations

import click

from hermes_sdk import contract
from hermes_sdk.hosts.interface import HostKind

OPTION_HELP = f"default: {contract.DEFAULT}; real host: the newest release installed or on the package index."


def choose_release(host: HostKind, wanted: str | None) -> str:
    """Return the release that was asked for, else the default of the host.

    The real host of the default release is not always at hand; standard error then says which one runs instead.
    """
    if wanted is not None or host == "embedded":
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
