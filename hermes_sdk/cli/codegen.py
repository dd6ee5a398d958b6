"""The command `hermes-sdk codegen`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hermes_sdk.cli.code_runs import Command
from hermes_sdk.cli.host_options import add_allowed_option
from hermes_sdk.files import write_file


@click.command(name="codegen", cls=Command, runs=[])
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the test to this file.")
@add_allowed_option
@click.option("--snapshot", is_flag=True, help="Compare with snapshots that inline-snapshot can update.")
def command(trace: Path, output: Path | None, allowed: Sequence[Path], snapshot: bool) -> None:
    """Print a test for pytest that repeats the session in TRACE and expects the same of the plugin.

    Save it among the tests of the plugin's project. Values that differ between runs are omitted or matched by a
    pattern. If the session has several plugins, run the command in pytest's root directory, to which their paths are
    relative. TRACE is a file that `hermes-sdk record` or `pytest --hermes-record` wrote.

    \b
    Examples:
      hermes-sdk codegen session.trace
      hermes-sdk codegen session.trace -o tests/test_session.py
      hermes-sdk codegen session.trace --snapshot
    """
    from hermes_sdk.traces.codegen import convert_recording

    test = convert_recording(trace, Path(), allowed=allowed, snapshot=snapshot)
    if output is None:
        click.echo(test, nl=False)
    else:
        write_file(output, test.encode())
        click.echo(f"Wrote {output}")
