"""``hermes-sdk explain``: what a rule of the validator or of a contract suite means."""

from __future__ import annotations

import click


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Explain why the rule CODE exists and how to fix its findings."""
    from hermes_sdk.explain import explain

    click.echo(explain(code), nl=False)
