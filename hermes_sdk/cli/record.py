"""The command `hermes-sdk record`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import contract
from hermes_sdk.cli.code_runs import HTTP, PLUGIN, REAL_HOST, YOUR_HERMES, Command
from hermes_sdk.cli.form_options import add_scenario_form_options, choose_scenario_form
from hermes_sdk.cli.host_options import add_allowed_option, add_fixed_host_option, choose_release
from hermes_sdk.cli.options import make_release_option
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import HostKind

if TYPE_CHECKING:
    from hermes_sdk.manifest import Form
    from hermes_sdk.traces import Trace


@click.command(name="record", cls=Command, runs=[PLUGIN, REAL_HOST, HTTP, YOUR_HERMES])
@click.argument("hermes", nargs=-1, type=click.UNPROCESSED, metavar="[-- HERMES ARGUMENT...]")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="NAME.trace",
    help="Write the recording to this file.",
)
@click.option("--scenario", type=click.Path(path_type=Path), metavar="FILE", help="Scenario to play and record.")
@add_fixed_host_option
@make_release_option()
@add_scenario_form_options(default="that of the scenario, or the first that loads", all_forms=False)
@add_allowed_option
@click.option(
    "--python",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Python of your Hermes, if its program cannot be observed.",
)
@click.option("--http", is_flag=True, help="Also record the HTTP requests that plugins send in their callbacks.")
@click.option("--without-data", is_flag=True, help="Do not record files that plugins stored before the session.")
@click.option("--redact", multiple=True, metavar="REGEX", help="Redact text that matches. Repeatable.")
def command(
    hermes: Sequence[str],
    output: Path,
    scenario: Path | None,
    host: HostKind | None,
    release: str | None,
    form: Form | None,
    plugin: str,
    allowed: Sequence[Path],
    python: Path | None,
    http: bool,
    without_data: bool,
    redact: Sequence[str],
) -> int:
    """Record a session with your Hermes, or a scenario, in a file for `hermes-sdk replay`.

    \b
    hermes-sdk record -o bug.trace -- hermes
    hermes-sdk record -o bug.trace -- hermes chat -q "What is on my list?"
    hermes-sdk record -o chats.trace -- hermes gateway run
    hermes-sdk record -o bug.trace --python ~/hermes/venv/bin/python -- chat
    hermes-sdk record --scenario scenario.yaml -o good.trace
    hermes-sdk record --http -o weather.trace -- hermes chat -q "How is the weather?"

    The recording contains what plugins received and returned, the answers of the model, the results of built-in tools
    and, for a gateway, the messages of its users. Secrets are redacted before it is written. Recording does not change
    your home. If the session cannot be replayed, the command reports why.

    Exit code: that of the hermes command; 1 when the scenario does not finish.
    """
    if (scenario is None) == (not hermes):
        raise UsageError(
            "pass either --scenario FILE or a hermes command after --",
            fix="For example: hermes-sdk record -o bug.trace -- hermes chat",
        )
    if scenario is not None:
        from hermes_sdk.traces import read_scenario

        kind = host or "embedded"
        chosen = choose_release(kind, release)
        form = form or choose_scenario_form(
            read_scenario(scenario, allowed, plugin).plugins, chosen or contract.DEFAULT
        )
        about: dict[str, Any] = {"form": form, "plugin": plugin, "allowed": allowed, "http": http, "redact": redact}
        return _record_scenario(scenario, output, kind, chosen, **about)
    if host or release or allowed or form or plugin:
        raise UsageError(
            "--host, --release, --form, --plugin and --allow-path apply only to --scenario: a command chooses its own"
            " Hermes and plugins."
        )
    return _record_command(hermes, output, python=python, http=http, data=not without_data, redact=redact)


def _record_scenario(scenario: Path, output: Path, host: HostKind, release: str | None, **options: Any) -> int:
    from hermes_sdk.traces import move_paths, play, write_recording

    made = play(scenario, host=host, release=release, record=True, **options)
    assert made.recording is not None
    moved = move_paths(made.recording, scenario.absolute().parent, output.absolute().parent)
    write_recording(replace(made, recording=moved), output)
    _report(made, output)
    return int(bool(made.problems))


def _record_command(hermes: Sequence[str], output: Path, **options: Any) -> int:
    from hermes_sdk.traces import record_command, write_recording

    made, status = record_command(hermes, output, **options)
    write_recording(made, output)
    _report(made, output)
    return status


def _report(made: Trace, output: Path) -> None:
    for problem in made.problems:
        click.echo(f"hermes-sdk: {problem}", err=True)
    forms = "".join(f" with {name} as a {form}" for name, form in made.forms.items())
    click.echo(f"Recorded {len(made.events)} events{forms} in {output}.", err=True)
