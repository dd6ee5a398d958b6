"""The questions that `new` asks in a terminal: an answer that breaks a rule is asked for again, with the reason."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.variables import Variables

ASKED = ("plugin_name", "plugin_slug", "description", "author")
"""The variables that are worth a question; all others have defaults that fit most projects."""


def ask(variables: Variables, given: Mapping[str, str], output_dir: Path) -> dict[str, str]:
    """Ask for the values of a template's variables that are not given.

    Args:
        given: Values that need no question; they are judged before the first one.
        output_dir: The directory in which the project's directory is made.

    Raises:
        UsageError: There is no such variable, a given value breaks a rule, or the input ended.
    """
    variables.refuse_unknown(given)
    if found := [problem for name, value in given.items() if (problem := _problem(variables, output_dir, name, value))]:
        raise UsageError("\n".join(found))
    answers = dict(given)
    for name in ASKED:
        if name not in answers:
            answers[name] = _ask(variables, output_dir, name, variables.fill(answers)[name])
    return answers


def _ask(variables: Variables, output_dir: Path, name: str, default: str) -> str:
    def judge(value: str) -> str:
        if problem := _problem(variables, output_dir, name, value):
            raise click.UsageError(problem)
        return value

    try:
        return str(click.prompt(variables.prompt(name), default=default, value_proc=judge))
    except click.Abort as abort:
        # click raises the same for Ctrl-C.
        if isinstance(abort.__context__, EOFError):
            raise UsageError(
                "The input ended before all questions were answered",
                fix="Pass --no-input, and --name to name the plugin.",
            ) from None
        raise


def _problem(variables: Variables, output_dir: Path, name: str, value: str) -> str | None:
    problem = variables.problem(name, value)
    if not problem and name == "plugin_slug" and os.path.lexists(output_dir / value):
        return f"{output_dir / value} already exists; choose another name."
    return problem
