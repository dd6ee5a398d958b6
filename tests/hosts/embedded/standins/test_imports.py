"""Only plugins and other stand-ins import stand-ins, by statement or by name; the embedded host does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from hermes_sdk.hosts import embedded

HOST = Path(embedded.__file__).parent
STANDINS = HOST / "standins"
MODULES = STANDINS / "modules"
PACKAGE = "hermes_sdk.hosts.embedded.standins"


def host_name(path: Path) -> str:
    """Return the name of the host's module for the file of a stand-in."""
    return ".".join(path.relative_to(MODULES).with_suffix("").parts).removesuffix(".__init__")


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in HOST.rglob("*.py")}
NAMES = {host_name(path): path for path in TREES if MODULES in path.parents}


def list_imports(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a module imports by statement, or by name in calls that import or find modules."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=str(module), names=aliases):
                yield module
                yield from (f"{module}.{alias.name}" for alias in aliases)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__" | "find_spec")
                | ast.Attribute(attr="import_module" | "find_spec"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name
            case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Constant(value=str(name))):
                yield name
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="modules")), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name
            case _:
                pass


def stood_in_for(tree: ast.Module) -> set[str]:
    """Return the modules with a stand-in that a module imports, by their own names or as our files."""
    return {name.removeprefix(f"{PACKAGE}.modules.") for name in list_imports(tree)} & NAMES.keys()


@pytest.mark.parametrize(
    "line",
    [
        "from hermes_sdk.hosts.embedded.standins.modules.hermes_cli import plugins",
        "import hermes_cli.plugins",
        "from hermes_cli.plugins import get_plugin_manager",
        "importlib.import_module('hermes_cli.plugins').get_plugin_manager()",
        "__import__('hermes_cli.plugins')",
        "sys.modules['hermes_cli.plugins']",
        "sys.modules.get('hermes_cli.plugins')",
    ],
)
def test_import_of_standin_is_found(line: str) -> None:
    assert stood_in_for(ast.parse(line)) - {"hermes_cli"} == {"hermes_cli.plugins"}


def test_host_does_not_import_standins() -> None:
    parts = {path: tree for path, tree in TREES.items() if STANDINS not in path.parents}
    assert parts
    found = {path: stood_in_for(tree) for path, tree in parts.items()}
    assert not {path.relative_to(HOST).as_posix(): names for path, names in found.items() if names}
    assert not [path for path, tree in parts.items() if any(name.startswith(PACKAGE) for name in list_imports(tree))]


def test_standins_have_no_import_cycles() -> None:
    graph = {name: stood_in_for(TREES[path]) - {name} for name, path in NAMES.items()}
    assert any(graph.values())
    assert list(TopologicalSorter(graph).static_order())
