"""Discovery of plugins: directories, manifests, entry points, and conflicts of keys (statements A8 to A28, A41)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.contract import Behaviour, Contract
from hermes_sdk.hosts.embedded.loading.manifest_fields import format_author, list_known_capabilities, read_fields
from hermes_sdk.hosts.embedded.plugin import PluginManifest, manifest_class
from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.process.modules import find_source
from hermes_sdk.manifest import ENTRY_POINT_GROUP, EntryPoint, guessed_kind
from hermes_sdk.manifest.forms import MANIFEST_NAMES, PORTABLE_MANIFEST
from hermes_sdk.manifest.kinds import kind_of_source, list_markers
from hermes_sdk.manifest.load import choose_reader, load_yaml

CAPABILITIES_GROUP = "hermes_agent.plugin_capabilities"
logger = logging.getLogger("hermes_cli.plugins")
_FOREIGN_DIRECTORIES = frozenset({".claude-plugin", ".codex-plugin", ".cursor-plugin", ".devin-plugin", ".kimi-plugin"})
"""Directories with plugin manifests for other programs."""
_OWN_DISCOVERY = frozenset({"memory", "context_engine", "platforms", "model-providers"})
_OWN_DISCOVERY_LATER = frozenset({"memory", "context_engine", "model-providers", "cron_providers", "computer_use"})
"""Directories of bundled plugins with a separate discovery."""


class InstalledEntryPoint(NamedTuple):
    """An entry point with metadata of its distribution.

    Attributes:
        capabilities: The capabilities that the distribution declares for the entry point (N27).
    """

    name: str
    value: str
    version: str = ""
    summary: str = ""
    capabilities: tuple[str, ...] = ()


def make_entry_points(entry_points: Sequence[EntryPoint]) -> list[InstalledEntryPoint]:
    """Return entry points without a distribution, with the version 0 that they have on a real host."""
    return [InstalledEntryPoint(*one, version="0") for one in entry_points]


def find_installed(pythonpath: Sequence[Path]) -> list[InstalledEntryPoint]:
    """Return the entry points of the packages in directories."""
    if not pythonpath:
        return []
    from importlib.metadata import distributions

    found = []
    for distribution in distributions(path=[str(directory) for directory in pythonpath]):
        entry_points = distribution.entry_points
        declared = [(one.name, one.value) for one in entry_points if one.group == CAPABILITIES_GROUP]
        for one in entry_points:
            if one.group == ENTRY_POINT_GROUP:
                own = [name for name, value in declared if value == one.value and name.startswith(f"{one.name}.")]
                capabilities = tuple(name.removeprefix(f"{one.name}.") for name in own)
                summary = "".join(distribution.metadata.get_all("Summary") or ())
                found.append(InstalledEntryPoint(one.name, one.value, distribution.version, summary, capabilities))
    return found


def _guess_kind(value: str, contract: Contract) -> str:
    """Guess the kind of a plugin from the source of its entry point's module (A28)."""
    file = find_source(value.partition(":")[0].strip())
    if file is None or file.suffix != ".py":
        return "standalone"
    try:
        return kind_of_source(file.read_text(encoding="utf-8", errors="replace"), list_markers(contract.behaviour))
    except OSError:
        return "standalone"


class Candidate(NamedTuple):
    """A discovered plugin: its manifest, and the mapping from which it was read."""

    manifest: PluginManifest
    raw: dict[str, Any]


def find_plugins(
    home: Path, cwd: Path, entry_points: Iterable[InstalledEntryPoint], contract: Contract
) -> list[Candidate]:
    """Return the plugins of all sources in Hermes' order; only `cwd` is searched for project plugins."""
    found = [*_find_bundled(contract), *scan(home / "plugins", "user", contract)]
    if truthy("HERMES_ENABLE_PROJECT_PLUGINS"):
        found += scan(cwd / ".hermes" / "plugins", "project", contract)
    if contract.behaviour.directory_before_entry_point:
        keys = {one.manifest.lookup_key for one in found}
        entry_points = [one for one in entry_points if one.name not in keys]
    found += [Candidate(_describe(one, contract), {}) for one in entry_points]
    return found


def _find_bundled(contract: Contract) -> Iterator[Candidate]:
    """Read the manifests in the directory of bundled plugins, if an environment variable names one (A8, A10)."""
    named = os.environ.get("HERMES_BUNDLED_PLUGINS")
    if not named:
        return
    root, later = Path(named), contract.behaviour.bundled_platforms_by_path
    yield from scan(root, "bundled", contract, skipped=_OWN_DISCOVERY_LATER if later else _OWN_DISCOVERY)
    if not later:
        yield from scan(root / "platforms", "bundled", contract)


def _describe(one: InstalledEntryPoint, contract: Contract) -> PluginManifest:
    """Return the manifest of an entry point; earlier releases know only its name and module."""
    fields: dict[str, Any] = {}
    if contract.behaviour.manifest_fields_read:
        fields = {
            "version": one.version,
            "description": one.summary,
            "kind": _guess_kind(one.value, contract),
            "capabilities": list_known_capabilities(list(one.capabilities), one.name),
        }
    return manifest_class(contract)(name=one.name, source="entrypoint", path=one.value, key=one.name, **fields)


def keep_winners(candidates: Iterable[Candidate], behaviour: Behaviour) -> list[Candidate]:
    """Keep one plugin per key: the last plugin found, in the position of the first (A12)."""
    slots: dict[Any, Candidate] = {}
    for candidate in candidates:
        key = candidate.manifest.lookup_key
        if behaviour.impostors_ignored and key in slots and _is_impostor(candidate.manifest, slots[key].manifest):
            continue
        slots[key] = candidate
    return list(slots.values())


