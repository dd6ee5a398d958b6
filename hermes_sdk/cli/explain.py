"""``hermes-sdk explain``: what a rule of the validator means."""

from __future__ import annotations

import click

from hermes_sdk.check.explain import explain


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Say why the rule CODE is there, how to fix what it finds, with a bad and a good example."""
    click.echo(explain(code), nl=False)
