"""Install, link and remove plugins below `plugins/`, without running plugin code."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_sdk import contract, manifest
from hermes_sdk.contract.ordering import satisfies
from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.manifest.load import choose_reader
from hermes_sdk.operate import git
from hermes_sdk.operate.origins import Origin, forget_origins, record_origin
from hermes_sdk.operate.place import put, take_out, workplace
from hermes_sdk.operate.source import Repository, parse_source
from hermes_sdk.operate.tree import check_tree, copy_local, locate_plugin, make_examples
from hermes_sdk.operate.validation import check_name, check_new_name, is_repository, printable

NEW = "new"
"""Name of the plugin's directory while it is built."""

_NIX_PREFIX = "nix-managed-"
"""Prefix of links that upstream's Nix module creates and deletes."""


@dataclass(frozen=True)
class Installed:
    """An installed or updated plugin.

    Attributes:
        name: Its name in the host and in ``plugins.enabled``.
        manifest: The content of its manifest; empty if it cannot be read.
        examples: The files that were copied from `*.example`.
        changed: Whether its files changed.
    """

    name: str
    directory: Path
    manifest: dict[str, Any]
    examples: tuple[str, ...]
    changed: bool = True


class LeftAloneError(UsageError):
    """The plugin is deliberately not changed, because it is linked, pinned, or not from a repository."""


def source_of(identifier: str, release: str = contract.DEFAULT) -> Repository | Path:
    """Parse an identifier as the installer of a release does; see `hermes_sdk.operate.source.parse_source`."""
    constants = contract.load(release).section("constants").get("hermes_cli.plugins_cmd", {})
    return parse_source(identifier, constants.get("_GITHUB_BROWSER_SEGMENTS", ()))


def install(
    home: Home,
    source: Repository | Path,
    *,
    ref: str = "",
    force: bool = False,
    release: str = contract.DEFAULT,
) -> Installed:
    """Install a plugin into a home, without enabling it (statements J4 to J10).

    Args:
        source: The result of `source_of`; a path is a plugin directory, a project that contains one, or a wheel.
        ref: A branch, a tag or a full SHA of a repository. Default: the repository's default branch.
        force: Replace an installed plugin of that name atomically.

    Raises:
        UsageError: The source has no plugin or an unsafe one, or the home has a plugin of that name and `force` is not
            set.
        UnavailableError: The home is managed or cannot be written, or Git cannot clone the repository.
    """
    if ref and not isinstance(source, Repository):
        raise UsageError("--ref applies only to Git repositories", fix="Drop --ref.")
    with changing_plugins(home) as folder:
        directory, fallback, origin = _fetch_files(source, ref, folder, home)
        check_tree(directory)
        name = check_new_name(manifest.installer_name(directory, fallback), home.plugins_dir)
        _check_manifest(name, directory, release)
        examples = make_examples(directory.rename(folder / NEW))
        with home.lock():
            _check_target(home.plugins_dir / name, name, force=force)
            if origin is not None:
                record_origin(home, folder / NEW, origin)
            put(home, folder / NEW, home.plugins_dir / name)
    return describe_installed(home.plugins_dir / name, examples)


def link(home: Home, path: Path, *, force: bool = False, release: str = contract.DEFAULT) -> Installed:
    """Link a plugin directory into a home for development, without enabling it.

    Args:
        path: A plugin directory, or a project that contains one.
        force: Replace the plugin of that name.

    Raises:
        UsageError: The path has no plugin, or the home has a plugin of that name and `force` is not set.
        UnavailableError: The home is managed or cannot be written.
    """
    if not path.is_dir():
        raise UsageError(
            f"'{path}' is not a directory", fix="Pass the directory of a plugin or of a project that contains one."
        )
    directory = locate_plugin(path).resolve()
    if directory.is_relative_to(home.plugins_dir.resolve()):
        raise UsageError(
            f"{directory} is already in {home.plugins_dir}", fix="Link a directory outside the Hermes home."
        )
    with changing_plugins(home) as folder:
        name = check_new_name(manifest.installer_name(directory), home.plugins_dir)
        if name.startswith(_NIX_PREFIX):
            raise UsageError(
                f"Invalid plugin name '{name}': the Nix module deletes links that begin with '{_NIX_PREFIX}'",
                fix="Give the plugin another name.",
            )
        _check_manifest(name, directory, release)
        (folder / NEW).symlink_to(directory)
        with home.lock():
            _check_target(home.plugins_dir / name, name, force=force)
            put(home, folder / NEW, home.plugins_dir / name)
    return describe_installed(home.plugins_dir / name)


