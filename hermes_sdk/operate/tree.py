"""Files of a plugin to install: validation, local copies, and previews of an installation."""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from hermes_sdk import links, manifest
from hermes_sdk.check.upstream import Shipped
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import staging_directory
from hermes_sdk.manifest import Located, locate
from hermes_sdk.operate import git
from hermes_sdk.operate.origins import ID_FILE_NAME
from hermes_sdk.operate.validation import is_repository

MAX_BYTES = 512 * 1024 * 1024
MAX_FILES = 50_000

_NOT_INSTALLED = frozenset({".git", "__pycache__", ID_FILE_NAME})


def check_tree(root: Path) -> None:
    """Reject a tree that is far too large, or contains anything but files, directories and internal links.

    The ``.git`` at the root is ignored, because the caller created it. Any other repository is rejected, so that Git
    never uses its configuration, including one that `make_examples` would create.

    Raises:
        UsageError: A link leads out of the tree, an entry is neither a file nor a directory, or the tree is too large.
    """
    count = size = 0
    for path in _iter_tree(root):
        status = path.lstat()
        count, size = count + 1, size + status.st_size
        if is_repository(path.name.removesuffix(".example")):
            raise UsageError(
                f"the plugin contains a Git repository, {_format_path(path, root)}", fix="Nothing was installed."
            )
        if stat.S_ISLNK(status.st_mode):
            _check_link(path, root)
        elif not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise UsageError(
                f"{_format_path(path, root)} is neither a file nor a directory", fix="Nothing was installed."
            )
        if count > MAX_FILES or size > MAX_BYTES:
            raise UsageError(
                f"the plugin has more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB", fix="Nothing was installed."
            )


def _iter_tree(root: Path) -> Iterator[Path]:
    for folder, directories, files in os.walk(root):
        if Path(folder) == root and ".git" in directories:
            directories.remove(".git")
        yield from (Path(folder, name) for name in (*directories, *files))


def _check_link(link: Path, root: Path) -> None:
    target = link.readlink()
    end, top = Path(os.path.realpath(link)), os.path.realpath(root)
    is_inside = end.is_relative_to(top) and not any(map(is_repository, end.relative_to(top).parts))
    if target.is_absolute() or not is_inside:
        raise UsageError(
            f"{_format_path(link, root)} is a link to a path outside the plugin, {str(target)!r}",
            fix="Nothing was installed.",
        )


def _format_path(path: Path, root: Path) -> str:
    return repr(path.relative_to(root).as_posix())


def locate_plugin(path: Path) -> Path:
    """Return the plugin directory at or in a directory.

    Args:
        path: A plugin directory, or a project that contains one (see `hermes_sdk.manifest.locate`).

    Raises:
        UsageError: There is no plugin, or the host cannot load it from a directory.
    """
    source = locate(path)
    if source.event_hook is not None:
        raise UsageError(
            f"{path} is a gateway event hook, not a plugin",
            fix="Copy its directory into `hooks` in your Hermes home.",
        )
    if source.core_tool is not None:
        raise UsageError(
            f"{path} is a core tool of Hermes, not a plugin",
            fix="Copy the file into the `tools` directory of a Hermes checkout.",
        )
    if source.portable is not None:
        raise UsageError(
            f"{path} is a portable plugin, which `hermes-sdk plugins` does not install",
            fix="Copy its directory into `plugins` in your Hermes home, and run `hermes plugins enable` with its name.",
        )
    if source.manifest is None:
        raise UsageError(
            f"the plugin in {path} has no plugin.yaml: Hermes finds it only as an installed package",
            fix="Install it with pip into the environment of Hermes, then enable the name of its entry point.",
        )
    return source.directory


def copy_local(path: Path, folder: Path, home: Path) -> Path:
    """Copy a plugin from a directory or a wheel, without repositories, bytecode and virtual environments.

    Args:
        path: A plugin directory, a project that contains one (see `hermes_sdk.manifest.locate`), or a wheel.
        folder: An empty directory to copy to.
        home: The target home, which is not copied if it is inside the project.

    Returns:
        The copy, with the name of the original.

    Raises:
        UsageError: There is no plugin, or it cannot be copied.
    """
    directory = locate_plugin(_unpack_wheel(path, folder / "wheel") if path.is_file() else path)
    copy = folder / "local" / directory.name
    try:
        copy_tree(directory, copy, partial(_list_not_installed, home))
    except OSError as error:
        raise UsageError(f"the plugin cannot be copied: {error}", fix="Nothing was installed.") from error
    return copy


def copy_installed(source: Path, target: Path) -> None:
    """Copy a plugin directory as an installation does, without repositories, bytecode and virtual environments.

    Raises:
        UsageError: It contains a special file such as a pipe, or a file cannot be copied.
    """
    try:
        copy_tree(source, target, partial(_list_not_installed, None))
    except OSError as error:
        raise UsageError(f"the plugin cannot be copied: {error}", where=str(source)) from error


