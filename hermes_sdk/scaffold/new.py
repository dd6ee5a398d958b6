"""Generate a project from a template.

Unlike plain cookiecutter, `new` ignores the user's cookiecutter configuration, fetches nothing, treats answers as text
and never as code, and creates the project atomically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_files
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
"""Default names of additions with `with_`."""

_VALUES = ("setting", "env")
"""Additions that register nothing."""


def new(
    template: str,
    output_dir: Path,
    *,
    name: str | None = None,
    extra: Mapping[str, str] | None = None,
    with_: Sequence[str] = (),
    finish: Callable[[Path], object] = lambda _: None,
) -> Path:
    """Generate a project from a template.

    Args:
        template: One of `hermes_sdk.scaffold.template.templates`, such as ``"plugin"``.
        output_dir: The parent of the project's directory; created if missing.
        name: The display name of the plugin, such as ``"Team Notes"``; short for ``plugin_name`` in ``extra``.
        extra: Values of other variables of the template's ``cookiecutter.json``; the rest have their defaults.
        with_: Additions from `hermes_sdk.scaffold.add`: kinds such as ``"tool"``, optionally with a name, such as
            ``"tool:fetch_page"``.
        finish: Called with the complete project before it is moved to its final path.

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

    def add_parts(project: Path) -> None:
        _add_parts(project, with_, answers)
        finish(project)

    write(template, answers, target, add_parts=add_parts)
    return target


def _choose_default_name(kind: str, answers: Mapping[str, str]) -> str:
    package = answers["__package"]
    return NAMES[kind].format(slug=answers["plugin_slug"], package=package, prefix=package.upper())


def refuse_unknown_kinds(wanted: Sequence[str]) -> None:
    """Reject unknown kinds of additions before a project is generated.

    Raises:
        UsageError: A kind is unknown.
    """
    for one in wanted:
        kind = one.partition(":")[0]
        if kind not in NAMES:
            raise UsageError(f"'{kind}' cannot be added to a plugin", fix=f"Choose one of: {', '.join(NAMES)}.")


def _remove_placeholder_hook(package: Path) -> None:
    """Remove the placeholder hook, which a plugin without example code has so that it registers something."""
    module, manifest = package / "__init__.py", package / "plugin.yaml"
    source = module.read_text(encoding="utf-8").partition('    ctx.register_hook("on_session_start"')[0]
    fields = manifest.read_text(encoding="utf-8").replace("provides_hooks:\n  - on_session_start\n", "")
    source = source.replace("TYPE_CHECKING, Any", "TYPE_CHECKING")
    write_files({module: source.encode(), manifest: fields.encode()}, root=package, durable=False, journalled=False)


def _add_parts(project: Path, wanted: Sequence[str], answers: Mapping[str, str]) -> None:
    """Apply the additions to a project that is still in its staging directory."""
    if answers.get("example") == "no" and any(one.partition(":")[0] not in _VALUES for one in wanted):
        _remove_placeholder_hook(project / answers["__package"])
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
            # The project was not created, so there are no files to show.
            raise UsageError(
                f"Cannot add {one}: {error.message.replace(str(project), 'the project')}", fix=error.fix
            ) from None
