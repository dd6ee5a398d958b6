"""The templates: `templates` lists them, `variables` returns what one can be given, `render` makes its files.

A template is a cookiecutter template, and nothing here is needed to use one with cookiecutter itself.
"""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.disk import adopt, make_directory, sync, sync_tree
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import staging_directory
from hermes_sdk.journal import scratch_directory
from hermes_sdk.scaffold.variables import Variables

# The installed package has an archive of the menu and the templates; an editable install reads those of its checkout.
_PACKAGE = Path(__file__).parents[1]
_ARCHIVE = _PACKAGE / "templates.zip"
_CHECKOUT = _PACKAGE.parent
_ENVIRONMENT = "_jinja2_env_vars"
"""The variable in which cookiecutter is told how to render."""


def templates() -> dict[str, str]:
    """Return the names of the templates, in the order of the menu, each with one sentence about what it makes."""
    if _ARCHIVE.exists():
        with ZipFile(_ARCHIVE) as archive:
            menu = parse_json(archive.read("cookiecutter.json"))
    else:
        menu = parse_json((_CHECKOUT / "cookiecutter.json").read_bytes())
    return {name: entry["description"] for name, entry in menu["templates"].items()}


def variables(kind: str) -> Variables:
    """Return a template's variables.

    Raises:
        UsageError: There is no such template.
    """
    with _source(kind) as source:
        defined = parse_json((source / "cookiecutter.json").read_bytes())
        return Variables(defined, _hook(source, "pre_gen_project")["find_problem"])


def render(kind: str, answers: Mapping[str, str], target: Path) -> None:
    """Make the files of a template in a directory.

    Args:
        kind: One of `templates`.
        answers: Values of the template's variables, such as `[answers]` of a project's ``.hermes-sdk.toml``; the
            defaults stand for what is missing.
        target: The directory to make, which must not exist; those above it are made too.

    Raises:
        UsageError: There is no such template or variable, a value breaks one of the template's rules, or the
            directory exists already.
        UnavailableError: The directory cannot be written.
    """
    write(kind, variables(kind).complete(answers), target)


def write(kind: str, answers: dict[str, Any], target: Path, *, grow: Callable[[Path], None] | None = None) -> None:
    """Make the files of a template from the values of all its variables, all or none.

    Args:
        kind: As for `render`.
        answers: What `Variables.complete` returned.
        target: As for `render`.
        grow: Called with the project before it is put into its place; what it raises leaves nothing behind.

    Raises:
        UsageError: The directory exists already.
        UnavailableError: The directory cannot be written.
    """
    from cookiecutter.generate import generate_files  # type: ignore[import-untyped]

    from hermes_sdk.scaffold.compiled import COMPILED

    context = {"cookiecutter": {**answers, _ENVIRONMENT: {**answers[_ENVIRONMENT], "bytecode_cache": COMPILED}}}
    target = target.parent.resolve() / target.name
    if os.path.lexists(target):
        raise UsageError(f"{target} already exists", fix="Choose another name or another output directory.")
    existing = next(parent for parent in target.parents if parent.exists())
    if any(mark in str(existing) for mark in ("{{", "{%", "{#")):
        # cookiecutter renders the paths of directories, those that it did not make included.
        raise UsageError(f"the path {existing} contains template syntax", fix="Choose another output directory.")
    try:
        # Made beside its place and moved there when it is complete.
        with _source(kind) as source, staging_directory(existing) as staging:
            made = Path(generate_files(source, context, output_dir=str(staging), accept_hooks=False))
            _hook(source, "post_gen_project")["finish"](made)
            if grow:
                grow(made)
            make_directory(target.parent)
            adopt(made, target.parent)
            sync_tree(made)
            made.rename(target)
            sync(target.parent)
    except OSError as error:
        raise UnavailableError(
            f"Cannot write to {existing}: {error.strerror}", fix="Choose another output directory."
        ) from error


@contextmanager
def _source(kind: str) -> Generator[Path]:
    """Give the directory of a template; one of the archive is unpacked for the time being."""
    known = templates()
    if kind not in known:
        raise UsageError(
            f"There is no template '{kind}'{suggest_name(kind, known)}", fix=f"Use one of: {', '.join(known)}."
        )
    if not _ARCHIVE.exists():
        yield _CHECKOUT / "templates" / kind
        return
    with scratch_directory("hermes-sdk-template-") as directory, ZipFile(_ARCHIVE) as archive:
        for entry in archive.infolist():
            if entry.filename.startswith(f"{kind}/"):
                file = Path(archive.extract(entry, directory))
                if entry.external_attr >> 16 & 0o100:
                    mode = file.stat().st_mode
                    file.chmod(mode | (mode & 0o444) >> 2)
        yield Path(directory, kind)


def _hook(source: Path, name: str) -> dict[str, Any]:
    """The functions of a hook of cookiecutter: both ways to use a template refuse the same, and make the same."""
    return runpy.run_path(str(source / "hooks" / f"{name}.py"))
