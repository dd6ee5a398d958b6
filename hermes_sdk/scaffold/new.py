"""Make a project from a template.

What `new` adds to cookiecutter: the user's cookiecutter configuration cannot change the result, nothing is fetched,
answers are text and never code, and either the whole project appears or nothing does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hermes_sdk.scaffold.template import complete, write


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
        template: One of `hermes_sdk.scaffold.template.templates`, such as ``"plugin"``.
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
    given = dict(extra or {})
    if name is not None:
        given["plugin_name"] = name
    answers = complete(template, given, no_input=no_input)
    target = output_dir.resolve() / str(answers["plugin_slug"])
    write(template, answers, target)
    return target
