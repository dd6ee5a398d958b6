"""Prompts of `new`; after an invalid answer, the reason is printed and the question is repeated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.variables import SET, Variables

ASKED = ("plugin_name", "plugin_slug", "description", "author")
"""The variables worth asking for; the defaults of the others fit most projects."""


def ask(variables: Variables, given: Mapping[str, str], output_dir: Path) -> dict[str, str]:
    """Prompt for the values of variables that are not passed.

    Args:
        given: Values that need no prompt; validated before the first prompt.
        output_dir: The parent of the project's directory.

    Raises:
        UsageError: A variable is unknown, a passed value breaks a rule, or the input ended.
    """
    variables.refuse_unknown(given)
    if found := [problem for name, value in given.items() if (problem := _problem(variables, output_dir, name, value))]:
        raise UsageError("\n".join(found), fix=SET)
    answers = dict(given)
    for name in ASKED:
        if name not in answers:
            answers[name] = _ask(variables, output_dir, name, variables.fill(answers)[name])
    return answers


def _ask(variables: Variables, output_dir: Path, name: str, default: str) -> str:
    def validate(value: str) -> str:
        if problem := _problem(variables, output_dir, name, value):
            raise click.UsageError(problem)
        return value

    try:
        return str(click.prompt(variables.prompt(name), default=default, value_proc=validate))
    except click.Abort as abort:
        # click also raises Abort for Ctrl-C.
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
