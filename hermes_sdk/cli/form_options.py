"""The options that say which plugin of a project a command is about, and in which form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from hermes_sdk.manifest import Form

FormChoice = Literal["directory", "package", "all"]

_FORMS = click.Choice(["directory", "package", "all"])


def add_form_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--form`` and ``--plugin`` to a command that reports on every form of every plugin."""
    form = click.option(
        "--form",
        type=_FORMS,
        default="all",
        show_default=True,
        help="Form of the plugin: its directory with a manifest, or its package with an entry point.",
    )
    plugin = click.option(
        "--plugin", default="", metavar="NAME", help="The plugin, by name or directory, in a project with several."
    )
    return form(plugin(function))


def choose_form(form: FormChoice) -> Form | None:
    """Return the form to which `--form` restricts a command; None for all."""
    return None if form == "all" else form
