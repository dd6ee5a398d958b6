"""Make a project from a template: `templates` lists what there is, `new` makes it.

A template is a cookiecutter template, and nothing here is needed to use one with cookiecutter itself. What `new` adds:
the user's cookiecutter configuration cannot change the result, nothing is fetched, and either the whole project appears
or nothing does.
"""

from __future__ import annotations

import json
import os
import runpy
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hermes_sdk.errors import UnavailableError, UsageError

# The installed package has copies of the menu and the templates; an editable install reads those of its checkout.
_PACKAGE = Path(__file__).parents[1]
_COPY = _PACKAGE / "_templates"
_MENU = (_COPY if _COPY.is_dir() else _PACKAGE.parent) / "cookiecutter.json"
_TEMPLATES = _COPY if _COPY.is_dir() else _PACKAGE.parent / "templates"


def templates() -> dict[str, str]:
    """Return the names of the templates, in the order of the menu, each with one sentence about what it makes."""
    menu = json.loads(_MENU.read_text(encoding="utf-8"))
    return {name: entry["description"] for name, entry in menu["templates"].items()}


def new(
    template: str,
    output_dir: Path,
    *,
    name: str | None = None,
    extra: Mapping[str, str] | None = None,
    no_input: bool = True,
) -> Path:
    """Make a project from a template.

    Args:
        template: One of `templates`, such as ``"plugin"``.
        output_dir: The directory in which the project's directory is made. It is made too when it is missing.
        name: The name of the plugin for people, such as ``"Team Notes"``; short for ``plugin_name`` in ``extra``.
        extra: Further variables of the template's ``cookiecutter.json`` with their values.
        no_input: Take the template's defaults for what is not given, instead of asking in the terminal.

    Returns:
        The project's directory, as an absolute path.

    Raises:
        UsageError: There is no such template or variable, a value breaks one of the template's rules, or the
            project's directory exists already.
        UnavailableError: The output directory cannot be written.
    """
    source = _source(template)
    given = dict(extra or {})
    if name is not None:
        given["plugin_name"] = name
    answers = _answers(source, given, no_input)
    target = output_dir.resolve() / str(answers["plugin_slug"])
    if os.path.lexists(target):
        raise UsageError(f"{target} exists already", fix="Choose another name or another output directory.")
    _generate(source, answers, target)
    return target


def _source(template: str) -> Path:
    known = templates()
    if template not in known:
        close = get_close_matches(template, known, n=1)
        guess = f"Did you mean '{close[0]}'? " if close else ""
        raise UsageError(f"There is no template '{template}'", fix=f"{guess}The templates are: {', '.join(known)}.")
    return _TEMPLATES / template


def _answers(source: Path, given: Mapping[str, str], no_input: bool) -> dict[str, Any]:
    """The values of the template's variables, in accordance with its rules."""
    from cookiecutter.generate import generate_context  # type: ignore[import-untyped]
    from cookiecutter.prompt import prompt_for_config  # type: ignore[import-untyped]

    context = generate_context(
        str(source / "cookiecutter.json"), extra_context={key: _literal(value) for key, value in given.items()}
    )
    known = [key for key in context["cookiecutter"] if not key.startswith("_")]
    for key in given:
        if key not in known:
            raise UsageError(f"The template has no variable '{key}'", fix=f"Its variables are: {', '.join(known)}.")
    answers = dict(prompt_for_config(context, no_input))
    # The rules are those of cookiecutter's own hook, so that both ways to use a template refuse the same.
    problems: Callable[[dict[str, Any]], list[str]]
    problems = runpy.run_path(str(source / "hooks" / "pre_gen_project.py"))["problems"]
    if found := problems(answers):
        raise UsageError("\n".join(found))
    return answers


def _literal(value: str) -> str:
    """The value as a Jinja expression: cookiecutter renders every value, and braces in one are text to us."""
    return "{{ " + json.dumps(value, ensure_ascii=False) + " }}"


def _generate(source: Path, answers: dict[str, Any], target: Path) -> None:
    """Make the project beside its place and move it there when it is complete."""
    from cookiecutter.generate import generate_files

    existing = next(parent for parent in target.parents if parent.exists())
    try:
        with TemporaryDirectory(prefix=".hermes-sdk-new-", dir=existing) as staging:
            made = generate_files(source, {"cookiecutter": answers}, output_dir=staging, accept_hooks=False)
            target.parent.mkdir(parents=True, exist_ok=True)
            Path(made).rename(target)
    except OSError as error:
        raise UnavailableError(
            f"Cannot write to {existing}: {error.strerror}", fix="Choose another output directory."
        ) from error
