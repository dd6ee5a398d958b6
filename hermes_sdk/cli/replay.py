"""The command `hermes-sdk replay`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace as change
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import contract
from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command
from hermes_sdk.cli.form_options import FormChoice, add_scenario_form_options, list_scenario_forms
from hermes_sdk.cli.host_options import add_allowed_option, add_fixed_host_option, choose_release
from hermes_sdk.cli.options import make_json_option, make_release_option
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.terminal import format_count

if TYPE_CHECKING:
    from hermes_sdk.manifest import Form
    from hermes_sdk.traces import Replay, Trace


@click.command(name="replay", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("recording", type=click.Path(path_type=Path), metavar="NAME.trace")
@make_release_option(default="default: the recorded release; `all` replays on all releases")
@add_fixed_host_option
@add_scenario_form_options(default="that of the recording")
@add_allowed_option
@click.option("--update", is_flag=True, help="Replace NAME.trace with a recording of this run.")
@make_json_option()
def command(
    recording: Path,
    release: str | None,
    host: HostKind | None,
    form: FormChoice | None,
    plugin: str,
    allowed: Sequence[Path],
    update: bool,
    as_json: bool,
) -> int:
    """Replay NAME.trace with the current plugins, and report where it first diverges.

    \b
    hermes-sdk replay bug.trace
    hermes-sdk replay bug.trace --release all
    hermes-sdk replay bug.trace --update

    The model and built-in tools answer as recorded, and there is no network. A recorded answer that is never requested
    is also a divergence.

    Exit code: 1 when it diverges.
    """
    from hermes_sdk.traces import read_recorded_scenario, read_recording, replay

    recorded = read_recording(recording)
    kind = host or "embedded"
    if update and "all" in (release, form):
        raise UsageError(
            "--update needs one release and one form.", fix="Replace `all` with a release or form, or drop --update."
        )
    releases = _list_releases(kind) if release == "all" else [_choose_release(kind, release, recorded)]
    forms: Sequence[Form | None] = [form] if form != "all" else []
    if form == "all":
        forms = list_scenario_forms(read_recorded_scenario(recorded, recording, allowed, plugin).plugins)
    about: dict[str, Any] = {"host": kind, "allowed": allowed, "plugin": plugin}
    replays = [replay(recorded, recording, release=r, form=one, **about) for one in forms for r in releases]
    if update:
        return _update(replays[0], recording)
    if as_json:
        click.echo(json.dumps(_document(recording, recorded, replays), indent=2, ensure_ascii=False))
    elif "all" in (release, form):
        _print_table(recording, recorded, replays)
    else:
        _print_replay(recording, replays[0])
    return int(not all(one.is_equal for one in replays))


def _choose_release(host: HostKind, wanted: str | None, recorded: Trace) -> str:
    """Return the requested release, or else that of the recording, or the nearest known one."""
    if wanted:
        return choose_release(host, wanted) or wanted
    nearest = contract.find_nearest(recorded.release)
    if nearest != recorded.release:
        click.echo(
            f"Replaying on Hermes {nearest}: the recording was made on {recorded.release}, which this hermes-sdk does "
            "not know. For your own Hermes, pass --host real --release installed.",
            err=True,
        )
    return nearest


def _list_releases(host: HostKind) -> Sequence[str]:
    if host == "embedded":
        return contract.releases()
    from hermes_sdk.hosts.environments import list_releases

    return list_releases()


def _update(replayed: Replay, path: Path) -> int:
    """Replace the recording with the current run, unless that did not finish."""
    from hermes_sdk.traces import write_recording

    if replayed.problems:
        click.echo(f"hermes-sdk: {path} is unchanged: {replayed.problems[0]}", err=True)
        return 1
    write_recording(change(replayed.played, scenario=replayed.recorded.scenario), path)
    click.echo(f"Updated {path}: {format_count(len(replayed.differences), 'difference')}.")
    return 0


def _print_replay(path: Path, replayed: Replay) -> None:
    from hermes_sdk.cli.picture import print_replay

    print_replay(path.name, replayed)


def _print_table(path: Path, recorded: Trace, replays: Sequence[Replay]) -> None:
    from hermes_sdk.cli.picture import print_replays

    print_replays(path.name, replays, find_first(recorded, replays))


def find_first(recorded: Trace, replays: Sequence[Replay]) -> Replay | None:
    """Return the first diverging replay, from the release of the recording on, else among earlier releases."""
    order = {release: number for number, release in enumerate(contract.known_releases())}
    start = order.get(recorded.release, 0)
    diverging = [one for one in replays if not one.is_equal]
    later = [one for one in diverging if order.get(one.played.release, start) >= start]
    return next(iter([*later, *reversed(diverging)]), None)


def _document(path: Path, recorded: Trace, replays: Iterable[Replay]) -> Mapping[str, Any]:
    listed = list(replays)
    first = find_first(recorded, listed)
    return {
        "schema": "hermes-sdk.replay/1",
        "recording": path.name,
        "host": recorded.host,
        "release": recorded.release,
        "first": None if first is None else first.played.release,
        "replays": [_replay_document(one) for one in listed],
    }


def _replay_document(replayed: Replay) -> Mapping[str, Any]:
    from hermes_sdk.traces import find_number

    played = replayed.played
    return {
        "host": played.host,
        "release": played.release,
        "grade": contract.grade(played.release),
        "forms": played.forms,
        "events": len(played.events),
        "reason": replayed.reason,
        "problems": replayed.problems,
        "differences": [{"number": find_number(one), **one.as_json()} for one in replayed.differences],
    }
