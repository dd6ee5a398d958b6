"""``hermes-sdk explain``: explanations of rules of the validator and the contract suites."""

from __future__ import annotations

import json
import sys

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import Command
from hermes_sdk.cli.options import make_json_option


@click.command("explain", cls=Command, runs=[])
@click.argument("code", required=False)
@make_json_option()
def command(code: str | None, as_json: bool) -> None:
    """Explain why the rule CODE exists and how to fix its findings. Without CODE, list the rules by family."""
    from hermes_sdk.explain import explain, find_entry, format_rules, list_rules

    if as_json:
        entries = list_rules() if code is None else [find_entry(code)]
        rules = [{**entry._asdict(), "explanation": explain(entry.code)} for entry in entries]
        document = {"schema": "hermes-sdk.explain/1", "rules": rules}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    elif code is None:
        click.echo(format_rules(), nl=False)
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        terminal.console().print(Markdown(explain(code), code_theme="ansi_dark", hyperlinks=False))
    else:
        click.echo(explain(code), nl=False)
