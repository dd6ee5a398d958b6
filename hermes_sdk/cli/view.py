"""The command `hermes-sdk view`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from hermes_sdk.cli.code_runs import Command
from hermes_sdk.files import write_file


@click.command(name="view", cls=Command, runs=[])
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="PAGE", help="Write the page to this file.")
def command(trace: Path, output: Path | None) -> None:
    """Show TRACE in a browser: what happened, and which plugin blocked, rewrote or injected something.

    The page is one file that needs no network. TRACE is a file that `hermes-sdk record`, `hermes-sdk trace --json` or
    `pytest --hermes-record` wrote; - reads it from standard input.

    \b
    Examples:
      hermes-sdk view session.trace
      hermes-sdk view session.trace -o session.html
      hermes-sdk trace scenario.yaml --json | hermes-sdk view -
    """
    from hermes_sdk.traces import read_trace, redact_trace
    from hermes_sdk.traces.timeline import render_page

    name = "standard input" if trace == Path("-") else trace.name
    page = render_page(redact_trace(read_trace(trace)), name).encode(errors="replace")
    if output is not None:
        write_file(output, page)
        click.echo(f"Wrote {output}")
        return
    # The browser reads it after the command has ended.
    made = Path(tempfile.mkdtemp(prefix="hermes-sdk-"), "trace.html")
    write_file(made, page, durable=False, journalled=False)
    click.echo(f"Opening {made}")
    click.launch(str(made))
