"""The command `hermes-sdk update`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import GIT, Command
from hermes_sdk.cli.options import make_json_option
from hermes_sdk.scaffold.update.engine import update

if TYPE_CHECKING:
    from hermes_sdk.scaffold.update.engine import Updated


@click.command("update", cls=Command, runs=[GIT])
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--diff", is_flag=True, help="Print the changes without writing them.")
@make_json_option()
def command(path: Path, diff: bool, as_json: bool) -> None:
    """Update the project at PATH to the current template, as commits to review.

    Exit code: 1 when files conflict, which Git leaves for you to resolve.
    """
    updated = update(path, dry_run=diff)
    if updated.has_undone:
        click.echo("The last update was interrupted. Its changes are in the stash: `git stash show`.", err=True)
    if as_json:
        click.echo(json.dumps(_make_result(updated, diff), indent=2, ensure_ascii=False))
    elif not updated.commits:
        click.echo(f"The project is up to date with hermes-sdk {updated.version}.")
    elif diff:
        click.echo(updated.diff, nl=False)
        for name in updated.conflicts:
            click.echo(f"The update would conflict with your changes in {name}", err=True)
    else:
        _report(updated)
    sys.exit(1 if updated.conflicts else 0)


def _make_result(updated: Updated, dry_run: bool) -> dict[str, object]:
    return {
        "schema": "hermes-sdk.update/1",
        "template": updated.project.template,
        "from": updated.project.version,
        "to": updated.version,
        "commits": list(updated.commits),
        "conflicts": list(updated.conflicts),
        "written": bool(updated.commits) and not dry_run,
        "diff": updated.diff,
    }


def _report(updated: Updated) -> None:
    made = updated.commits[:-1] if updated.conflicts else updated.commits
    for message in made:
        click.echo(f"{terminal.style('Committed', fg='green', bold=True)} {message}")
    if not updated.conflicts:
        click.echo("\nReview it with `git show`, and run `pytest`.")
        return
    click.echo(f"{terminal.style('Conflicts', fg='red', bold=True)} in: {updated.commits[-1]}")
    for name in updated.conflicts:
        click.echo(f"  {name}")
    click.echo("\nResolve them, then: git add . && git cherry-pick --continue")
    click.echo("Or undo it:        git cherry-pick --abort")
