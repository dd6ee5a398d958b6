"""Preparation of a plugin for the catalog with `--fix`: edits of the manifest, and a directory to ship."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from hermes_sdk import contract
from hermes_sdk.check.options import Options, Settings
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.compat import cells
from hermes_sdk.compat.floor import true_range
from hermes_sdk.compat.matrix import matrices
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.documents import read_text
from hermes_sdk.errors import UsageError
from hermes_sdk.files import keep_line_ends, write_files
from hermes_sdk.home.edit import set_value
from hermes_sdk.manifest import locate, manifest_file, parse, parse_text
from hermes_sdk.operate import git
from hermes_sdk.submit.capabilities import find_uses

SHIPPED = "plugin"
"""The directory for the runtime files of a plugin at the root of its repository."""

_DEVELOPMENT = frozenset(
    {"docs", "examples", "build", "dist", "scripts", "benchmarks", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md"}
    | {"Makefile", "conftest.py", "noxfile.py", "setup.cfg", "tox.ini", "uv.lock", "poetry.lock", SHIPPED}
)


def prepare(path: Path, *, release: str | None = None) -> list[str]:
    """Prepare a plugin on disk, and return a description of the changes; all files are changed atomically.

    The manifest gets the names that the plugin registers, a `manifest_version` that the installers of its releases
    accept, and the tested range of releases unless it has one. For a plugin at the root of its repository, the files
    that users need are copied to a directory.

    Raises:
        UsageError: The plugin has no manifest, or one in which these fields cannot be changed alone.
        UnavailableError: A file cannot be written.
    """
    located = locate(path)
    if located.manifest is None:
        raise UsageError(
            "There is no plugin.yaml to prepare.", where=str(path), fix="Create one in the plugin's directory."
        )
    plugin = Plugin(located, located.directory)
    releases = Options(release=release).releases(Settings(), plugin.fields.get("requires_hermes"))
    fields = dict(_find_fields(plugin, release or releases[-1]))
    old = read_text(located.manifest, root=located.project, encoding="utf-8-sig")
    manifest = keep_line_ends(old, _change_manifest(old, fields, located.manifest)).encode()
    files = {located.manifest: manifest} if fields else {}
    changes = [f"{located.manifest.name}: set {key} to {value!r}" for key, value in fields.items()]
    copies = dict(_copy_runtime_files(plugin, manifest))
    if copies:
        changes.append(f"{SHIPPED}/: copied {len(copies)} files; commit them and run `hermes-sdk submit {SHIPPED}`")
    write_files({**files, **copies}, root=located.project)
    return changes


def _find_fields(plugin: Plugin, release: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of the manifest that have to change, with their values."""
    uses = find_uses(plugin, release)
    for key, names in uses.provides.items():
        declared = plugin.fields.get(key) or []
        missing = [name for name in names if name not in declared] if isinstance(declared, list) else []
        if missing and not uses.problem:
            yield key, [*declared, *missing]
    wanted = plugin.fields.get("requires_hermes")
    if not wanted:
        wanted = _find_range(plugin)
        if wanted:
            yield "requires_hermes", wanted
    version = plugin.fields.get("manifest_version")
    if version is None or (version == 2 and not _accepts_version_two(wanted)):
        yield "manifest_version", 1


def _find_range(plugin: Plugin) -> str | None:
    """Return the releases on which the plugin and its tests work; None if unknown."""
    (matrix,) = matrices([plugin.located], cells.plan(), base=plugin.base)
    return true_range(matrix)


def _accepts_version_two(wanted: object) -> bool:
    """Return whether the installers of all admitted releases accept manifest version 2."""
    try:
        admits = Supported.parse(str(wanted or "")).admits
    except ValueError:
        return False
    admitted = [release for release in contract.known_releases() if admits(release)]
    return all(contract.load(release).behaviour.manifest_version_two_installed for release in admitted)


def _change_manifest(text: str, fields: dict[str, Any], manifest: Path) -> str:
    """Return the text of a manifest with other values, preserving comments, order and all other fields."""
    new, is_exact = text, False
    try:
        for key, value in fields.items():
            new = set_value(new, [key], value)
        is_exact = parse_text(new, manifest).value == {**parse_text(text, manifest).value, **fields}
    except (yaml.YAMLError, ValueError, TypeError):
        pass
    if not is_exact:
        wanted = ", ".join(f"`{key}: {value}`" for key, value in fields.items())
        raise UsageError("the manifest cannot be changed", where=str(manifest), fix=f"Write {wanted} by hand.")
    return new


def _copy_runtime_files(plugin: Plugin, manifest: bytes) -> Iterator[tuple[Path, bytes]]:
    """Yield missing or outdated files of the directory to ship, if the repository's root contains other files."""
    root = plugin.located.directory
    shipped = root / SHIPPED
    if git.find_repository(root) != root or not (others := _find_others(root)):
        return
    existing = manifest_file(shipped)
    if shipped.exists() and (existing is None or parse(existing).value.get("name") != plugin.fields.get("name")):
        raise UsageError(
            f"`{SHIPPED}` exists, but is not a copy of the plugin",
            where=str(shipped),
            fix=f"Rename it, or move {', '.join(sorted(others))} out of the plugin's directory.",
        )
    for file in plugin.files:
        inside = file.relative_to(root)
        if inside.parts[0] not in _DEVELOPMENT:
            copy, content = shipped / inside, manifest if file == plugin.located.manifest else file.read_bytes()
            if not copy.is_file() or copy.read_bytes() != content:
                yield copy, content


def _find_others(root: Path) -> list[str]:
    """Return the files in the root of a repository that users do not need."""
    names = (one.name for one in root.iterdir())
    return [name for name in names if name in _DEVELOPMENT - {SHIPPED} or name in ("tests", "test", ".github")]
