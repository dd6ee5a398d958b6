"""``hermes-sdk check``: the validator."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from hermes_sdk import contract
from hermes_sdk.check.engine import Options, check


@click.command("check")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report."
)
@click.option("--json", "form", flag_value="json", help="Short for --format json.")
@click.option("--release", default=contract.DEFAULT, show_default=True, help="The release of Hermes to judge for.")
@click.option("--strict", is_flag=True, help="Fail for a warning or a rule that could not run, too.")
def command(path: Path, form: str, release: str, strict: bool) -> None:
    """Find what would break the plugin at PATH, and say how to fix it.

    PATH is a plugin directory or a project that holds one. Exit code: 0 when nothing breaks it, 1 when something does,
    2 for a wrong call, 3 when the machine lacks something.
    """
    result = check(path, Options(releases=(release,)))
    import_module(f"hermes_sdk.check.report.{form}").write(result, sys.stdout)
    sys.exit(0 if result.passes(strict=strict) else 1)
