"""The command `hermes-sdk new`."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from textwrap import wrap

import click

from hermes_sdk import __version__, terminal
from hermes_sdk.cli.code_runs import Command
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.git import find_author, start_repository
from hermes_sdk.scaffold.new import new, refuse_unknown_kinds
from hermes_sdk.scaffold.questions import ask
from hermes_sdk.scaffold.template import templates, variables

_EXAMPLE = "example"
"""The variable that `--bare` sets; only the template `plugin` has it."""


class _NewCommand(Command):
    """A command whose help lists the variables of the template on its command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the template before `--help` ends the parsing."""
        known = templates()
        ctx.meta[__name__] = next((word for word in args if word in known), next(iter(known)))
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the variables."""
        kind = ctx.meta[__name__]
        with formatter.section(f"Variables of the template '{kind}'"):
            formatter.write_dl(_describe_variables(kind))


@click.command(name="new", cls=_NewCommand, runs=[])
@click.argument("template", required=False)
@click.option("--name", help="Display name of the plugin, such as 'Team Notes'.")
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="Directory in which to create the project's directory.  [default: .]",
)
@click.option("--no-input", is_flag=True, help="Do not prompt; use defaults.")
@click.option("--bare", is_flag=True, help="Leave out the example code. Only for the template 'plugin'.")
@click.option(
    "--with",
    "with_",
    multiple=True,
    metavar="KIND[:NAME],…",
    help="Add features as `hermes-sdk add` does, such as tool:fetch_page,skill. Repeatable.",
)
@click.option(
    "--extra",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a variable; `hermes-sdk new TEMPLATE --help` lists those of a template. Repeatable.",
)
def command(
    template: str | None,
    name: str | None,
    output_dir: Path,
    no_input: bool,
    bare: bool,
    with_: tuple[str, ...],
    extra: tuple[str, ...],
) -> None:
    """Create a plugin project from a template. Without TEMPLATE, list the templates.

    The command asks for the names and the description, and takes the author from your Git configuration. Unless it is
    inside a Git repository already, the project becomes one, with a first commit.
    """
    if template is None:
        _list_templates()
        return
    wanted = [one.strip() for one in ",".join(with_).split(",") if one.strip()]
    refuse_unknown_kinds(wanted)
    known = variables(template)
    if bare and _EXAMPLE not in known.names:
        raise UsageError("--bare applies only to the template 'plugin'", fix="Drop --bare.")
    author = {key: value for key, value in find_author(output_dir).items() if not known.problem(key, value)}
    given = {**author, **dict(map(_split_pair, extra))}
    given |= {"plugin_name": name} if name is not None else {}
    given |= {_EXAMPLE: "no"} if bare else {}
    if not no_input:
        given = ask(known, given, output_dir)
    message = f"Start from the template '{template}' of hermes-sdk {__version__}"
    hints: list[str] = []

    def finish(made: Path) -> None:
        hints.append(start_repository(made, message))

    project = new(template, output_dir, extra=given, with_=wanted, finish=finish)
    _report(project, hints[0])


def _split_pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--extra '{text}' has no '='", fix="Write KEY=VALUE, for example author='Ada Lovelace'.")
    return key, value


def _describe_variables(kind: str) -> list[tuple[str, str]]:
    known = variables(kind)
    return [
        (
            name,
            f"{known.prompt(name)}: {', '.join(choices)}."
            if (choices := known.choices(name))
            else f"{known.prompt(name)}.",
        )
        for name in known.names
    ]


def _list_templates() -> None:
    known = templates()
    width = max(map(len, known))
    room = max(terminal.get_width(sys.stdout) - width - 2, width)
    for name, description in known.items():
        text = f"\n{' ' * (width + 2)}".join(wrap(description, room))
        click.echo(f"{terminal.style(name.ljust(width), bold=True)}  {text}")
    click.echo(f"\nCreate one: hermes-sdk new {next(iter(known))} --name 'Team Notes'")


def _report(project: Path, hint: str) -> None:
    here = Path.cwd()
    place = project.relative_to(here) if project.is_relative_to(here) else project
    click.echo(f"{terminal.style('Created', fg='green', bold=True)} {place}{os.sep}\n")
    click.echo("Next:")
    click.echo(f"  cd {shlex.quote(str(place))}")
    listed = (project / "requirements-dev.txt").exists()
    click.echo("  pip install -r requirements-dev.txt" if listed else "  pip install -e '.[dev]'")
    click.echo("  hermes-sdk verify")
    if hint:
        click.echo(f"\n{hint}")
