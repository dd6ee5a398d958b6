"""The command `hermes-sdk trace`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import click

from hermes_sdk import contract
from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, Command
from hermes_sdk.cli.form_options import (
    FormChoice,
    add_scenario_form_options,
    choose_scenario_form,
    list_scenario_forms,
)
from hermes_sdk.cli.host_options import (
    CHOICES,
    HOST_HELP,
    add_allowed_option,
    choose_release,
    parse_variables,
    print_note,
)
from hermes_sdk.cli.options import make_json_option, make_release_option, make_variable_option
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.hosts.staging import HostChoice, default_choice

if TYPE_CHECKING:
    from hermes_sdk.manifest import Form
    from hermes_sdk.traces import Difference, Trace


@click.command(name="trace", cls=Command, runs=[PLUGIN, REAL_HOST])
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--host", type=click.Choice(CHOICES), help=HOST_HELP)
@make_release_option()
@make_variable_option("env")
@add_scenario_form_options(default="that of the scenario, or the first that loads")
@add_allowed_option
@click.option("--raw", is_flag=True, help="Do not normalize ids, times, ports and paths.")
@make_json_option()
@click.option("--compare", nargs=2, metavar="A B", help="Compare two hosts, such as: embedded real:0.18.2.")
def command(
    scenario: Path,
    host: HostChoice | None,
    release: str | None,
    env: Sequence[str],
    form: FormChoice | None,
    plugin: str,
    allowed: Sequence[Path],
    raw: bool,
    as_json: bool,
    compare: tuple[str, str] | None,
) -> int:
    """Play SCENARIO, a YAML file, on a host and print the events that its plugins saw.

    Exit code: 1 when the run does not finish or the two runs differ.
    """
    options: dict[str, Any] = {"env": parse_variables(env), "plugin": plugin, "allowed": allowed}
    if compare is None:
        choice = host or default_choice()
        chosen = choose_release(choice, release)
        forms = _select_forms(scenario, form, plugin, allowed, chosen)
        return _play(scenario, choice, chosen, forms, as_json=as_json, raw=raw, **options)
    if host or release or raw:
        raise UsageError("--compare already selects hosts and releases.", fix="Drop --host, --release and --raw.")
    sides = [_parse_host(text) for text in compare]
    # Without a release, compare two hosts on a release that both have.
    both: HostKind = "real" if ("real", None) in sides else "embedded"
    default = choose_release(both, None)
    forms = _select_forms(scenario, form, plugin, allowed, default)
    return _compare(scenario, [(kind, of or default) for kind, of in sides], forms, as_json=as_json, **options)


def _select_forms(
    scenario: Path, form: FormChoice | None, plugin: str, allowed: Sequence[Path], release: str | None
) -> Sequence[Form | None]:
    from hermes_sdk.traces import read_scenario

    plugins = read_scenario(scenario, allowed, plugin).plugins
    if form == "all":
        return list_scenario_forms(plugins)
    return [form or choose_scenario_form(plugins, release or contract.DEFAULT)]


def _play(
    scenario: Path,
    host: HostChoice,
    release: str | None,
    forms: Sequence[Form | None],
    *,
    as_json: bool,
    **options: Any,
) -> int:
    from hermes_sdk.traces import play_on

    has_problems = False
    for number, form in enumerate(forms):
        ran = play_on(host, scenario, release=release, form=form, **options)
        print_note(ran)
        if number and not as_json:
            click.echo()
        _print_lines(ran.outcome) if as_json else _print_picture(ran.outcome)
        has_problems |= bool(ran.outcome.problems)
    return int(has_problems)


def _parse_host(text: str) -> tuple[HostKind, str | None]:
    kind, _, release = text.partition(":")
    if kind not in get_args(HostKind):
        raise UsageError(f"--compare {text}: write embedded or real, or add a release, as in real:0.18.2.")
    return cast("HostKind", kind), choose_release(cast("HostKind", kind), release) if release else None


def _compare(
    scenario: Path,
    sides: Sequence[tuple[HostKind, str | None]],
    forms: Sequence[Form | None],
    *,
    as_json: bool,
    **options: Any,
) -> int:
    from hermes_sdk.cli.picture import print_comparison
    from hermes_sdk.traces import compare, play

    documents: list[Mapping[str, Any]] = []
    is_equal = True
    for form in forms:
        left, right = (play(scenario, host=kind, release=of, form=form, **options) for kind, of in sides)
        differences = compare(left, right)
        is_equal &= not (differences or left.problems or right.problems)
        if as_json:
            documents.append(_comparison(left, right, differences))
        else:
            print_comparison(left, right, differences)
    if as_json:
        first, *others = documents
        click.echo(json.dumps({**first, **({"others": others} if others else {})}, indent=2, ensure_ascii=False))
    return int(not is_equal)


def _comparison(left: Trace, right: Trace, differences: Sequence[Difference]) -> Mapping[str, Any]:
    sides = [
        {
            "host": one.host,
            "release": one.release,
            "grade": contract.grade(one.release),
            "events": len(one.events),
            "problems": list(one.problems),
        }
        for one in (left, right)
    ]
    return {
        "schema": "hermes-sdk.trace-comparison/1",
        "scenario": left.scenario,
        "forms": left.forms,
        "left": sides[0],
        "right": sides[1],
        "differences": [one.as_json() for one in differences],
    }


def _print_lines(made: Trace) -> None:
    for line in made.lines():
        click.echo(line)


def _print_picture(made: Trace) -> None:
    from hermes_sdk.cli.picture import print_trace

    print_trace(made)
