"""The command `hermes-sdk add`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import Command
from hermes_sdk.cli.options import make_json_option
from hermes_sdk.scaffold.add.engine import add
from hermes_sdk.scaffold.add.kinds import KINDS

if TYPE_CHECKING:
    from hermes_sdk.scaffold.add.engine import Added


@click.command("add", cls=Command, runs=[])
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--diff", is_flag=True, help="Print the changes without writing them.")
@make_json_option()
def command(kind: str, name: str, path: Path, diff: bool, as_json: bool) -> None:
    """Add a feature to the plugin at PATH: code, registration, manifest entry and a passing test.

    NAME is the name of the tool, hook, slash command, CLI command, skill, auxiliary task, setting or environment
    variable, or the kind of middleware.
    """
    added = add(kind, name, path)
    if not diff:
        added.changes.write()
    if as_json:
        click.echo(json.dumps(_make_result(kind, name, added, diff), indent=2, ensure_ascii=False))
    elif added.existing:
        click.echo(f"The plugin already has the {kind} '{name}', at {added.existing}. Nothing was changed.")
    elif diff:
        click.echo(added.changes.diff(), nl=False)
    else:
        _report(kind, name, added)


def _make_result(kind: str, name: str, added: Added, diff: bool) -> dict[str, object]:
    changes = added.changes
    return {
        "schema": "hermes-sdk.add/1",
        "kind": kind,
        "name": name,
        "existing": added.existing or None,
        "created": list(changes.created),
        "changed": list(changes.changed),
        "written": bool(changes) and not diff,
        "diff": changes.diff(),
    }


def _report(kind: str, name: str, added: Added) -> None:
    click.echo(f"{terminal.style('Added', fg='green', bold=True)} {kind} '{name}':")
    for path in added.changes.created:
        click.echo(f"  new      {path}")
    for path in added.changes.changed:
        click.echo(f"  changed  {path}")
    click.echo("\nNext: adapt the code and its test, then run `pytest`.")
