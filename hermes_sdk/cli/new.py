"""The command `hermes-sdk new`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.new import new
from hermes_sdk.scaffold.template import templates


@click.command(name="new")
@click.argument("template", required=False)
@click.option("--name", help="Name of the plugin for people, such as 'Team Notes'.")
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="Where the project's directory is made.  [default: here]",
)
@click.option("--no-input", is_flag=True, help="Ask nothing: take the defaults for what is not given.")
@click.option(
    "--with", "with_", metavar="KIND[:NAME],…", help="What `add` adds at once, such as tool:fetch_page,skill."
)
@click.option("--extra", multiple=True, metavar="KEY=VALUE", help="A further variable of the template; repeatable.")
def command(
    template: str | None,
    name: str | None,
    output_dir: Path,
    no_input: bool,
    with_: str | None,
    extra: tuple[str, ...],
) -> None:
    """Create a plugin project from a template. Without TEMPLATE, list the templates."""
    if template is None:
        _list_templates()
        return
    wanted = [one.strip() for one in (with_ or "").split(",") if one.strip()]
    try:
        project = new(template, output_dir, name=name, extra=dict(map(_pair, extra)), no_input=no_input, with_=wanted)
    except EOFError:
        raise UsageError(
            "There is nobody to answer the questions", fix="Add --no-input, and --name to name the plugin."
        ) from None
    _show_result(project)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--extra '{text}' has no '='", fix="Write KEY=VALUE, for example author='Ada Lovelace'.")
    return key, value


def _list_templates() -> None:
    known = templates()
    width = max(map(len, known))
    for name, description in known.items():
        click.echo(f"{click.style(name.ljust(width), bold=True)}  {description}")
    click.echo(f"\nCreate one: hermes-sdk new {next(iter(known))} --name 'Team Notes'")


def _show_result(project: Path) -> None:
    here = Path.cwd()
    place = project.relative_to(here) if project.is_relative_to(here) else project
    click.echo(f"{click.style('Created', fg='green', bold=True)} {place}{os.sep}\n")
    click.echo("Next:")
    click.echo(f"  cd {shlex.quote(str(place))}")
    listed = (project / "requirements-dev.txt").exists()
    click.echo("  pip install -r requirements-dev.txt" if listed else "  pip install -e '.[dev]'")
    click.echo("  pytest")
