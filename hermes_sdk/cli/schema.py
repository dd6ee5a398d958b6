"""`hermes-sdk schema`: print the JSON Schema of plugin.yaml."""

from __future__ import annotations

from typing import TextIO

import click

from hermes_sdk.cli.code_runs import Command


@click.command("schema", cls=Command, runs=[])
@click.option(
    "-o",
    "--output",
    type=click.File("w", encoding="utf-8", lazy=False),
    default="-",
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)
def command(output: TextIO) -> None:
    """Print the JSON Schema of plugin.yaml.

    Editors with YAML schema support use it to complete and validate manifests.
    """
    from hermes_sdk.manifest.schema import schema_text

    click.echo(schema_text(), file=output, nl=False)
