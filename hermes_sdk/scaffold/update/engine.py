"""`update`: run codemods and a merge in a temporary worktree, then move the user's tree in one step."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import gettempdir

from packaging.version import InvalidVersion, Version

from hermes_sdk import __version__
from hermes_sdk.contract import known_releases
from hermes_sdk.documents import parse_toml, read_bytes, read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.files import staging_directory
from hermes_sdk.scaffold import template
from hermes_sdk.scaffold.git import Tree, working_tree
from hermes_sdk.scaffold.update import checkout
from hermes_sdk.scaffold.update.codemods import CODEMODS, Codemod, pending

SETTINGS = ".hermes-sdk.toml"
BASE = ".hermes-sdk.base.zip"
"""Archive of the project as generated, written by the template's last hook, `templates/_hooks/post_gen_project.py`."""

_MAX_FILES = 2_000
_MAX_BYTES = 16 * 1024 * 1024
_RESTORE = f"Restore it: `git log --all -- {SETTINGS} {BASE}` lists the commits that contain it."


@dataclass(frozen=True)
class Project:
    """A project generated from a template.

    Attributes:
        version: The version of hermes-sdk that generated it.
    """

    root: Path
    template: str
    version: str
    answers: dict[str, str]

    @classmethod
    def at(cls, path: Path) -> Project:
        """Read a project's settings.

        Raises:
            UsageError: It was not generated from a template, or its settings are incomplete.
        """
        root = path.resolve()
        file = root / SETTINGS
        try:
            settings = parse_toml(read_text(file, root=root))
        except FileNotFoundError:
            raise UsageError(
                f"{root} has no {SETTINGS}: it was not created by `hermes-sdk new`",
                fix="Pass the root of a generated project. `hermes-sdk add` also works in other projects.",
            ) from None
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot be read: {error}", where=str(file), fix=_RESTORE) from None
        template, version, answers = (settings.get(key) for key in ("template", "version", "answers"))
        if not (isinstance(template, str) and isinstance(version, str) and isinstance(answers, dict)):
            raise UsageError("`template`, `version` or `[answers]` is missing", where=str(file), fix=_RESTORE)
        return cls(root, template, version, {str(name): str(answer) for name, answer in answers.items()})

    def unpack_base(self, directory: Path) -> None:
        """Unpack the project as generated into a directory.

        Raises:
            UsageError: The archive is missing or invalid, or larger than any template's.
        """
        file = self.root / BASE
        try:
            with zipfile.ZipFile(BytesIO(read_bytes(file, root=self.root, max_bytes=_MAX_BYTES))) as archive:
                entries = archive.infolist()
                _refuse_unsafe_entries(entries)
                for entry in entries:
                    Path(archive.extract(entry, directory)).chmod(entry.external_attr >> 16 & 0o777 or 0o644)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise UsageError(
                f"the stored copy of the generated project cannot be read: {error}", where=str(file), fix=_RESTORE
            ) from None


