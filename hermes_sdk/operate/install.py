"""Install, update and remove plugins: the files below `plugins/`. No code of a plugin runs."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.operate import git
from hermes_sdk.operate.place import NEW, put, take_out, workplace
from hermes_sdk.operate.source import Repository, parse_source
from hermes_sdk.operate.text import printable
from hermes_sdk.operate.tree import check_tree, copy_local, make_examples

_NAME_FIX = "Use lower-case letters, digits, '-' and '_' only."
_MAX_NAME_BYTES = 255


@dataclass(frozen=True)
class Installed:
    """A plugin that was installed or updated.

    Attributes:
        name: What the host and ``plugins.enabled`` call it.
        directory: Where it is.
        manifest: The value of its manifest, as far as it could be read.
        examples: The files that were made from `*.example`.
        changed: Whether its files are others than before.
    """

    name: str
    directory: Path
    manifest: dict[str, Any]
    examples: tuple[str, ...]
    changed: bool = True


def source_of(identifier: str, release: str = contract.DEFAULT) -> Repository | Path:
    """Say what an identifier means for the installer of a release; see `hermes_sdk.operate.source.parse_source`."""
    return parse_source(identifier, _installer(release).get("_GITHUB_BROWSER_SEGMENTS", ()))


def install(
    home: Home,
    source: Repository | Path,
    *,
    ref: str = "",
    force: bool = False,
    release: str = contract.DEFAULT,
) -> Installed:
    """Put a plugin into a home, without enabling it (statements J4 to J10).

    Args:
        home: The home.
        source: What `source_of` said; a path is a plugin directory, a project that holds one, or a wheel.
        ref: A branch, a tag or a full SHA of a repository. Default: the repository's own branch.
        force: Replace the plugin of that name; it stays in place until the new one is complete.
        release: The release of Hermes that the home is for.

    Raises:
        UsageError: There is no plugin there, it is not safe, or the home has one of that name and `force` is not set.
        UnavailableError: The home is managed or cannot be written, or git does not get the repository.
    """
    if ref and not isinstance(source, Repository):
        raise UsageError("only a repository has refs", fix="Leave --ref away.")
    with _in_workplace(home) as folder:
        directory, fallback = _fetch(source, ref, folder)
        check_tree(directory)
        name = _checked_name(manifest.installer_name(directory, fallback), home)
        _check_manifest(name, directory, release)
        examples = make_examples(directory.rename(folder / NEW))
        with home.locked():
            _check_target(home.plugins_dir / name, name, force=force)
            put(folder, home.plugins_dir / name)
    return _installed(home.plugins_dir / name, examples)


def update(home: Home, name: str) -> Installed:
    """Bring a plugin that was installed from a repository to the newest commit of its branch (statement J14).

    Args:
        home: The home.
        name: The plugin's directory below `plugins/`, with or without a category.

    Raises:
        UsageError: There is no such plugin, it is no clone, it is pinned, or what is new is not safe.
        UnavailableError: The home is managed or cannot be written, or git does not get what is new.
    """
    with _in_workplace(home) as folder:
        target = installed_directory(home, name)
        if not (target / ".git").exists():
            raise UsageError(
                f"'{name}' was not installed from the root of a repository",
                where=str(target),
                fix="Install it again with --force.",
            )
        new = folder / NEW
        shutil.copytree(target, new, symlinks=True)
        changed = git.pull(new)
        check_tree(new)
        examples = make_examples(new)
        if changed or examples:
            with home.locked():
                put(folder, installed_directory(home, name))
    return _installed(target, examples, changed=changed)


def remove(home: Home, name: str) -> Path:
    """Delete the files of a plugin (statement J15); `config.yaml` stays as it is.

    Args:
        home: The home.
        name: The plugin's directory below `plugins/`, with or without a category.

    Returns:
        Where it was.

    Raises:
        UsageError: There is no such plugin.
        UnavailableError: The home is managed or cannot be written.
    """
    with _in_workplace(home) as folder, home.locked():
        target = installed_directory(home, name)
        take_out(target, folder)
    return target


def installed_directory(home: Home, name: str) -> Path:
    """Return the directory of a plugin of the user.

    Args:
        home: The home.
        name: Its name below `plugins/`, with or without a category.

    Raises:
        UsageError: The name leads elsewhere, is that of a link, or nothing has it.
    """
    parts = name.strip("/").split("/")
    if not 1 <= len(parts) <= 2:
        raise UsageError(f"Invalid plugin name '{name}': at most one '/'", fix="Name it as `list` does.")
    target = home.plugins_dir.joinpath(*(_checked_name(part, home) for part in parts))
    if any(path.is_symlink() for path in (target, target.parent) if path != home.plugins_dir):
        raise UsageError(
            f"'{name}' is a link, so its files belong to something else",
            where=str(target),
            fix="Remove the link by hand, or change what made it.",
        )
    if not target.is_dir():
        found = sorted(child.name for child in home.plugins_dir.glob("*") if child.is_dir())
        raise UsageError(
            f"Plugin '{name}' not found in {home.plugins_dir}", fix=f"Installed: {', '.join(found) or 'none'}."
        )
    return target


@contextlib.contextmanager
def _in_workplace(home: Home) -> Generator[Path]:
    """Lend a folder, and turn the errors of the file system into ours."""
    try:
        with workplace(home) as folder:
            yield folder
    except HermesSdkError as error:
        error.message = printable(error.message)  # It may name files of a stranger.
        raise
    except (OSError, shutil.Error) as error:
        fix = "Make `plugins` part of the file system of the home." if getattr(error, "errno", 0) == errno.EXDEV else ""
        raise UnavailableError(f"cannot change the plugins: {error}", where=str(home.plugins_dir), fix=fix) from error


def _fetch(source: Repository | Path, ref: str, folder: Path) -> tuple[Path, str]:
    """Get a plugin's files into a folder; return where they are, and the name if the manifest has none."""
    if isinstance(source, Path):
        directory = copy_local(source, folder)
        return directory, directory.name
    clone = folder / "clone"
    git.clone(source.url, clone, ref)
    # A URL such as file:///srv/.git names nothing, which is refused as this name is.
    return _subdirectory(clone, source.subdirectory), source.name or "."


