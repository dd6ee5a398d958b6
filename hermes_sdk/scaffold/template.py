"""Access to the templates: `templates` lists them, `variables` returns their variables, `render` generates their files.

The templates also work with plain cookiecutter, without this module.
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

# The installed package contains the templates as an archive; an editable install reads them from its checkout.
_PACKAGE = Path(__file__).parents[1]
_ARCHIVE = _PACKAGE / "templates.zip"
_CHECKOUT = _PACKAGE.parent
_ENVIRONMENT = "_jinja2_env_vars"
"""The variable with cookiecutter's settings for Jinja."""


def templates() -> dict[str, str]:
    """Return the names of the templates in menu order, each with a one-sentence description."""
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
        return Variables(defined, _load(source / "answer_rules.py")["find_problem"])


def render(kind: str, answers: Mapping[str, str], target: Path) -> None:
    """Generate the files of a template in a directory.

    Args:
        kind: One of `templates`.
        answers: Values of the template's variables, such as `[answers]` of a project's ``.hermes-sdk.toml``; missing
            ones have their defaults.
        target: The directory to create, with its parents; must not exist yet.

    Raises:
        UsageError: There is no such template or variable, a value breaks one of the template's rules, or the
            directory exists already.
        UnavailableError: The directory cannot be written.
    """
    write(kind, variables(kind).complete(answers), target)


def write(kind: str, answers: dict[str, Any], target: Path, *, add_parts: Callable[[Path], None] | None = None) -> None:
    """Generate the files of a template atomically from the values of all its variables.

    Args:
        kind: As for `render`.
        answers: The result of `Variables.complete`.
        target: As for `render`.
        add_parts: Called with the project before it is moved to its final path; if it raises, nothing is created.

    Raises:
        UsageError: The directory exists already.
        UnavailableError: The directory cannot be written.
    """
    from cookiecutter.generate import generate_files  # type: ignore[import-untyped]

    from hermes_sdk.scaffold.bytecode_cache import COMPILED

    context = {"cookiecutter": {**answers, _ENVIRONMENT: {**answers[_ENVIRONMENT], "bytecode_cache": COMPILED}}}
    target = target.parent.resolve() / target.name
    if os.path.lexists(target):
        raise UsageError(f"{target} already exists", fix="Choose another name or another output directory.")
    existing = next(parent for parent in target.parents if parent.exists())
    if any(mark in str(existing) for mark in ("{{", "{%", "{#")):
        # cookiecutter renders directory paths, including those of existing directories.
        raise UsageError(f"the path {existing} contains template syntax", fix="Choose another output directory.")
    try:
        with _source(kind) as source, staging_directory(existing) as staging:
            project = Path(generate_files(source, context, output_dir=str(staging), accept_hooks=False))
            _load(source / "hooks/post_gen_project.py")["finish"](project)
            if add_parts:
                add_parts(project)
            make_directory(target.parent)
            adopt(project, target.parent)
            sync_tree(project)
            project.rename(target)
            sync(target.parent)
    except OSError as error:
        raise UnavailableError(
            f"Cannot write to {existing}: {error.strerror}", fix="Choose another output directory."
        ) from error


@contextmanager
def _source(kind: str) -> Generator[Path]:
    """Provide the directory of a template, temporarily unpacked if the templates are in an archive."""
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


def _load(file: Path) -> dict[str, Any]:
    """Return the functions of a template's own module, so that `new` and plain cookiecutter work the same."""
    return runpy.run_path(str(file))
