"""The command `hermes-sdk view`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk.cli.code_runs import Command
from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_file

if TYPE_CHECKING:
    from hermes_sdk.traces import Trace


@click.command(name="view", cls=Command, runs=[])
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="PAGE", help="Write the page to this file.")
@click.option("--text", "as_text", is_flag=True, help="Print what plugins did, and the events, as text.")
@click.option("--why-blocked", metavar="TOOL", help="Print which plugin blocked the calls of TOOL.")
@click.option("--who-changed", metavar="MESSAGE", help="Print which plugins changed text that contains MESSAGE.")
@click.option(
    "--diff", metavar="OTHER", type=click.Path(path_type=Path), help="Print how the trace OTHER differs from TRACE."
)
@click.option("--event", metavar="N", type=int, help="Print event N in full.")
def command(
    trace: Path,
    output: Path | None,
    as_text: bool,
    why_blocked: str | None,
    who_changed: str | None,
    diff: Path | None,
    event: int | None,
) -> int:
    """Show TRACE in a browser: what happened, and which plugin blocked, rewrote or injected something.

    The page is one file that needs no network. TRACE is a file that `hermes-sdk record`, `hermes-sdk trace --json` or
    `pytest --hermes-record` wrote; - reads it from standard input. The options that print text open no browser.

    Exit code: 1 when OTHER differs.

    \b
    Examples:
      hermes-sdk view session.trace
      hermes-sdk view session.trace -o session.html
      hermes-sdk trace scenario.yaml --json | hermes-sdk view -
      hermes-sdk view session.trace --text
      hermes-sdk view session.trace --why-blocked terminal
      hermes-sdk view session.trace --diff yesterday.trace
    """
    questions = [one for one in (why_blocked, who_changed, diff, event) if one is not None]
    if len(questions) + bool(output) > 1 or (as_text and output):
        raise UsageError(
            "Only one of -o, --text, --why-blocked, --who-changed, --diff and --event is allowed.",
            fix="Run the command once for each.",
        )
    if as_text or questions:
        return _print_text(_read(trace), why_blocked, who_changed, _read(diff) if diff else None, event)
    _show_page(trace, output)
    return 0


def _read(trace: Path) -> Trace:
    from hermes_sdk.traces import read_trace, redact_trace

    return redact_trace(read_trace(trace))


def _print_text(
    trace: Trace, why_blocked: str | None, who_changed: str | None, other: Trace | None, event: int | None
) -> int:
    from hermes_sdk.cli import timeline_text
    from hermes_sdk.traces import compare

    if other is not None:
        from hermes_sdk.cli.picture import print_comparison

        left, right = (one if one.normalised else one.normalise({}) for one in (trace, other))
        differences = compare(left, right)
        print_comparison(left, right, differences)
        return int(bool(differences))
    timeline = timeline_text.read_timeline(trace)
    if why_blocked is not None:
        lines = timeline_text.explain_block(timeline, why_blocked)
    elif who_changed is not None:
        lines = timeline_text.explain_changes(timeline, who_changed)
    elif event is not None:
        lines = timeline_text.format_event(timeline, event)
    else:
        lines = timeline_text.format_timeline(trace)
    click.echo("\n".join(lines))
    return 0


def _show_page(trace: Path, output: Path | None) -> None:
    from hermes_sdk.traces.timeline import render_page

    name = "standard input" if trace == Path("-") else trace.name
    page = render_page(_read(trace), name).encode(errors="replace")
    if output is not None:
        write_file(output, page)
        click.echo(f"Wrote {output}")
        return
    # The browser reads the file after the command has ended.
    made = Path(tempfile.mkdtemp(prefix="hermes-sdk-"), "trace.html")
    write_file(made, page, durable=False, journalled=False)
    click.echo(f"Opening {made}")
    click.launch(str(made))
