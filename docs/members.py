"""Describe a class of the package: each member with its signature and the text of its docstring."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

import griffe
from writing import attributes, code, entries, keys, kind, since, text, unmarked

_ENDS = {griffe.DocstringSectionKind.returns: "Returns", griffe.DocstringSectionKind.raises: "Raises"}


def members(of: griffe.Class) -> dict[str, griffe.Object]:
    """The public members of a class and its bases."""
    resolved = (one.final_target if isinstance(one, griffe.Alias) else one for one in of.all_members.values())
    return {one.name: one for one in resolved if isinstance(one, griffe.Object) and not one.name.startswith("_")}


def title(name: str, level: int, call: str = "") -> str:
    """A heading with a stable anchor; ``call`` follows the name."""
    return f"{'#' * level} `{name}{call}` {{ #{name.replace('.', '-')} }}\n"


def member(owner: str, of: griffe.Object, level: int, said: str = "") -> str:
    """A method or an attribute; ``said`` is for one without a docstring of its own."""
    name = f"{owner}.{of.name}" if owner else of.name
    told = since(text(of))
    mark = f"*Since {told}.* " if told else ""
    lines = []
    if isinstance(of, griffe.Function):
        parameters = [one for one in of.parameters if one.name != "self"]
        lines += [title(name, level, "" if parameters else "()"), *_function(name, of, mark)]
    else:
        assert isinstance(of, griffe.Attribute)
        lines.append(title(name, level))
        lines.append(f"{mark}{unmarked(text(of) or said)} Type: {code(kind(of.annotation))}.\n")
    return "\n".join(lines)


def whole(of: griffe.Class, level: int, owner: str = "") -> Iterator[str]:
    """A class: what it is for, its attributes in a table, and each of its methods."""
    yield f"{'#' * level} `{of.name}` {{ #{of.name} }}\n\n{text(of)}\n"
    found = members(of).values()
    properties = [one for one in found if isinstance(one, griffe.Attribute) and "property" in one.labels]
    rows = [[code(one.name), code(kind(one.annotation)), since(text(one)), unmarked(text(one))] for one in properties]
    if properties or any(attributes(of)):
        yield keys(of, rows)
    yield from (member(owner or of.name, one, level + 1) for one in found if isinstance(one, griffe.Function))


def _function(name: str, of: griffe.Function, mark: str) -> Iterator[str]:
    parameters = [one for one in of.parameters if one.name != "self"]
    awaited = "await " if "async" in of.labels else ""
    if parameters or awaited:
        yield f"```python\n{awaited}{name}({_shown(list(_written(parameters)))})\n```\n"
    yield f"{mark}{unmarked(text(of))}\n"
    texts = entries(of, griffe.DocstringSectionKind.parameters)
    if parameters:
        yield "\n".join(_argument(one, texts) for one in parameters) + "\n"
    for part in of.docstring.parsed if of.docstring else []:
        if part.kind in _ENDS:
            yield f"**{_ENDS[part.kind]}.** {' '.join(_end(part.kind, entry) for entry in part.value)}\n"


def _end(section: griffe.DocstringSectionKind, entry: Any) -> str:
    what = f"{code(entry.annotation)}: " if section is griffe.DocstringSectionKind.raises else ""
    return what + " ".join(entry.description.split())


def _shown(parameters: list[str]) -> str:
    line = ", ".join(parameters)
    return line if len(line) < 80 else "".join(f"\n    {one}," for one in parameters) + "\n"


def _argument(one: griffe.Parameter, texts: dict[str, str]) -> str:
    name = _stars(one) + one.name
    said = texts.get(name) or texts.get(one.name, "")
    told = f", since {since(said)}" if since(said) else ""
    return f"- {code(name)} ({code(kind(one.annotation))}{told}): {' '.join(unmarked(said).split())}"


def _written(parameters: list[griffe.Parameter]) -> Iterator[str]:
    """The parameters as Python writes them, with the slash and the star that stand alone."""
    star = slash = False
    for one in parameters:
        if slash and one.kind is not griffe.ParameterKind.positional_only:
            yield "/"
        slash = one.kind is griffe.ParameterKind.positional_only
        if one.kind is griffe.ParameterKind.keyword_only and not star:
            yield "*"
        star = star or one.kind in (griffe.ParameterKind.var_positional, griffe.ParameterKind.keyword_only)
        yield _parameter(one)
    if slash:
        yield "/"


def _parameter(one: griffe.Parameter) -> str:
    stars = _stars(one)
    default = str(one.default)
    if default.startswith("'"):  # Texts as this repository writes them.
        default = json.dumps(ast.literal_eval(default))
    return f"{stars}{one.name}" + (f"={default}" if one.default is not None and not stars else "")


def _stars(one: griffe.Parameter) -> str:
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    return stars.get(one.kind, "") if one.kind else ""
