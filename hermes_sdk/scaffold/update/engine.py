"""`update`: codemods and a merge in a temporary worktree, then the user's tree in one step."""

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
"""The name that the template's last hook, `templates/_hooks/post_gen_project.py`, writes."""

_MAX_FILES = 2_000
_MAX_BYTES = 16 * 1024 * 1024
_RESTORE = f"Restore it: `git log --all -- {SETTINGS} {BASE}` lists the commits that contain it."


@dataclass(frozen=True)
class Project:
    """A project that was made from a template.

    Attributes:
        version: The hermes-sdk whose template it was.
    """

    root: Path
    template: str
    version: str
    answers: dict[str, str]

    @classmethod
    def at(cls, path: Path) -> Project:
        """Read what a project says.

        Raises:
            UsageError: It was not made from a template, or does not say from which.
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
        """Write the project as it was made into a directory.

        Raises:
            UsageError: The project does not carry it any more, or it is more than a template writes.
        """
        file = self.root / BASE
        try:
            with zipfile.ZipFile(BytesIO(read_bytes(file, root=self.root, max_bytes=_MAX_BYTES))) as archive:
                entries = archive.infolist()
                _refuse_odd(entries)
                for entry in entries:
                    Path(archive.extract(entry, directory)).chmod(entry.external_attr >> 16 & 0o777 or 0o644)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise UsageError(
                f"the stored copy of the generated project cannot be read: {error}", where=str(file), fix=_RESTORE
            ) from None


def _refuse_odd(entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > _MAX_FILES or sum(entry.file_size for entry in entries) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MiB")
    for entry in entries:
        name = PurePosixPath(entry.filename)
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        if is_link or name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
            raise ValueError(f"it contains {entry.filename!r}, a link or a path outside the project")


Render = Callable[[str, Mapping[str, str], Path], None]

_FLOOR = "hermes_floor"


@dataclass(frozen=True)
class Updated:
    """Result of an update, or of a dry run.

    Attributes:
        project: The project, as it was.
        version: The version of hermes-sdk that it is brought to.
        commits: The messages of the commits, in order; with conflicts the last one is still to be made.
        conflicts: The files that conflict, as POSIX paths relative to the root of the repository.
        has_undone: Whether an update before this one was killed; its half is in the stash.
    """

    project: Project
    version: str
    commits: tuple[str, ...]
    conflicts: tuple[str, ...]
    diff: str
    has_undone: bool


def render_known(kind: str, answers: Mapping[str, str], target: Path) -> None:
    """Render a template with the answers to those questions that it still asks.

    A minimum version that the template no longer offers stays: the plugin has promised it to its users.
    """
    known = template.variables(kind)
    given = {name: answer for name, answer in answers.items() if name in known.names}
    if (floor := given.get(_FLOOR)) in known_releases():
        known = replace(known, defined={**known.defined, _FLOOR: floor})
    template.write(kind, known.complete(given), target)


def update(
    path: Path,
    *,
    dry_run: bool = False,
    version: str = __version__,
    codemods: tuple[Codemod, ...] = CODEMODS,
    render: Render = render_known,
) -> Updated:
    """Bring a project to the template of a version of hermes-sdk.

    Args:
        dry_run: Change nothing.

    Returns:
        What was done. With conflicts, the merge is left to the user as Git leaves a cherry-pick.

    Raises:
        UsageError: The project was not made from a template, or by a newer version, or its repository is not clean.
        UnavailableError: There is no Git, or it failed; the project is as it was.
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
            if _contents(old) != _contents(new):
                messages.append(f"Update to the template '{project.template}' of hermes-sdk {version}")
                merge = _template_change(trial, prefix, scratch, messages[-1])
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
        Project.at(root)  # A plain directory does not need a repository.
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
    """Apply codemods to the project and to what it was made as; return the messages of the commits."""
    messages: list[str] = []
    for codemod in codemods:
        codemod.apply(project)
        codemod.apply(base)
        message = f"{codemod.title}\n\nCodemod {codemod.number:04} of hermes-sdk {codemod.since}."
        if trial.commit_all(message):
            messages.append(codemod.title)
    return messages


def _template_change(trial: Tree, prefix: Path, scratch: Path, message: str) -> str:
    """The commit that leads from the project as it was made to the project as it would be made now.

    What hermes-sdk itself keeps in a project has no conflicts: it begins as it is.
    """
    for name in (SETTINGS, BASE):
        shutil.copy(trial.directory / prefix / name, scratch / "old" / prefix / name)
    before = trial.commit_of(scratch / "old", scratch / "old-index", "The project as it was made")
    return trial.commit_of(scratch / "new", scratch / "new-index", message, before)


def _refuse_overwriting(tree: Tree, trial: Tree, start: str) -> None:
    """Refuse to replace files of the user that Git ignores: it would not ask."""
    there = sorted(name for name in trial.added(start) if os.path.lexists(tree.directory / name))
    if there:
        raise UsageError(
            f"the template adds files that Git ignores in this project: {', '.join(there)}",
            fix="Move or delete them first.",
        )


def _contents(directory: Path) -> dict[str, tuple[bytes, bool]]:
    """The files below a directory with their bytes and whether they can be executed."""
    return {
        file.relative_to(directory).as_posix(): (file.read_bytes(), bool(file.stat().st_mode & 0o100))
        for file in directory.rglob("*")
        if file.is_file() and file.name != BASE
    }
