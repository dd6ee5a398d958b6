"""Options that several commands share, with the same meaning and wording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hermes_sdk import contract

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

INSTALLED = (
    f"default: {contract.DEFAULT}; on a real host, your own Hermes, or else the newest release that is installed or "
    "on the package index"
)
"""Text for the default of `--release` in commands that run a plugin."""


def make_release_option(*, default: str = INSTALLED) -> Decorator:
    """Create the option ``--release`` of a command that runs a plugin; `default` describes its default in the help."""
    text = (
        "Hermes release; `installed` for your own Hermes; or the path of a Hermes program, Python, environment or "
        f"checkout.  [{default}]"
    )
    return click.option("--release", metavar="R", help=text)


def make_plain_release_option(*, default: str = "") -> Decorator:
    """Create the option ``--release`` of a command that accepts only release numbers."""
    if default:
        return click.option("--release", metavar="R", help=f"Hermes release.  [{default}]")
    return click.option("--release", default=contract.DEFAULT, metavar="R", show_default=True, help="Hermes release.")


def make_variable_option(name: str) -> Decorator:
    """Create the option ``--env``, passed to the command as `name`."""
    return click.option(
        "--env",
        name,
        multiple=True,
        metavar="NAME[=VALUE]",
        help="Set an environment variable of the host; without VALUE, copy it from your environment. Repeatable.",
    )


def make_json_option() -> Decorator:
    """Create the option ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON; its `schema` names the format.")


def make_install_option() -> Decorator:
    """Create the option ``--install``."""
    return click.option("--install", is_flag=True, help="Install the plugin's requirements, as wheels, for real hosts.")
