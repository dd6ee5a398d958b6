"""The command `hermes-sdk compat`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import PACKAGES, PLUGIN, REAL_HOST, TESTS, Command
from hermes_sdk.cli.form_options import FormChoice, add_form_options, choose_form
from hermes_sdk.cli.options import make_install_option, make_json_option
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import write_file

if TYPE_CHECKING:
    from hermes_sdk.compat.cells import Cell
    from hermes_sdk.compat.matrix import Watch
    from hermes_sdk.compat.outcomes import Matrix
    from hermes_sdk.manifest import Form, Located

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("compat", cls=Command, runs=[PLUGIN, REAL_HOST, TESTS, PACKAGES])
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option(
    "--workspace", type=click.Path(path_type=Path), metavar="DIR", help="Run every plugin in DIR instead of PATH."
)
@add_form_options
@click.option(
    "--real",
    multiple=True,
    metavar="R,R…",
    help="Also run these real hosts: all, installed, a release, a path, git:<url>@<rev>.",
)
@click.option(
    "--python", "pythons", multiple=True, metavar="V,V…", help="Python versions for real hosts, such as 3.11,3.12."
)
@click.option("--only", metavar="CELL", help="Run a single cell, such as embedded:0.19.0 or real:0.19.0/3.12.")
@make_install_option()
@make_json_option()
@click.option("--html", type=_FILE, help="Write a self-contained HTML page.")
@click.option("--badge", type=_FILE, help="Write an SVG badge.")
@click.option("--junit", type=_FILE, help="Write JUnit XML.")
@click.option("--markdown", type=_FILE, help="Write Markdown for a comment on GitHub, with all texts escaped.")
@click.option(
    "--from", "recorded", type=_FILE, help="Do not run anything: write --markdown from the JSON of an earlier run."
)
@click.option("--findings", type=_FILE, help="With --markdown, add the findings in the JSON of `hermes-sdk check`.")
@click.option("--write-floor", is_flag=True, help="Write the verified requires_hermes to the manifest.")
@click.option("--matrix", "jobs", type=click.Choice(["github"]), help="Only print CI jobs, one per cell.")
def command(
    path: Path | None,
    workspace: Path | None,
    form: FormChoice,
    plugin: str,
    real: Sequence[str],
    pythons: Sequence[str],
    only: str | None,
    install: bool,
    as_json: bool,
    html: Path | None,
    badge: Path | None,
    junit: Path | None,
    markdown: Path | None,
    recorded: Path | None,
    findings: Path | None,
    write_floor: bool,
    jobs: str | None,
) -> int:
    """Run the plugin at PATH and its tests on every Hermes release from 0.19.0 on, and report where it works.

    PATH defaults to the current directory; each of its plugins is run in all its forms. The embedded host models these
    releases; --real also runs an installed hermes-agent, including earlier releases. If the embedded host does not
    support what the plugin or its tests use, an installed real host of that release runs them, unless you pass --only
    or the variable CI is set. Exit code: 1 when the plugin fails on a proven release that requires_hermes admits, 3
    when no cell could run.

    The plugin is loaded in an isolated process. Its tests run with the rights of your user, as in `pytest`.
    """
    from hermes_sdk.compat import cells
    from hermes_sdk.hosts.staging import default_choice

    if (recorded or findings) and not markdown:
        raise UsageError("--from and --findings have no effect on their own.", fix="Add --markdown FILE.")
    if recorded and markdown:
        from hermes_sdk.compat.report.github import read_matrices

        _write_markdown(markdown, read_matrices(recorded), findings)
        return 0
    if only and (real or pythons):
        raise UsageError("--only already selects the host and Python.", fix="Drop --real and --python.")
    wanted = (cells.parse(only),) if only else cells.plan(_split(real), _split(pythons))
    if jobs:
        from hermes_sdk.compat.report.github import github

        click.echo(github(wanted))
        return 0
    if path and workspace:
        raise UsageError("PATH and --workspace cannot be used together.", fix="Drop one of them.")
    if only and write_floor:
        raise UsageError("--write-floor needs the results of all cells.", fix="Drop --only or --write-floor.")
    found, base = _find_plugins(path, workspace, choose_form(form), plugin)
    plugins = [one for forms in found for one in forms]
    if badge and len(found) > 1:
        raise UsageError("--badge needs a single plugin.", fix="Run the command for each plugin.")
    if any(cell.host == "embedded" for cell in wanted):
        for one in dict.fromkeys(forms[0] for forms in found):
            _warn_of_requirements(one)
    not_run = () if only else cells.find_not_run(wanted)
    # A cell selected by name runs only on its own host.
    is_auto = not only and default_choice() == "auto"
    matrices = _run(plugins, wanted, base, may_install=install, not_run=not_run, is_auto=is_auto)
    try:
        if write_floor:
            for number, one in enumerate(plugins):
                if one.form == "directory" or len(plugins) == 1:
                    matrices[number] = _write_floor(one, matrices[number])
    finally:
        # Report on the new range of the manifest, or on the old range if the new one cannot be written.
        _write_files(matrices, html, badge, junit)
        if markdown:
            _write_markdown(markdown, [one.as_json() for one in matrices], findings)
        grouped = _group(matrices, found)
        _print(grouped, as_json, is_workspace=workspace is not None)
    return _exit_code(grouped)


def _split(values: Sequence[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _find_plugins(
    path: Path | None, workspace: Path | None, form: Form | None, plugin: str
) -> tuple[Sequence[Sequence[Located]], Path]:
    """Return the forms of each plugin, and the base directory of paths."""
    from hermes_sdk.manifest import find_plugins

    place = workspace or path or Path()
    found = [one.forms for one in find_plugins(place, form, plugin)]
    if any(forms[0].shell_hook for forms in found):
        raise UsageError(f"{place} contains shell hooks but no plugin", fix="Run them with `hermes-sdk hooks test`.")
    return found, place if place.is_dir() else place.parent


def _group(matrices: Sequence[Matrix], plugins: Sequence[Sequence[Located]]) -> Sequence[Sequence[Matrix]]:
    """Return the matrices of each plugin."""
    left = iter(matrices)
    return [[next(left) for _ in forms] for forms in plugins]


def _warn_of_requirements(plugin: Located) -> None:
    """Warn about requirements that are not installed in this Python."""
    from hermes_sdk.hosts.dependencies import find_requirements, find_unmet

    try:
        unmet = find_unmet(find_requirements(plugin), sys.path)
    except UsageError as error:  # The cells of real hosts report the error; the embedded host needs no requirements.
        click.echo(f"warning: {error}", err=True)
        return
    if unmet:
        listed = ", ".join(f"{one} (found {version})" if version else one for one, version in unmet.items())
        click.echo(
            f"{os.path.relpath(plugin.project)}: warning: not installed in this Python: {listed}\n"
            "  Install the requirements in this Python for the embedded host; --install applies only to real hosts.",
            err=True,
        )


def _run(plugins: Sequence[Located], cells: Sequence[Cell], base: Path, **options: Any) -> list[Matrix]:
    from importlib.util import find_spec

    from hermes_sdk.compat.matrix import matrices

    if find_spec("pytest") is None:
        raise UnavailableError("pytest, which runs the tests, is not installed.", fix="Install hermes-sdk[test].")
    with _progress(len(plugins) * len(cells)) as watch:
        return matrices(plugins, cells, base=base, watch=watch, **options)


@contextmanager
def _progress(total: int) -> Generator[Watch]:
    """Show a progress bar on standard error if it is a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = terminal.console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)
        yield lambda plugin, outcome: progress.update(
            task, advance=1, description=f"{plugin.directory.name} {outcome.cell.name} {outcome.verdict}"
        )


