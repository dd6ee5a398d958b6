"""Functions of Hermes that the embedded host imitates: the data, and its use in `contract radar`."""

import ast
from collections.abc import Iterator
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.contract.imitations import FILE, Suspect, find_suspects, read_imitated
from hermes_sdk.documents import parse_toml

EMBEDDED = FILE.parent
PACKAGE = EMBEDDED.parents[1]
DATA = PACKAGE / "contract" / "data"
READ = tuple(one for one in contract.api_releases() if contract.load(one).base == one)
"""Releases with fingerprints."""


def list_modules(folder: Path) -> Iterator[str]:
    """Return the modules of a folder that contain definitions, as named in `imitated.toml`."""
    for file in folder.rglob("*.py"):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        if any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in body):
            parts = file.relative_to(folder).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


def test_every_module_of_the_embedded_host_is_listed_once() -> None:
    content = parse_toml(FILE.read_text(encoding="utf-8"))
    none = content.pop("none")
    folders = tuple(name.replace("/", ".") for name in none if name.endswith("/"))
    modules = {name for name in list_modules(EMBEDDED) if not name.startswith(folders)}
    listed = [name for name in (*content, *none) if not name.endswith("/") and not name.startswith("hermes_sdk.")]
    assert sorted(listed) == sorted(modules)


def test_modules_outside_the_embedded_host_exist() -> None:
    others = [name for name in parse_toml(FILE.read_text(encoding="utf-8")) if name.startswith("hermes_sdk.")]
    files = [PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in others]
    assert [file for file in files if not file.is_file()] == []


def test_every_imitated_function_exists_and_has_a_fingerprint() -> None:
    found = {function for release in READ for function in contract.load(release).section("fingerprints")}
    assert set(read_imitated()) == found, "after a change of imitated.toml, run `make fingerprints`"


def test_changed_removed_added_and_moved_functions_are_distinguished() -> None:
    names = list(read_imitated())[:7]
    same, changed, removed, added, inherited, renamed, name = names
    before = {same: "a1", changed: "b1", removed: "c1", inherited: "e1", renamed: "f1"}
    after = {same: "a1", changed: "b2", added: "d1", inherited: "e1 m:C.f", name: "f1"}
    found = {one.function: (one.change, one.place) for one in find_suspects(before, after)}
    assert found == {
        changed: ("changed", ""),
        removed: ("removed", ""),
        added: ("added", ""),
        inherited: ("moved", "m:C.f"),
        renamed: ("moved", name),
        name: ("added", ""),
    }


def test_changed_function_lists_the_modules_that_imitate_it() -> None:
    function = "hermes_cli.plugins:PluginManager.invoke_hook"
    assert find_suspects({function: "a"}, {function: "b"}) == [Suspect(function, "changed", "", ("failures", "hooks"))]
