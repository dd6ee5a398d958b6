"""``hermes-sdk explain``: what a rule of the validator or of a contract suite means."""

from __future__ import annotations

import click


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Say why the rule CODE is there, and how to fix what it finds."""
    from hermes_sdk.check.explain import explain
    from hermes_sdk.testing.suites.explain import explain as explain_contract

    click.echo(explain_contract(code) or explain(code), nl=False)
