"""The command `hermes-sdk record`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from hermes_sdk.cli.release import OPTION_HELP, choose_release
from hermes_sdk.hosts.interface import HostKind


@click.command(name="record")
@click.option("--scenario", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Scenario to play.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="NAME.trace", help="File.")
@click.option("--host", type=click.Choice(["embedded", "real"]), help="Host that plays it; default: embedded.")
@click.option("--release", metavar="R", help=f"Hermes release; {OPTION_HELP}")
def command(scenario: Path, output: Path, host: HostKind | None, release: str | None) -> int:
    """Play a scenario and write everything that replays it to one file.

    Exit code: 1 when the run does not finish.
    """
    from hermes_sdk.traces import move_paths, play, write_recording

    kind = host or "embedded"
    made = play(scenario, host=kind, release=choose_release(kind, release), record=True)
    assert made.recording is not None
    moved = move_paths(made.recording, scenario.parent, output.parent)
    write_recording(replace(made, recording=moved), output)
    return int(bool(made.problems))