def _write_files(matrices: Sequence[Matrix], html: Path | None, badge: Path | None, junit: Path | None) -> None:
    if html:
        from hermes_sdk.compat.report.html import page

        write_file(html, page(matrices).encode())
    if badge:
        from hermes_sdk.compat.report.badge import badge as draw

        write_file(badge, draw(matrices[0]).encode())
    if junit:
        from hermes_sdk.compat.report.junit import junit as render

        write_file(junit, render(matrices).encode())


def _write_markdown(file: Path, matrices: Sequence[Mapping[str, Any]], findings: Path | None) -> None:
    from hermes_sdk.compat.report.github import read_findings, render

    write_file(file, render(matrices, read_findings(findings) if findings else ()).encode())


def _print(plugins: Sequence[Sequence[Matrix]], as_json: bool, *, is_workspace: bool) -> None:
    if as_json:
        found = [one.as_json() for forms in plugins for one in forms]
        first, *others = found
        whole = {"schema": "hermes-sdk.compat-workspace/1", "plugins": found} if is_workspace else first
        if others and not is_workspace:
            whole = {**first, "others": others}
        click.echo(json.dumps(whole, indent=2, ensure_ascii=False))
        return

    from hermes_sdk.compat.report.text import write, write_table

    if is_workspace:
        write_table(plugins, terminal.console())
    else:
        write(plugins, terminal.console())


def _write_floor(plugin: Located, matrix: Matrix) -> Matrix:
    """Write the verified range of releases to the manifest, report it, and return the matrix with this range."""
    from dataclasses import replace

    from hermes_sdk.compat.floor import write_floor

    done = write_floor(plugin, matrix)
    file = os.path.relpath(done.path)
    why = f" ({done.reason})" if done.reason else ""
    if done.before == done.after:
        click.echo(f"{file}: requires_hermes {done.after!r} is correct{why}; nothing was changed.", err=True)
    else:
        before = f"was {done.before!r}" if done.before is not None else "was missing"
        click.echo(f"{file}: requires_hermes {before} and is now {done.after!r}{why}.", err=True)
    return replace(matrix, requires=done.after)


def _exit_code(plugins: Sequence[Sequence[Matrix]]) -> int:
    """Return 1 if a plugin fails on a promised release; a form that never loads counts only if no other form loads."""
    for forms in plugins:
        loading = [one for one in forms if not one.never_loads] or forms
        if any(one.broken for one in loading):
            return 1
    undecided = all(one.verdict == "unknown" for forms in plugins for matrix in forms for one in matrix.outcomes)
    return UnavailableError.exit_code if undecided else 0
