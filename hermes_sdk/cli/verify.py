"""The command `hermes-sdk verify`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hermes_sdk.cli.code_runs import PLUGIN, REAL_HOST, SHELL_HOOK, TESTS, WHEEL, Command
from hermes_sdk.cli.options import make_json_option


@click.command("verify", cls=Command, runs=[PLUGIN, REAL_HOST, WHEEL, SHELL_HOOK, TESTS])
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--real", is_flag=True, help="Also run the tests in a real Hermes of this machine.")
@make_json_option()
def command(path: Path, real: bool, as_json: bool) -> int:
    """Decide whether the plugin at PATH can be shipped, and print the first thing to fix.

    PATH is a plugin, its project, or a directory of plugins. In the order of repair: the plugin loads in each of its
    forms, `check` finds no errors (with the setting `strict`, no warnings), the type checker that the project
    configures passes, and so do its tests and its contract suite, on the newest and on the oldest proven release that
    the manifest admits. If the tests contain no contract suite, the suite for all plugins runs.

    Exit code: 1 when a step failed. Steps that did not run are listed. The full output of failed tests is in a file; if
    the variable CI is set, it is also printed.

    The plugin is loaded in an isolated process. Its tests and its type checker run with the rights of your user.

    \b
    Examples:
      hermes-sdk verify
      hermes-sdk verify --real
      hermes-sdk verify --json
    """
    from hermes_sdk.verify import verify
    from hermes_sdk.verify.report import write_json, write_text

    verdict = verify(path, real=real)
    click.echo(write_json(verdict) if as_json else write_text(verdict))
    if verdict.log and not as_json and os.environ.get("CI"):
        click.echo(f"\n{Path(verdict.log).read_text(encoding='utf-8')}")
    return int(not verdict.passed)