def copy_tree(source: Path, target: Path, ignore: links.Ignore) -> None:
    """Copy files, directories and links.

    Args:
        target: The copy; must not exist yet.

    Raises:
        UsageError: It contains a special file such as a pipe or a device.
        OSError: A file cannot be copied.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with links.directory(target.parent) as folder:
            links.copy_tree(source, target.name, folder, ignore=ignore)
    except links.NotAFileError as error:
        place = _format_path(Path(error.filename), source)
        raise UsageError(f"{place} is neither a file nor a directory", fix="Nothing was installed.") from error


def _list_not_installed(home: Path | None, folder: Path, names: list[str]) -> list[str]:
    """Return the names not to copy, including the home itself if a project contains one for its tests."""
    found = (folder / name for name in names)
    return [
        path.name
        for path in found
        if path.name in _NOT_INSTALLED
        or (path / "pyvenv.cfg").is_file()
        or (home and home.exists() and path.is_dir() and path.samefile(home))
    ]


def _unpack_wheel(wheel: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = archive.infolist()
            if len(members) > MAX_FILES or sum(member.file_size for member in members) > MAX_BYTES:
                raise UsageError(
                    f"the wheel has more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB", fix="Nothing was installed."
                )
            for member in members:
                name = PurePosixPath(member.filename)
                if name.is_absolute() or ".." in name.parts or "\\" in member.filename:
                    raise UsageError(
                        f"the wheel contains {member.filename!r}, a path outside it", fix="Nothing was installed."
                    )
            archive.extractall(folder)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise UsageError(f"{wheel} is not a wheel: {error}", fix="Pass a .whl file or a directory.") from error
    return folder


def make_examples(directory: Path) -> list[str]:
    """Copy each `<name>.example` of a plugin to `<name>` unless it exists (statement J9).

    Returns:
        The created names, sorted.
    """
    created: list[str] = []
    for example in sorted(directory.glob("*.example")):
        copy = example.with_suffix("")
        if example.is_file() and not (copy.exists() or copy.is_symlink()):
            shutil.copy2(example, copy)
            created.append(copy.name)
    return created


_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@contextlib.contextmanager
def ship(located: Located) -> Generator[Shipped]:
    """Provide a temporary copy of the files that an installation of a plugin would get.

    In a repository, these are the files at the current commit, taken from a clone, since Git must run only there.
    Without a repository or a commit of the plugin, they are the files in the directory.

    Raises:
        UnavailableError: Git is missing, or cannot clone the repository.
        UsageError: The directory contains a file that cannot be installed.
    """
    with staging_directory(Path(tempfile.gettempdir())) as folder:
        target = folder / "plugin" / _choose_name(located.directory)
        root = git.find_repository(located.directory)
        commit = _clone_repository(root, folder / "clone") if root else ""
        inside = located.directory.relative_to(root).as_posix() if root else "."
        subdirectory = "" if inside == "." else inside
        committed = folder / "clone" / subdirectory
        if root is None or not commit or not committed.is_dir() or not any(committed.iterdir()):
            copy_installed(located.directory, target)
            yield Shipped(target)
        else:
            copy_installed(committed, target)
            differing = tuple(_find_differing(target, located.directory))
            yield Shipped(target, root, commit, subdirectory, differing, committed)


def _choose_name(directory: Path) -> str:
    """Return the name under which the host would install a plugin."""
    file = manifest.manifest_file(directory)
    value = manifest.parse(file).value if file else None
    name = str(value.get("name") or "") if isinstance(value, dict) else ""
    return name if _NAME.fullmatch(name) else directory.name or "plugin"


def _clone_repository(root: Path, target: Path) -> str:
    """Clone the current commit of a repository, and return its SHA; empty if there is no commit."""
    git.clone(f"file://{root}", target)
    with contextlib.suppress(UnavailableError):
        return git.head(target)
    return ""


def _find_differing(copy: Path, directory: Path) -> Generator[str]:
    """Yield the committed files that differ on disk and the modules that exist only on disk."""
    names = {*_list_files(copy), *(name for name in _list_files(directory) if name.endswith(".py"))}
    for name in sorted(names):
        disk, committed = directory / name, copy / name
        if not (disk.is_file() and committed.is_file() and filecmp.cmp(disk, committed, shallow=False)):
            yield name


def _list_files(base: Path) -> Generator[str]:
    for folder, directories, files in os.walk(base):
        directories[:] = [name for name in directories if not Path(folder, name, "pyvenv.cfg").exists()]
        yield from (Path(folder, name).relative_to(base).as_posix() for name in files)
