"""Write `hermes_sdk/cli/help.py`: the output of `hermes-sdk --help`, which is thus printed without importing click."""

from __future__ import annotations

import click
from writing import ROOT, publish

from hermes_sdk.cli.program import group

PAGE = ROOT / "hermes_sdk" / "cli" / "help.py"

_MODULE = '''\
"""Output of `hermes-sdk --help` in 80 columns. `python docs` writes this file from the commands."""

HELP = """\\
{}"""
'''


def page() -> str:
    """Return the source of the module."""
    # click leaves two of the 80 columns empty.
    context = click.Context(group, info_name="hermes-sdk", terminal_width=78, **group.context_settings)
    return _MODULE.format(group.get_help(context))


if __name__ == "__main__":
    publish(PAGE, page())