def remove(home: Home, name: str) -> Path:
    """Delete the files of a plugin, or only the link of a linked plugin (statement J15).

    `config.yaml` is not changed.

    Args:
        name: The plugin's directory below `plugins/`, with or without a category.

    Returns:
        The deleted path.

    Raises:
        UsageError: There is no such plugin.
        UnavailableError: The home is managed or cannot be written.
    """
    with changing_plugins(home), home.lock():
        target = find_installed_directory(home, name)
        take_out(home, target)
        forget_origins(home)
    return target


def find_installed_directory(home: Home, name: str) -> Path:
    """Return the directory of a user's plugin, or the link to it.

    Args:
        name: Its name below `plugins/`, with or without a category.

    Raises:
        UsageError: The name is a path outside `plugins/`, or there is no such plugin.
        LeftAloneError: Nix created the link, or the directory of the category is a link.
    """
    parts = name.strip("/").split("/")
    if not 1 <= len(parts) <= 2:
        raise UsageError(
            f"Invalid plugin name '{name}': at most one '/'", fix="Use the name that `hermes-sdk plugins list` shows."
        )
    target = home.plugins_dir.joinpath(*(check_name(part, home.plugins_dir) for part in parts))
    _check_links(target, home.plugins_dir)
    if not target.is_dir() and not target.is_symlink():
        found = sorted(child.name for child in home.plugins_dir.glob("*") if child.is_dir() or child.is_symlink())
        raise UsageError(
            f"Plugin '{name}' not found in {home.plugins_dir}{suggest_name(name, found)}",
            fix=f"Installed: {', '.join(found) or 'none'}.",
        )
    return target


def _check_links(target: Path, plugins_dir: Path) -> None:
    if target.is_symlink() and target.exists() and _is_from_nix(target):
        raise LeftAloneError(
            f"'{target.name}' is a link managed by Nix", where=str(target), fix="Change the Nix configuration instead."
        )
    if target.parent != plugins_dir and target.parent.is_symlink():
        raise LeftAloneError(
            f"'{target.parent.name}' is a link, so its plugins are not managed here",
            where=str(target.parent),
            fix="Change the plugins in the directory that the link points to.",
        )


def _is_from_nix(link: Path) -> bool:
    """Return whether upstream's Nix module or that of hermes-sdk created a link."""
    return link.name.startswith(_NIX_PREFIX) or ".nix-plugins" in link.readlink().parts


@contextlib.contextmanager
def changing_plugins(home: Home) -> Generator[Path]:
    """Provide a directory to build a plugin in, and convert file system errors into `UnavailableError`."""
    try:
        with workplace(home) as folder:
            yield folder
    except HermesSdkError as error:
        error.message = printable(error.message)  # The message may contain untrusted file names.
        raise
    except OSError as error:
        fix = "Put `plugins` on the same file system as the Hermes home." if error.errno == errno.EXDEV else ""
        raise UnavailableError(f"cannot change the plugins: {error}", where=str(home.plugins_dir), fix=fix) from error


