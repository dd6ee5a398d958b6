"""Stubs of the host's modules match the newest release and cover the stand-ins."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded import standins
from hermes_sdk.hosts.embedded.host import EmbeddedHost

STUBS = Path(__file__).parents[2] / "hermes_sdk/_stubs"
STANDINS = Path(standins.__file__).parent / "modules"
NEWEST = contract.load(contract.DEFAULT)
KNOWN = [contract.load(release) for release in contract.known_releases()]


def name_module(path: Path) -> str:
    package, *rest = path.with_suffix("").parts
    return ".".join([package.removesuffix("-stubs"), *rest]).removesuffix(".__init__")


TYPED = {name_module(path.relative_to(STUBS)): ast.parse(path.read_text("utf-8")) for path in STUBS.rglob("*.pyi")}
STOOD_IN_FOR = sorted(name_module(path.relative_to(STANDINS)) for path in STANDINS.rglob("*.py"))


def list_names(stub: ast.Module) -> set[str]:
    """Return the names that a stub defines or re-exports."""
    names: set[str] = set()
    for statement in stub.body:
        match statement:
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AnnAssign(target=ast.Name(id=name))
                | ast.Assign(targets=[ast.Name(id=name)])
            ):
                names.add(name)
            case ast.ImportFrom(names=aliases):
                names |= {alias.name for alias in aliases if alias.asname == alias.name}
    return names


@pytest.fixture(scope="module")
def standins() -> Iterator[None]:
    with Home.temporary() as home, EmbeddedHost(home, NEWEST.release):
        yield


@pytest.mark.parametrize("name", STOOD_IN_FOR)
def test_stub_has_all_names_of_the_stand_in(name: str, standins: None) -> None:
    names = list_names(TYPED[name])
    assert set(getattr(importlib.import_module(name), "__all__", ())) <= names
    assert names <= {one for known in KNOWN for one in known.names_in(name)}


FACTS = {**NEWEST.section("classes"), **NEWEST.section("dataclasses")}


def is_bare(node: ast.ClassDef) -> bool:
    """Return whether a stub declares only the name of a class that the contract lacks."""
    return ast.unparse(node).startswith(f"class {node.name}(Any):") and len(node.body) == 1 and node.name not in FACTS


CLASSES = {
    node.name: node
    for stub in TYPED.values()
    for node in stub.body
    if isinstance(node, ast.ClassDef) and not is_bare(node)
}


def parameters(function: ast.FunctionDef) -> list[str]:
    names = [*function.args.args[1:], *function.args.kwonlyargs, function.args.kwarg]
    return [one.arg for one in names if one]


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_stub_class_members_match_the_contract(name: str) -> None:
    body = CLASSES[name].body
    methods = {one.name: parameters(one) for one in body if isinstance(one, ast.FunctionDef) and one.name[0] != "_"}
    members = FACTS[name]["members"]
    assert methods == {
        member: [parameter["name"] for parameter in fact.get("parameters", ())]
        for member, fact in members.items()
        if fact["kind"] != "attribute"
    }
    attributes = {one.target.id for one in body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
    assert attributes == {
        *(field["name"] for field in FACTS[name].get("fields", ())),
        *(member for member, fact in members.items() if fact["kind"] == "attribute"),
    }
