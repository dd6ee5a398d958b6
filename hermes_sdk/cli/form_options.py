"""Options that select a plugin of a project and its form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from hermes_sdk.manifest import Form
    from hermes_sdk.traces import ScenarioPlugin

FormChoice = Literal["directory", "package", "all"]

_FORMS = click.Choice(["directory", "package", "all"])
PLUGIN_HELP = "The plugin, by name or path."
FORM_HELP = "Form of the plugin: its directory with a manifest, or its package with an entry point."


def add_form_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--form`` and ``--plugin`` to a command that reports on all forms of all plugins."""
    form = click.option("--form", type=_FORMS, default="all", show_default=True, help=FORM_HELP)
    return form(add_plugin_option(function))


def add_plugin_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--plugin`` to a command with a path."""
    text = f"{PLUGIN_HELP}  [default: the only one in the project]"
    return click.option("--plugin", default="", metavar="NAME", help=text)(function)


def add_form_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--form`` to a command that runs a plugin in one form."""
    return click.option("--form", type=_FORMS, help=f"{FORM_HELP}  [default: the first that loads]")(function)


def add_scenario_form_options(*, default: str, all_forms: bool = True) -> Callable[..., Any]:
    """Return a decorator that adds ``--form`` and ``--plugin`` to a command that plays a scenario.

    Args:
        default: The form without the option, as the help describes it.
        all_forms: Whether the command can play all forms.
    """
    choices = _FORMS if all_forms else click.Choice(["directory", "package"])
    form = click.option("--form", type=choices, help=f"{FORM_HELP}  [default: {default}]")

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        return form(add_plugin_option(function))

    return add


def choose_form(form: FormChoice) -> Form | None:
    """Return the form that `--form` selects; None for all."""
    return None if form == "all" else form


def select_forms(path: Path, form: FormChoice | None, plugin: str, release: str) -> Sequence[Form]:
    """Return the forms in which a command runs a plugin; by default the first that loads.

    If that is not the plugin's first form, standard error says why.
    """
    from hermes_sdk.hosts.inspection import find_working_form
    from hermes_sdk.manifest import locate_forms

    if form == "all":
        return [one.form for one in locate_forms(path, plugin=plugin).forms]
    located, note = find_working_form(path, form, plugin, release)
    if note:
        click.echo(note, err=True)
    return [located.form]


def list_scenario_forms(plugins: Sequence[ScenarioPlugin]) -> Sequence[Form | None]:
    """Return every form in which the plugins of a scenario can be loaded, or ``[None]`` if each has just one."""
    several = [forms for one in plugins if len(forms := one.locate_forms().forms) > 1]
    return [*dict.fromkeys(one.form for forms in several for one in forms)] or [None]


def choose_scenario_form(plugins: Sequence[ScenarioPlugin], release: str) -> Form | None:
    """Return the first form in which the plugins of a scenario load, for a command without ``--form``.

    Returns None if the scenario sets the forms, or each plugin has only one. If the result is not the first form of the
    plugin, standard error says why.
    """
    from hermes_sdk.hosts.inspection import find_working_form

    several = [one for one in plugins if len(one.locate_forms().forms) > 1]
    if not several or any(one.form for one in plugins):
        return None
    located, note = find_working_form(several[0].path, None, several[0].name, release)
    if note:
        click.echo(note, err=True)
    return located.form
