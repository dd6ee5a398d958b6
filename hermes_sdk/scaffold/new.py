"""Make a project from a template.

What `new` adds to cookiecutter: the user's cookiecutter configuration cannot change the result, nothing is fetched,
answers are text and never code, and either the whole project appears or nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.template import variables, write

NAMES = {
    "tool": "{package}_example",
    "hook": "on_session_start",
    "command": "{slug}-example",
    "cli-command": "{slug}-example",
    "skill": "using-{slug}",
    "middleware": "tool_request",
    "aux-task": "{package}_example",
    "setting": "greeting",
    "env": "{prefix}_API_KEY",
}
"""The default name of an addition of `with_`."""


def new(
    template: str,
    output_dir: Path,
    *,
    name: str | None = None,
    extra: Mapping[str, str] | None = None,
    with_: Sequence[str] = (),
    finish: Callable[[Path], object] = lambda _: None,
) -> Path:
    """Make a project from a template.

    Args:
        template: One of `hermes_sdk.scaffold.template.templates`, such as ``"plugin"``.
        output_dir: The directory in which the project's directory is made. It is made too when it is missing.
        name: The display name of the plugin, such as ``"Team Notes"``; short for ``plugin_name`` in ``extra``.
        extra: Further variables of the template's ``cookiecutter.json`` with their values; the defaults stand for the
            others.
        with_: What else the plugin begins with, as `hermes_sdk.scaffold.add` adds it: kinds such as ``"tool"``, also
            with a name, such as ``"tool:fetch_page"``.
        finish: Called with the complete project before it appears.

    Returns:
        The project's directory, as an absolute path.

    Raises:
        UsageError: There is no such template or variable, a value breaks one of the template's rules, the
            project's directory exists already, or something cannot be added.
        UnavailableError: The output directory cannot be written.
    """
    given = dict(extra or {})
    if name is not None:
        given["plugin_name"] = name
    refuse_unknown_kinds(with_)
    answers = variables(template).complete(given)
    target = output_dir.resolve() / str(answers["plugin_slug"])

    def grow(project: Path) -> None:
        _grow(project, with_, answers)
        finish(project)

    write(template, answers, target, grow=grow)
    return target


def _choose_default_name(kind: str, answers: Mapping[str, str]) -> str:
    package = answers["__package"]
    return NAMES[kind].format(slug=answers["plugin_slug"], package=package, prefix=package.upper())


def refuse_unknown_kinds(wanted: Sequence[str]) -> None:
    """Refuse what `add` does not know, before a project is made.

    Raises:
        UsageError: There is such a kind.
    """
    for one in wanted:
        kind = one.partition(":")[0]
        if kind not in NAMES:
            raise UsageError(f"'{kind}' cannot be added to a plugin", fix=f"Choose one of: {', '.join(NAMES)}.")


def _grow(project: Path, wanted: Sequence[str], answers: Mapping[str, str]) -> None:
    """Add to a project that is not in its place yet."""
    for one in wanted:
        from hermes_sdk.scaffold.add.engine import add

        kind, _, name = one.partition(":")
        try:
            add(
                kind,
                name or _choose_default_name(kind, answers),
                project,
            ).changes.write()
        except UsageError as error:
            # The project is not made, so that its files are nowhere to be looked at.
            raise UsageError(
                f"Cannot add {one}: {error.message.replace(str(project), 'the project')}", fix=error.fix
            ) from None
