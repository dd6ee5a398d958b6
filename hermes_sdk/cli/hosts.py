"""The commands `hermes-sdk hosts`, `hosts install`, `hosts remove` and `hosts stop`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk import contract, terminal
from hermes_sdk.cache import cache_dir
from hermes_sdk.cli.code_runs import Command
from hermes_sdk.cli.groups import Group
from hermes_sdk.cli.options import make_json_option

if TYPE_CHECKING:
    from hermes_sdk.hosts.inventory import Listed

_STATES = {"own": "your own", "installed": "installed"}

json_option = make_json_option()


@click.group("hosts", cls=Group, invoke_without_command=True)
@json_option
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the real hosts: your own Hermes, those installed by hermes-sdk, and those that it can install.

    hermes-sdk never changes or removes your own Hermes. After a run of pytest, the server of a real host stays for five
    minutes, which makes the next run faster; such hosts are listed as running.
    """
    if context.invoked_subcommand is None:
        from hermes_sdk.hosts.inventory import list_hosts

        _print(list_hosts(), as_json=as_json)


@command.command("install", cls=Command, runs=[])
@click.argument("release")
@json_option
def install(release: str, as_json: bool) -> None:
    """Install Hermes RELEASE for `--host real`: about 200 MB from the package index or the repository of Hermes.

    RELEASE can also be git:<url>@<rev>.
    """
    from hermes_sdk.hosts.inventory import install

    _print([install(release)], as_json=as_json)


@command.command("remove", cls=Command, runs=[])
@click.argument("release")
@json_option
def remove(release: str, as_json: bool) -> None:
    """Remove Hermes RELEASE for all versions of Python, if hermes-sdk installed it."""
    from hermes_sdk.hosts.inventory import uninstall

    removed = uninstall(release)
    if as_json:
        _print(removed, as_json=True)
        return
    for one in removed:
        click.echo(f"Removed {one.place} ({_format_size(one.size)}).")


@command.command("stop", cls=Command, runs=[])
@click.argument("release", required=False)
@json_option
def stop(release: str | None, as_json: bool) -> None:
    """Stop the server of Hermes RELEASE, or all servers, and the tests that they run.

    A server stops by itself when pytest has not used it for five minutes.
    """
    from hermes_sdk.hosts.inventory import stop_servers

    stopped = stop_servers(release)
    if as_json:
        listed = [{**one._asdict(), "place": str(one.place)} for one in stopped]
        click.echo(json.dumps({"schema": "hermes-sdk.hosts/1", "stopped": listed}, indent=2, ensure_ascii=False))
        return
    for one in stopped:
        click.echo(f"Stopped the server of Hermes {one.release} at {_shorten(one.place)} (pid {one.pid}).")
    if not stopped:
        click.echo("No server is running." if release is None else f"No server of Hermes {release} is running.")


def _print(hosts: Sequence[Listed], *, as_json: bool) -> None:
    if as_json:
        document = {"schema": "hermes-sdk.hosts/1", "hosts": [one.as_json() for one in hosts]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    available = [one.release for one in hosts if one.state == "available"]
    usable = [one for one in hosts if one.state != "available"]
    if usable:
        _print_table(usable)
    if available:
        terminal.console().print(f"Available: {', '.join(available)}.")
        click.echo("To install a release, run `hermes-sdk hosts install RELEASE`.")


def _print_table(hosts: Sequence[Listed]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title in ("Release", "State", "Python", "Size", "Grade"):
        table.add_column(title, no_wrap=title != "Grade", justify="right" if title == "Size" else "left")
    table.add_column("Place", overflow="fold")
    for one in hosts:
        grade = contract.grade(one.release) or f"nearest known: {one.nearest}"
        own = _shorten(one.place) if one.state == "own" else ""
        place = " ".join(filter(None, [own, _name_package(one)]))
        cells = (one.release, _STATES[one.state], one.python or "", _format_size(one.size), grade, place)
        table.add_row(*map(Text, cells))
    terminal.console().print(table)
    for one in hosts:
        if one.age is not None:
            minutes, seconds = divmod(int(one.age), 60)
            click.echo(
                f"Running: Hermes {one.release} at {_shorten(one.place)}, pid {one.pid}, for {minutes}:{seconds:02}."
            )
    if any(one.state == "installed" for one in hosts):
        click.echo(f"Installed hosts are in {_shorten(cache_dir() / 'environments')}.")
    if any(contract.grade(one.release) is None for one in hosts):
        click.echo("Releases without a grade are not verified: they run, but may differ in unknown ways.")


def _shorten(place: Path | None) -> str:
    if place is None:
        return ""
    home = Path.home()
    return f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place)


def _name_package(one: Listed) -> str:
    return f"({one.distribution})" if one.distribution not in (None, "hermes-agent") else ""


def _format_size(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:.0f} MB"
