"""Providers of which a host uses one at a time: memory and context engine (statements G1 and following)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hermes_sdk import contract, manifest
from hermes_sdk.home import Home
from hermes_sdk.operate.state import plugins

BUILT_IN_MEMORY = ""
BUILT_IN_ENGINE = "compressor"


def chosen_memory(home: Home) -> str:
    """Return the memory provider selected in `config.yaml`."""
    return _read_named_provider(home, "memory", "provider") or BUILT_IN_MEMORY


def chosen_engine(home: Home) -> str:
    """Return the context engine selected in `config.yaml`."""
    return _read_named_provider(home, "context", "engine") or BUILT_IN_ENGINE


def memory_providers(home: Home, release: str = contract.DEFAULT) -> list[str]:
    """List the memory providers that the host finds: built-in, bundled, then the user's."""
    children = sorted(home.plugins_dir.iterdir()) if home.plugins_dir.is_dir() else []
    visible = (child for child in children if child.is_dir() and not child.name.startswith((".", "_")))
    own = [child.name for child in visible if manifest.guessed_kind(child) == "exclusive"]
    bundled = _list_bundled("memory", release)
    return [BUILT_IN_MEMORY, *bundled, *(name for name in own if name not in bundled)]


def context_engines(home: Home, release: str = contract.DEFAULT) -> list[str]:
    """List the context engines: built-in, bundled, then those that enabled plugins register.

    The names of the plugins' engines are read from their classes: the attribute ``name``, or a property that returns a
    literal.
    """
    enabled = [plugin.directory for plugin in plugins(home, release) if plugin.status == "enabled"]
    own = sorted({name for directory in enabled if directory for name in _find_engines(directory)})
    return [BUILT_IN_ENGINE, *_list_bundled("context_engine", release), *own]


def _read_named_provider(home: Home, section: str, key: str) -> str:
    values: Any = home.config.get(section)
    return str(values.get(key) or "") if isinstance(values, dict) else ""


def _list_bundled(category: str, release: str) -> list[str]:
    keys = contract.load(release).section("bundled_plugins")
    return sorted(key.removeprefix(f"{category}/") for key in keys if key.startswith(f"{category}/"))


def _find_engines(directory: Path) -> Iterator[str]:
    for file in sorted(directory.rglob("*.py")):
        try:
            source = file.read_bytes()
            tree = ast.parse(source if b"ContextEngine" in source else "")
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and any("ContextEngine" in ast.unparse(base) for base in node.bases):
                yield from _find_literal_names(node)


def _find_literal_names(engine: ast.ClassDef) -> Iterator[str]:
    for node in engine.body:
        match node:
            case ast.Assign(targets=[ast.Name("name")], value=ast.Constant(str() as name)):
                yield name
            case ast.AnnAssign(target=ast.Name("name"), value=ast.Constant(str() as name)):
                yield name
            case ast.FunctionDef(name="name", body=[*_, ast.Return(ast.Constant(str() as name))]):
                yield name
            case _:
                pass
