"""Describe a class of the package: each member with its signature and the text of its docstring."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

import griffe
from writing import attributes, code, describe, entries, entry, essential, keys, kind, public, remove_mark, since, text

from hermes_sdk.documentation import make_anchor

_LATER = "Arguments that later releases add."
"""The description of ``**kwargs`` that the introduction of providers gives."""
_ENDS = {griffe.DocstringSectionKind.returns: "Returns", griffe.DocstringSectionKind.raises: "Raises"}
_SHORT_CALL = 65
"""Maximum number of characters of a call in its heading."""
_LINE = 140
"""Maximum number of characters of a call in the line below its heading; a longer call gets a block of code."""


def members(of: griffe.Class) -> dict[str, griffe.Object]:
    """Return the public members of a class and its bases."""
    resolved = (one.final_target if isinstance(one, griffe.Alias) else one for one in of.all_members.values())
    return {one.name: one for one in resolved if isinstance(one, griffe.Object) and not one.name.startswith("_")}


def title(name: str, level: int, shown: str = "") -> str:
    """Return a heading whose anchor is the name; ``shown`` is its text, by default the name."""
    anchor = name.replace(".", "-")
    mark = "" if make_anchor(shown or name) == anchor else f" {{#{anchor}}}"
    return f"{'#' * level} `{shown or name}`{mark}\n"


def describe_member(owner: str, of: griffe.Object, level: int, said: str = "", shared: Collection[str] = ()) -> str:
    """Describe a method or an attribute.

    Args:
        owner: The class or the name in front of the dot.
        of: The method or the attribute.
        level: The level of the heading.
        said: The description of an attribute without a docstring.
        shared: Descriptions of arguments to omit.
    """
    name = f"{owner}.{of.name}" if owner else of.name
    if isinstance(of, griffe.Function):
        return "\n".join(_function(name, of, level, shared))
    assert isinstance(of, griffe.Attribute)
    type_ = kind(of.annotation)
    shown = f" Type: {code(type_)}." if type_ != "str" else ""
    return f"{title(name, level)}\n{describe(of, said)}{shown}\n"


def is_field(of: griffe.Object) -> bool:
    """Return whether a member of a class is an attribute, and not a property or a method."""
    return isinstance(of, griffe.Attribute) and "property" not in of.labels


def describe_class(of: griffe.Class, level: int, omitted: Collection[str] = ()) -> Iterator[str]:
    """Describe a class: its purpose, a list of its attributes, and each of its methods, without omitted members."""
    yield f"{title(of.name, level)}\n{describe(of)}\n"
    yield from describe_members(of, level + 1, omitted)


def describe_members(of: griffe.Class, level: int, omitted: Collection[str] = ()) -> Iterator[str]:
    """Describe the attributes and methods of a class; arguments that several methods share are described once."""
    found = [one for one in members(of).values() if one.name not in omitted]
    listed = [keys(of, omitted)] if any(attributes(of)) else []
    for one in found:
        if isinstance(one, griffe.Attribute) and not is_field(one):
            listed.append(entry(one.name, kind(one.annotation), remove_mark(text(one)), release=since(text(one))))
    if any(listed):
        yield "\n".join(filter(None, listed)) + "\n"
    methods = [one for one in found if isinstance(one, griffe.Function)]
    count = Counter(shown for one in methods for shown in _arguments(one))
    shared = [shown for shown, number in count.items() if number > 1]
    if shared:
        yield "\n".join(["Shared arguments:\n", *sorted(shared)]) + "\n"
    yield from (describe_member(of.name, one, level, shared=shared) for one in methods)


def _function(name: str, of: griffe.Function, level: int, shared: Collection[str]) -> Iterator[str]:
    written = [*_write_parameters(_parameters(of))]
    awaited = "await " if "async" in of.labels else ""
    call = f"{awaited}{name}({', '.join(written)})"
    yield title(name, level, call if len(call) <= _SHORT_CALL else "")
    if len(call) > _LINE:
        lines = "".join(f"    {one},\n" for one in written)
        yield f"```python\n{awaited}{name}(\n{lines})\n```\n"
    elif len(call) > _SHORT_CALL:
        yield f"`{call}`\n"
    yield f"{describe(of)}\n"
    described = [shown for shown in _arguments(of) if shown not in shared]
    if described:
        yield "\n".join(described) + "\n"
    for part in of.docstring.parsed if of.docstring else []:
        if part.kind in _ENDS:
            told = [_end(part.kind, entry) for entry in part.value if str(entry.annotation) != "TypeError"]
            if told:
                yield f"**{_ENDS[part.kind]}.** {' '.join(told)}\n"


def _parameters(of: griffe.Function) -> list[griffe.Parameter]:
    return [one for one in of.parameters if one.name not in ("self", "cls")]


def _arguments(of: griffe.Function) -> list[str]:
    """Describe the parameters of a function, except self-explanatory ones and those that are fields of its result."""
    texts = entries(of, griffe.DocstringSectionKind.parameters)
    fields = {(one.name, said) for result in public(of.returns) for one, said in _fields(result)}
    found = []
    for one in _parameters(of):
        name = _format_stars(one) + one.name
        said = texts.get(name) or texts.get(one.name, "")
        if (one.name, said) in fields:
            continue
        told, type_ = remove_mark(said), kind(one.annotation)
        if str(one.default) == "None":
            type_ = type_.removesuffix(" | None")
        if told != _LATER and (essential(one.name, type_, told) or since(said)):
            found.append(entry(name, type_, told, release=since(said)))
    return found


def _fields(of: griffe.Object) -> Iterator[tuple[griffe.Attribute, str]]:
    return attributes(of) if isinstance(of, griffe.Class) else iter(())


def _end(section: griffe.DocstringSectionKind, entry: Any) -> str:
    what = f"{code(entry.annotation)}: " if section is griffe.DocstringSectionKind.raises else ""
    return what + " ".join(entry.description.split())


def _write_parameters(parameters: list[griffe.Parameter]) -> Iterator[str]:
    """Yield the parameters in Python syntax, including the markers `/` and `*`."""
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
    stars = _format_stars(one)
    default = str(one.default)
    if default.startswith("'"):  # Use double quotes, as this repository does.
        default = json.dumps(ast.literal_eval(default))
    return f"{stars}{one.name}" + (f"={default}" if one.default is not None and not stars else "")


def _format_stars(one: griffe.Parameter) -> str:
    stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
    return stars.get(one.kind, "") if one.kind else ""
