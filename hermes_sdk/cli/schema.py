"""`hermes-sdk schema`: print the JSON Schema of plugin.yaml."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write it to FILE.",
    metavar="FILE",
)
def command(output: Path | None) -> None:
    """Print the JSON Schema of plugin.yaml.

    Editors that know YAML schemas complete and check a manifest with it.
    """
    from hermes_sdk.manifest.schema import schema_text

    if output is None:
        click.echo(schema_text(), nl=False)
    else:
        output.write_text(schema_text(), encoding="utf-8")
