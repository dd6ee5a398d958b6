"""``hermes-sdk explain``: what a rule of the validator or of a contract suite means."""

from __future__ import annotations

import click

from hermes_sdk.cli.code_runs import Command


@click.command("explain", cls=Command, runs=[])
@click.argument("code")
def command(code: str) -> None:
    """Explain why the rule CODE exists and how to fix its findings."""
    from hermes_sdk.explain import explain

    click.echo(explain(code), nl=False)