def _subdirectory(clone: Path, subdirectory: str) -> Path:
    directory = Path(os.path.realpath(clone / subdirectory))
    fix = "Name a directory of the repository."
    if not directory.is_relative_to(os.path.realpath(clone)):
        raise UsageError(f"Plugin subdirectory '{subdirectory}' escapes the repository", fix=fix)
    if not directory.is_dir():
        raise UsageError(f"Plugin subdirectory '{subdirectory}' is not a directory of the repository", fix=fix)
    return directory


def _checked_name(name: str, home: Home) -> str:
    """Refuse names that lead out of `plugins/` or that no terminal shows as they are (statement J16)."""
    if name in ("", ".", "..") or any(bad in name for bad in ("/", "\\", "..")):
        raise UsageError(f"Invalid plugin name {name!r}: it leads out of {home.plugins_dir}", fix=_NAME_FIX)
    if not name.isprintable() or len(os.fsencode(name)) > _MAX_NAME_BYTES:
        raise UsageError(f"Invalid plugin name {name[:80]!r}: it has control characters or is too long", fix=_NAME_FIX)
    return name


def _check_manifest(name: str, directory: Path, release: str) -> None:
    """Refuse a manifest over which the installer of the release fails (statement J7)."""
    value = manifest.parse(directory / "plugin.yaml").value if (directory / "plugin.yaml").exists() else {}
    if value is not None and not isinstance(value, dict):
        raise UsageError(f"the manifest of '{name}' is not a mapping", fix="Write lines of the form 'key: value'.")
    version = (value or {}).get("manifest_version")
    supported = _installer(release)["_SUPPORTED_MANIFEST_VERSION"]
    try:
        number = 1 if version is None else int(version)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(
            f"Plugin '{name}' has invalid manifest_version {version!r}", fix="Write manifest_version: 1."
        ) from None
    if number > supported:
        raise UsageError(
            f"Plugin '{name}' requires manifest_version {number}, and Hermes {release} takes no more than {supported}",
            fix="Install it into a newer Hermes.",
        )


def _check_target(target: Path, name: str, *, force: bool) -> None:
    if target.is_symlink():
        raise UsageError(f"'{name}' is a link to something else", where=str(target), fix="Remove the link by hand.")
    if not target.exists():
        return
    if not force:
        raise UsageError(
            f"Plugin '{name}' already exists",
            where=str(target),
            fix=f"Run `hermes-sdk plugins update {name}`, or add --force to replace it.",
        )
    if not target.is_dir() or (not manifest.manifest_file(target) and any(target.glob("*/plugin.y*ml"))):
        raise UsageError(
            f"'{name}' is no plugin, but what holds others", where=str(target), fix="Give the plugin another name."
        )


def _installed(directory: Path, examples: list[str], *, changed: bool = True) -> Installed:
    value = _manifest(directory)
    return Installed(str(value.get("name") or directory.name), directory, value, tuple(examples), changed)


def _manifest(directory: Path) -> dict[str, Any]:
    """What the installer sees of the manifest: it does not read `plugin.yml` (statement J6)."""
    value = manifest.parse(directory / "plugin.yaml").value
    return value if isinstance(value, dict) else {}


def _installer(release: str) -> Any:
    return contract.load(release).section("constants")["hermes_cli.plugins_cmd"]
