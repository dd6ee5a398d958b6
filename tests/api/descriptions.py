"""Members of the classes of `hermes_sdk.api` in each release, read from their source and the marks in docstrings.

``Since 0.17.0.`` in the summary of a class or member, or in the text of an argument or attribute, is its first release.
``Until 0.15.0 there were also ``name(argument)``.`` in the docstring of a class lists removed members.
"""

import ast
import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk import api, contract
from hermes_sdk.contract import Member, parse_release

NEWEST = contract.load(contract.DEFAULT)
RELEASES = tuple(one for one in contract.known_releases() if parse_release(one) <= parse_release(contract.DEFAULT))
"""All releases up to the default one, including those whose contract is derived from a neighbour's."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef
CLASSES = {
    node.name: node
    for path in sorted(Path(api.__file__).parent.rglob("*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}


class Fact(NamedTuple):
    """Kind of a member, and for a function the name, kind and default of each parameter except ``self``."""

    kind: str
    parameters: tuple[tuple[str, str, str | None], ...] = ()


def exists_in(mark: str | None, release: str) -> bool:
    """Return whether a name with this mark exists in a release."""
    return parse_release(mark or RELEASES[0]) <= parse_release(release)


def since(text: str) -> str | None:
    found = re.search(r"\bSince (\d+\.\d+\.\d+)\.", text)
    return found and found[1]


def split(docstring: str) -> tuple[str, dict[str, str]]:
    """Return the summary of a docstring, and the text of each entry in its sections."""
    text = inspect.cleandoc(docstring)
    entries = re.findall(r"^    \**(\w+): ((?:.|\n(?!    \**\w+: |\n))*)", text, re.MULTILINE)
    return text.partition("\n\n")[0], dict(entries)


def lineage(name: str) -> list[ast.ClassDef]:
    """Return the definitions of a class and its bases, bases first; TypedDicts have no bases at run time."""
    node = CLASSES[name]
    return [one for base in node.bases if ast.unparse(base) in CLASSES for one in lineage(ast.unparse(base))] + [node]


def attributes(name: str) -> dict[str, str]:
    """Return the texts about attributes in the docstrings of a class and its bases."""
    return {key: text for node in lineage(name) for key, text in split(ast.get_docstring(node) or "")[1].items()}


def class_since(name: str) -> str | None:
    return since(split(ast.get_docstring(CLASSES[name]) or "")[0])


def describe_members(name: str, release: str) -> dict[str, Fact]:
    """Return the public members of a class of this package in a release."""
    texts = attributes(name)
    found: dict[str, Fact] = {}
    for statement in (statement for node in lineage(name) for statement in node.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            attribute = statement.target.id
            if exists_in(since(texts[attribute]), release):
                found[attribute] = Fact("attribute")
        elif isinstance(statement, _Function) and "overload" not in _decorators(statement):
            summary, arguments = split(ast.get_docstring(statement) or "")
            if exists_in(since(summary), release):
                found[statement.name] = _function(statement, arguments, release)
    return {key: fact for key, fact in {**found, **find_removed(name, release)}.items() if not key.startswith("_")}


def find_removed(name: str, release: str) -> dict[str, Fact]:
    found = re.search(r"Until (\S+) there were also (.+)\.", ast.get_docstring(CLASSES[name]) or "")
    if found is None or exists_in(found[1], release):
        return {}
    functions = [ast.parse(f"def {text}: ...").body[0] for text in re.findall(r"``(.+?)``", found[2])]
    return {one.name: _function(one, {}, release, bound=False) for one in functions if isinstance(one, _Function)}


def _decorators(function: _Function) -> list[str]:
    return [ast.unparse(one) for one in function.decorator_list]


def _function(function: _Function, texts: dict[str, str], release: str, *, bound: bool = True) -> Fact:
    decorators = _decorators(function)
    if "property" in decorators:
        return Fact("property")
    kind = "staticmethod" if "staticmethod" in decorators else "method"
    parameters = _parameters(function.args)[bound and kind == "method" :]
    marks = {name: since(texts.get(name, "")) for name, _, _ in parameters}
    return Fact(
        f"async {kind}" if isinstance(function, ast.AsyncFunctionDef) else kind,
        tuple(one for one in parameters if exists_in(marks[one[0]], release)),
    )


def _parameters(of: ast.arguments) -> list[tuple[str, str, str | None]]:
    plain = [*of.posonlyargs, *of.args]
    defaults = [None] * (len(plain) - len(of.defaults)) + [ast.unparse(one) for one in of.defaults]
    found = [(one.arg, "positional_or_keyword", default) for one, default in zip(plain, defaults, strict=True)]
    if of.vararg:
        found.append((of.vararg.arg, "var_positional", None))
    found += [
        (one.arg, "keyword_only", default and ast.unparse(default))
        for one, default in zip(of.kwonlyargs, of.kw_defaults, strict=True)
    ]
    if of.kwarg:
        found.append((of.kwarg.arg, "var_keyword", None))
    return found


def read_promised(members: dict[str, Any]) -> dict[str, Fact]:
    """Return the public members of a class in the raw contract."""
    return {name: _fact(fact) for name, fact in members.items() if not name.startswith("_")}


def _fact(fact: dict[str, Any]) -> Fact:
    parameters = tuple(
        (one["name"], one.get("kind", "positional_or_keyword"), one.get("default"))
        for one in fact.get("parameters", ())
    )
    return Fact(f"async {fact['kind']}" if fact.get("async") else fact["kind"], parameters)


def member_facts(members: dict[str, Member]) -> dict[str, Fact]:
    """Return the public members among parsed members of the contract."""
    return {
        name: Fact(one.kind, tuple((p.name, p.kind, p.default) for p in one.parameters))
        for name, one in members.items()
        if not name.startswith("_")
    }
