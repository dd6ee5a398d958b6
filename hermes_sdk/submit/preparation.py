"""Preparation of a plugin for the catalog with `--fix`: edits of the manifest, and a directory to ship."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from hermes_sdk import contract
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.upstream import choose_release
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
"""The directory for the runtime files of a plugin that is the root of its repository."""

_DEVELOPMENT = frozenset(
    {"docs", "examples", "build", "dist", "scripts", "benchmarks", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md"}
    | {"Makefile", "conftest.py", "noxfile.py", "setup.cfg", "tox.ini", "uv.lock", "poetry.lock", SHIPPED}
)


def prepare(path: Path, *, release: str | None = None) -> list[str]:
    """Prepare the plugin at a path on disk, and say what was changed; all files are changed or none.

    The manifest gets the names that the plugin registers, a `manifest_version` that the installers of its releases
    take, and the range of releases on which it was seen to work, if it has none. A plugin that is the root of its
    repository gets a directory with a copy of what a user needs.

    Raises:
        UsageError: The plugin has no manifest, or one that cannot be changed at those places alone.
        UnavailableError: The real host is not installed, or a file cannot be written.
    """
    located = locate(path)
    if located.manifest is None:
        raise UsageError("There is no plugin.yaml to prepare.", where=str(path), fix="Write one beside the module.")
    plugin = Plugin(located, located.directory)
    fields = dict(_find_fields(plugin, choose_release(release, plugin.fields.get("requires_hermes"))))
    old = read_text(located.manifest, root=located.project, encoding="utf-8-sig")
    manifest = keep_line_ends(old, _change(old, fields, located.manifest)).encode()
    files = {located.manifest: manifest} if fields else {}
    changes = [f"{located.manifest.name}: {key} is {value!r}" for key, value in fields.items()]
    copies = dict(_copy_runtime_files(plugin, manifest))
    if copies:
        changes.append(f"{SHIPPED}/: copied {len(copies)} files; commit them and run `hermes-sdk submit {SHIPPED}`")
    write_files({**files, **copies}, root=located.project)
    return changes


def _find_fields(plugin: Plugin, release: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of the manifest that have to change, and their values."""
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
    if version is None or (version == 2 and not _takes_version_two(wanted)):
        yield "manifest_version", 1


def _find_range(plugin: Plugin) -> str | None:
    """Return the releases on which the plugin and its tests work; None when nothing shows it."""
    (matrix,) = matrices([plugin.located], cells.plan(), base=plugin.base)
    return true_range(matrix)


def _takes_version_two(wanted: object) -> bool:
    """Return whether the installers of all releases that a range admits take a manifest of version 2."""
    try:
        admits = Supported.parse(str(wanted or "")).admits
    except ValueError:
        return False
    admitted = [release for release in contract.known_releases() if admits(release)]
    return all(contract.load(release).behaviour.manifest_version_two_installed for release in admitted)


def _change(text: str, fields: dict[str, Any], manifest: Path) -> str:
    """Return the text of a manifest with other values; comments, order and everything else in it stay."""
    new, fits = text, False
    try:
        for key, value in fields.items():
            new = set_value(new, [key], value)
        fits = parse_text(new, manifest).value == {**parse_text(text, manifest).value, **fields}
    except (yaml.YAMLError, ValueError, TypeError):
        pass
    if not fits:
        wanted = ", ".join(f"`{key}: {value}`" for key, value in fields.items())
        raise UsageError("the manifest cannot be changed", where=str(manifest), fix=f"Write {wanted} by hand.")
    return new


def _copy_runtime_files(plugin: Plugin, manifest: bytes) -> Iterator[tuple[Path, bytes]]:
    """Yield the files that the directory to ship lacks, for a plugin that is the root of a repository with others."""
    root = plugin.located.directory
    shipped = root / SHIPPED
    if git.find_repository(root) != root or not (others := _find_others(root)):
        return
    there = manifest_file(shipped)
    if shipped.exists() and (there is None or parse(there).value.get("name") != plugin.fields.get("name")):
        raise UsageError(
            f"`{SHIPPED}` exists and is something else than a copy of the plugin",
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
    """Return what is in the root of a repository and of no use to a user."""
    names = (one.name for one in root.iterdir())
    return [name for name in names if name in _DEVELOPMENT - {SHIPPED} or name in ("tests", "test", ".github")]