def _is_impostor(manifest: PluginManifest, bundled: PluginManifest) -> bool:
    """Return whether a plugin only has the name of a bundled one, and log the decision (N12)."""
    if bundled.source != "bundled" or manifest.source not in ("user", "project"):
        return False
    own, wanted = (Path(one.path or "").name for one in (manifest, bundled))
    if own == wanted:
        message = "Plugin '%s' at %s (%s) shadows the bundled copy at %s"
        logger.info(message, manifest.lookup_key, manifest.path, manifest.source, bundled.path)
        return False
    message = (
        "Ignoring %s plugin at %s: its manifest name '%s' is a bundled plugin's key but the directory is named '%s';"
        " rename the directory to '%s' to override the bundled plugin"
    )
    logger.warning(message, manifest.source, manifest.path, manifest.lookup_key, own, wanted)
    return True


def scan(
    root: Path, source: str, contract: Contract, category: str = "", skipped: Collection[str] = ()
) -> Iterator[Candidate]:
    """Read the manifests below one directory: its children, and the children of those without a manifest.

    `source` is ``bundled``, ``user`` or ``project``; `category` is the name of `root` if it is itself a child without
    a manifest. Children with a name in `skipped` are ignored.
    """
    if not root.is_dir():
        return
    for child in sorted(os.scandir(root), key=_get_name):
        if child.name in skipped or not _is_directory(child):
            continue
        is_foreign = child.name in _FOREIGN_DIRECTORIES or (child.name.startswith("__") and child.name.endswith("__"))
        if contract.behaviour.foreign_directories_skipped and is_foreign:
            continue
        files = (f"{child.path}/{name}" for name in MANIFEST_NAMES)
        file = next((file for file in files if os.access(file, os.F_OK)), None)
        if file is not None:
            candidate = _read_candidate(file, child, source, contract, category)
            if candidate is not None:
                yield candidate
        elif contract.behaviour.portable_plugins and os.path.lexists(f"{child.path}/{PORTABLE_MANIFEST}"):
            candidate = _read_portable(Path(child), source, contract, category)
            if candidate is not None:
                yield candidate
        elif category:
            logger.debug("Skipping %s (no plugin.yaml, depth cap reached)", child.path)
        else:
            yield from scan(Path(child), source, contract, child.name)


_get_name: Callable[[os.DirEntry[str]], str] = attrgetter("name")


def _is_directory(entry: os.DirEntry[str]) -> bool:
    # Only `Path` treats a circular link as "no directory".
    return Path(entry).is_dir() if entry.is_symlink() else entry.is_dir()


def _read_candidate(
    file: str, directory: os.DirEntry[str], source: str, contract: Contract, category: str
) -> Candidate | None:
    try:
        with open(file, "rb", buffering=0) as opened:  # noqa: PTH123
            text = opened.read().decode()
        raw = load_yaml(text, choose_reader(contract.behaviour)) or {}
        if contract.behaviour.manifest_mapping_checked and not isinstance(raw, dict):
            got = type(raw).__name__
            logger.warning("Failed to parse %s: top level must be a mapping, got %s (#14066)", file, got)
            return None
        return Candidate(_make_manifest(raw, directory, source, contract, category), raw)
    except Exception as error:
        logger.warning("Failed to parse %s: %s", file, error, exc_info=truthy("HERMES_PLUGINS_DEBUG"))
        return None


def _read_portable(directory: Path, source: str, contract: Contract, category: str) -> Candidate | None:
    from hermes_sdk.manifest import portable

    try:
        known, ignored = portable.read_manifest(directory)
    except ValueError as error:
        logger.warning("Failed to parse %s: %s", directory / portable.MANIFEST, error)
        return None
    for one in ignored:
        logger.warning("Agent Plugin '%s': %s", directory, one)
    key = f"{category}/{directory.name}" if category else known["name"]
    later: dict[str, Any] = {"portable": True, "skill_namespace": portable.namespace(key)}
    manifest = manifest_class(contract)(
        name=known["name"],
        version=known.get("version", ""),
        description=known.get("description", ""),
        author=format_author(known.get("author", "")),
        source=source,
        path=str(directory),
        key=key,
        **later,
    )
    return Candidate(manifest, {})


def _make_manifest(
    raw: dict[str, Any], directory: os.DirEntry[str], source: str, contract: Contract, category: str
) -> PluginManifest:
    name = raw.get("name", directory.name)
    key = f"{category}/{directory.name}" if category else name
    behaviour = contract.behaviour
    kind = _choose_kind(raw, key, directory, contract)
    author, later = raw.get("author", ""), {}
    if behaviour.manifest_fields_read:
        author, later = format_author(author), read_fields(raw, key, contract)
    return manifest_class(contract)(
        name=name,
        version=str(raw.get("version", "")),
        description=raw.get("description", ""),
        author=author,
        requires_env=raw.get("requires_env", []),
        provides_tools=raw.get("provides_tools", []),
        provides_hooks=raw.get("provides_hooks", raw.get("hooks", []) if behaviour.hooks_declared else []),
        source=source,
        path=directory.path,
        kind=kind,
        key=key,
        **later,
    )


def _choose_kind(raw: dict[str, Any], key: Any, directory: os.DirEntry[str], contract: Contract) -> str:
    declared = raw.get("kind", "standalone")
    kind = declared.strip().lower() if isinstance(declared, str) else "standalone"
    kinds = contract.plugin_kinds
    if kind not in kinds:
        message = "Plugin %s: unknown kind '%s' (valid: %s); treating as 'standalone'"
        logger.warning(message, key, declared, ", ".join(sorted(kinds)))
        return "standalone"
    return kind if "kind" in raw else guessed_kind(directory, list_markers(contract.behaviour))
