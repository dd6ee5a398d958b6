"""Discovery of memory providers: in the home, then among the installed packages (statement G1)."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.process.modules import find_source
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.interface.memory import is_provider, provider_names
from hermes_sdk.manifest import MEMORY_GROUP
from hermes_sdk.manifest.kinds import MEMORY

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


_METHOD, _BASE = MEMORY


def find_provider(name: str, state: HostState) -> Path | EntryPoint | None:
    """Return the directory of a provider, or its entry point if that is not a package, or None.

    Raises:
        NotSupported: Hermes would load a bundled provider or that of a project.
    """
    directory = state.home_path() / "plugins" / name
    if is_bundled(directory, state):
        fix = "Choose another name for the memory provider of the plugin, or run this on the real host."
        raise state.unsupported(f"load the memory provider {name!r}, which comes with the host", fix)
    if is_memory_provider(directory, state):
        return directory
    if not state.behaviour.memory_providers_installed:
        return None
    project = state.cwd / ".hermes" / "plugins" / name
    if truthy("HERMES_ENABLE_PROJECT_PLUGINS") and is_memory_provider(project, state):
        raise state.unsupported(f"load the memory provider {name!r} of a project")
    entry_point = find_installed(name, state)
    if entry_point is None:
        return None
    file = find_source(entry_point.value.partition(":")[0].strip())
    return file.parent if file is not None and file.name == "__init__.py" else entry_point


def is_memory_provider(directory: Path, state: HostState) -> bool:
    """Return whether the release treats a directory as a memory provider (G1)."""
    return is_provider(directory) or (_defines_provider(directory) and state.behaviour.memory_modules_parsed)


def _defines_provider(directory: Path) -> bool:
    """Return whether a top-level module of a package registers a memory provider or defines its class."""
    modules = directory.glob("*.py") if (directory / "__init__.py").is_file() else ()
    return any(_defines(node, bases) for tree, bases in map(_parse, modules) for node in ast.walk(tree))


def _parse(module: Path) -> tuple[ast.Module, set[str]]:
    """Return the tree of a module and its names for the base class; both are empty if it cannot be parsed."""
    try:
        tree = ast.parse(module.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], []), set()
    imported = [one for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for one in node.names]
    return tree, {_BASE, *(one.asname for one in imported if one.name == _BASE and one.asname)}


def _defines(node: ast.AST, bases: set[str]) -> bool:
    if isinstance(node, ast.Call):
        return _read_name(node.func) == _METHOD
    return isinstance(node, ast.ClassDef) and any(_read_name(base) in bases for base in node.bases)


def _read_name(node: ast.expr) -> str:
    """Return the last part of a dotted name, or an empty string for other expressions."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_bundled(directory: Path, state: HostState) -> bool:
    """Return whether a bundled provider takes precedence over a directory of the home."""
    is_plugin = directory.parent == state.home_path() / "plugins"
    return is_plugin and directory.name in state.contract.bundled_memory_providers


def list_providers(state: HostState) -> dict[str, Path | EntryPoint]:
    """Return the providers by name: directories of the home, sorted, then other entry points in their order."""
    home = state.home_path()
    found: dict[str, Path | EntryPoint] = {name: home / "plugins" / name for name in provider_names(home)}
    for one in _entry_points(state):
        found.setdefault(one.name, one)
    return found


def find_installed(name: str, state: HostState) -> EntryPoint | None:
    """Return the first entry point with a name among the installed packages, if the release reads them."""
    return next((one for one in _entry_points(state) if one.name == name), None)


def _entry_points(state: HostState) -> list[EntryPoint]:
    if not state.behaviour.memory_providers_installed or not state.pythonpath:
        return []
    from importlib.metadata import distributions

    found = distributions(path=[str(place) for place in state.pythonpath])
    return [one for distribution in found for one in distribution.entry_points.select(group=MEMORY_GROUP)]