def _fetch_files(source: Repository | Path, ref: str, folder: Path, home: Home) -> tuple[Path, str, Origin | None]:
    """Copy or clone a plugin's files into a directory.

    Returns:
        The directory of the files, the name if the manifest has none, and the origin of a plugin in a subdirectory.
    """
    if isinstance(source, Path):
        directory = copy_local(source, folder, home.path)
        return directory, directory.name, None
    clone = folder / "clone"
    git.clone(source.url, clone, ref)
    directory = find_subdirectory(clone, source.subdirectory)
    is_root = directory.samefile(clone)
    origin = None if is_root else Origin(source.url, source.subdirectory, git.branch(clone), git.head(clone))
    # file:///srv/.git yields an empty name, which is rejected like an invalid name.
    return directory, source.name or ".", origin


def find_subdirectory(clone: Path, subdirectory: str) -> Path:
    """Return a directory of a clone, with links resolved.

    Raises:
        UsageError: The repository has no such directory, or it is outside the repository.
    """
    root, directory = Path(os.path.realpath(clone)), Path(os.path.realpath(clone / subdirectory))
    fix = "Pass a directory inside the repository."
    if not directory.is_relative_to(root) or any(map(is_repository, directory.relative_to(root).parts)):
        raise UsageError(f"Plugin subdirectory '{subdirectory}' escapes the repository", fix=fix)
    if not directory.is_dir():
        raise UsageError(f"Plugin subdirectory '{subdirectory}' is not a directory of the repository", fix=fix)
    return directory


def _check_manifest(name: str, directory: Path, release: str) -> None:
    """Reject a manifest that the release's installer rejects or fails on (statements J7 and N105)."""
    behaviour, file = contract.load(release).behaviour, directory / "plugin.yaml"
    value = manifest.parse(file, reader=choose_reader(behaviour)).value if file.exists() else {}
    if value is not None and not isinstance(value, dict):
        raise UsageError(f"the manifest of '{name}' is not a mapping", fix="Write the manifest as `key: value` lines.")
    version = (value or {}).get("manifest_version")
    supported = 2 if behaviour.manifest_version_two_installed else 1
    try:
        number = 1 if version is None else int(version)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(
            f"Plugin '{name}' has invalid manifest_version {version!r}", fix="Write `manifest_version: 1`."
        ) from None
    if number > supported:
        raise UsageError(
            f"Plugin '{name}' requires manifest_version {number}, but Hermes {release} supports at most {supported}",
            fix="Install the plugin into a newer release of Hermes.",
        )
    wanted = str((value or {}).get("requires_hermes") or "").strip()
    if behaviour.requires_hermes_gates_installer and not satisfies(release, wanted):
        raise UsageError(
            f"Plugin '{name}' requires Hermes {wanted}, but the target release is {release}",
            fix="Use a matching release of Hermes, or set yours with --release.",
        )


def _check_target(target: Path, name: str, *, force: bool) -> None:
    _check_links(target, target.parent)
    if not os.path.lexists(target):
        return
    if not force:
        update = "" if target.is_symlink() else f"Run `hermes-sdk plugins update {name}`, or add "
        raise UsageError(
            f"Plugin '{name}' already exists",
            where=str(target),
            fix=f"{update or 'Add '}--force to replace it.",
        )
    if target.is_symlink():
        return
    if not target.is_dir() or (not manifest.manifest_file(target) and any(target.glob("*/plugin.y*ml"))):
        raise UsageError(
            f"'{name}' is a directory that contains other plugins",
            where=str(target),
            fix="Give the plugin another name.",
        )


def describe_installed(directory: Path, examples: Iterable[str] = (), *, changed: bool = True) -> Installed:
    """Describe an installed, linked or updated plugin."""
    value = _read_manifest(directory)
    return Installed(str(value.get("name") or directory.name), directory, value, tuple(examples), changed)


def _read_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest as the installer reads it: `plugin.yml` is ignored (statement J6)."""
    value = manifest.parse(directory / "plugin.yaml").value
    return value if isinstance(value, dict) else {}