def _refuse_unsafe_entries(entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > _MAX_FILES or sum(entry.file_size for entry in entries) > _MAX_BYTES:
        raise ValueError(f"more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MiB")
    for entry in entries:
        name = PurePosixPath(entry.filename)
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        if is_link or name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
            raise ValueError(f"contains {entry.filename!r}, a link or a path outside the project")


Render = Callable[[str, Mapping[str, str], Path], None]

_FLOOR = "hermes_floor"


@dataclass(frozen=True)
class Updated:
    """Result of an update or a dry run.

    Attributes:
        project: The project before the update.
        version: The version of hermes-sdk to which it is updated.
        commits: The messages of the commits, in order; with conflicts, the user has to make the last commit.
        conflicts: The files that conflict, as POSIX paths relative to the root of the repository.
        has_undone: Whether an earlier update was killed; its partial changes are in the stash.
    """

    project: Project
    version: str
    commits: tuple[str, ...]
    conflicts: tuple[str, ...]
    diff: str
    has_undone: bool


def render_known(kind: str, answers: Mapping[str, str], target: Path) -> None:
    """Render a template with the answers to the questions that it still has.

    A minimum version that the template no longer offers is preserved: the plugin has promised it to its users.
    """
    known = template.variables(kind)
    given = {name: answer for name, answer in answers.items() if name in known.names}
    if (floor := given.get(_FLOOR)) in known_releases():
        known = replace(known, defined={**known.defined, _FLOOR: floor})
    template.write(
        kind, known.complete(given, fix="Correct the answers in .hermes-sdk.toml, and commit the file."), target
    )


def update(
    path: Path,
    *,
    dry_run: bool = False,
    version: str = __version__,
    codemods: tuple[Codemod, ...] = CODEMODS,
    render: Render = render_known,
) -> Updated:
    """Update a project to the template of a version of hermes-sdk.

    Args:
        dry_run: Do not change the project.

    Returns:
        The result. With conflicts, the merge is left for the user to resolve, like a cherry-pick.

    Raises:
        UsageError: The project was not generated from a template, is of a newer version, or has uncommitted changes.
        UnavailableError: Git is missing or failed; the project is unchanged.
    """
    tree = _find_tree(path.resolve())
    with checkout.exclusive(tree) as has_undone, staging_directory(Path(gettempdir()).resolve()) as scratch:
        project = Project.at(path)
        _refuse_newer(project, version)
        tree.refuse_changes()
        prefix = project.root.relative_to(tree.directory)
        start = tree.head
        with tree.temporary_tree(scratch / checkout.NAME) as trial:
            old, new = scratch / "old" / prefix, scratch / "new" / prefix
            project.unpack_base(old)
            render(project.template, project.answers, new)
            messages = _run_codemods(pending(codemods, project.version), trial, trial.directory / prefix, old)
            prepared, merge = trial.head, ""
            conflicts: tuple[str, ...] = ()
            if _read_contents(old) != _read_contents(new):
                messages.append(f"Update to the template '{project.template}' of hermes-sdk {version}")
                merge = _commit_template_change(trial, prefix, scratch, messages[-1])
                conflicts = trial.cherry_pick(merge)
            diff = trial.git("diff", "--no-color", "--no-ext-diff", start)
            if messages and not dry_run:
                _refuse_overwriting(tree, trial, start)
                checkout.move(tree, prepared if conflicts else trial.head, merge if conflicts else "")
    return Updated(project, version, tuple(messages), conflicts, diff, has_undone)


def _find_tree(root: Path) -> Tree:
    try:
        return working_tree(root)
    except UsageError:
        Project.at(root)  # First report a directory that is not a project, because it needs no repository.
        raise


def _refuse_newer(project: Project, version: str) -> None:
    where = str(project.root / SETTINGS)
    try:
        newer = Version(project.version) > Version(version)
    except InvalidVersion:
        raise UsageError(f"{project.version!r} is not a valid version", where=where) from None
    if newer:
        raise UsageError(
            f"the project was generated by hermes-sdk {project.version}, which is newer than the installed {version}",
            where=where,
            fix="Run `pip install --upgrade hermes-sdk`.",
        )


def _run_codemods(codemods: list[Codemod], trial: Tree, project: Path, base: Path) -> list[str]:
    """Apply codemods to the project and to its base; return the messages of the commits."""
    messages: list[str] = []
    for codemod in codemods:
        codemod.apply(project)
        codemod.apply(base)
        message = f"{codemod.title}\n\nCodemod {codemod.number:04} of hermes-sdk {codemod.since}."
        if trial.commit_all(message):
            messages.append(codemod.title)
    return messages


def _commit_template_change(trial: Tree, prefix: Path, scratch: Path, message: str) -> str:
    """Create the commit with the differences between the base and the output of the current template.

    The project's own settings and archive are used as the base, so that they never conflict.
    """
    for name in (SETTINGS, BASE):
        shutil.copy(trial.directory / prefix / name, scratch / "old" / prefix / name)
    before = trial.commit_directory(scratch / "old", scratch / "old-index", "The project as it was made")
    return trial.commit_directory(scratch / "new", scratch / "new-index", message, before)


def _refuse_overwriting(tree: Tree, trial: Tree, start: str) -> None:
    """Reject an update that would overwrite ignored files of the user, as Git would do without asking."""
    existing = sorted(name for name in trial.list_added(start) if os.path.lexists(tree.directory / name))
    if existing:
        raise UsageError(
            f"the template adds files that Git ignores in this project: {', '.join(existing)}",
            fix="Move or delete them first.",
        )


def _read_contents(directory: Path) -> dict[str, tuple[bytes, bool]]:
    """Return the files below a directory by path, with their content and whether they are executable."""
    return {
        file.relative_to(directory).as_posix(): (file.read_bytes(), bool(file.stat().st_mode & 0o100))
        for file in directory.rglob("*")
        if file.is_file() and file.name != BASE
    }
