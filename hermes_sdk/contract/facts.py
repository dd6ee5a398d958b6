"""Single facts of a release, each in less than 1 kB: a hook, a member of ``ctx``, or a module of the host."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from hermes_sdk.contract.hook_arguments import find_types, sample
from hermes_sdk.contract.host_modules import find_replacement, is_public
from hermes_sdk.contract.loader import known_releases, load
from hermes_sdk.contract.model import Contract, Parameter
from hermes_sdk.contract.ordering import parse_release
from hermes_sdk.contract.suggestions import suggest
from hermes_sdk.errors import UsageError

Kind = Literal["hook", "member", "module"]

_SINCE = re.compile(r"\s*Since (\d+(?:\.\d+)*)\.")
_MAX_NAMES_LENGTH = 300
"""Maximum length of the listed names of a module."""


class Fact(NamedTuple):
    """The description of a hook, member or module in a release.

    Attributes:
        since: The first release with a known contract that has it.
        arguments: The arguments of every call of a callback or method, each with its type, and its default after ``=``.
        sometimes: Further arguments that a callback receives only in some calls.
        returns: The return value of a callback, or the type of a method's result or of an attribute.
        values: Meaningful return values of a callback, each with its required keys.
        names: Some importable names of a module.
        more: The number of further names.
        documentation: The place in the documentation, for `hermes-sdk docs`; empty if there is none.
    """

    kind: Kind
    name: str
    release: str
    since: str
    summary: str
    example: str
    arguments: Mapping[str, str] = {}
    sometimes: Mapping[str, str] = {}
    returns: str = ""
    values: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    more: int = 0
    documentation: str = ""


def find_fact(kind: Kind, name: str, contract: Contract) -> Fact:
    """Return the description of a hook, member or module in a release.

    Raises:
        UsageError: The release has no hook, member or module of that name.
    """
    list_names: Mapping[Kind, Callable[[Contract], Collection[str]]] = {
        "hook": lambda one: one.hooks,
        "member": lambda one: [member for member in one.context if not member.startswith("_")],
        "module": lambda one: one.host_modules,
    }
    if name not in list_names[kind](contract):
        what = {"hook": "hook", "member": "member of ctx", "module": "module"}[kind]
        problem = f"Hermes {contract.release} has no {what} {name!r}{suggest(name, contract, list_names[kind])}"
        raise UsageError(problem, fix=f"`hermes-sdk contract show {contract.release}` lists hooks and members of ctx.")
    since = next(one for one in known_releases() if name in list_names[kind](load(one)))
    describe = {"hook": _describe_hook, "member": _describe_member, "module": _describe_module}[kind]
    return describe(name, contract, since)


def _describe_hook(name: str, contract: Contract, since: str) -> Fact:
    from hermes_sdk import api

    fact, types = contract.hooks[name], find_types(name)
    prefix = "".join(part.title() for part in name.split("_"))
    callback = getattr(api, f"{prefix}Callback", None)
    passed = fact.arguments - contract.injected_hook_arguments.keys()
    listed = [*(one for one in types if one in passed), *sorted(passed - types.keys())]
    returned = get_type_hints(callback.__call__).get("return") if callback else None
    values = [_make_value(shape) for shape in _find_shapes(returned) if _has_shape(contract, shape)]
    first = [one for one in listed if one in fact.always][: 2 if values else 1]
    body = f"return {values[0]!r}" if values else "pass"
    example = (
        f"def callback({', '.join([*first, '**kwargs'])}):\n    {body}\n\n"
        f'def register(ctx):\n    ctx.register_hook("{name}", callback)'
    )
    return Fact(
        "hook",
        name,
        contract.release,
        since,
        _summarize(getattr(api, f"{prefix}Arguments", None)),
        example,
        {one: _format_type(types.get(one, Any)) for one in listed if one in fact.always},
        {one: _format_type(types.get(one, Any)) for one in listed if one in fact.sometimes},
        re.sub(r"^A callback of ``\w+``[.;] ", "", _summarize(callback)),
        tuple(values),
        documentation=f"reference/hooks#{name}" if callback else "",
    )


def _describe_member(name: str, contract: Contract, since: str) -> Fact:
    from hermes_sdk.api import PluginContext

    member = contract.context[name]
    described = getattr(PluginContext, name, None)
    types: Mapping[str, str] = getattr(getattr(described, "fget", described), "__annotations__", {})
    if described is None and (annotation := _find_annotation(PluginContext, name)):
        types = {"return": annotation}
    required = [one for one in member.parameters if one.default is None and not one.kind.startswith("var_")]
    passed = (f"{one.name}={_make_argument(one, types)}" for one in required)
    call = f"({', '.join(passed)})" if member.kind == "method" else ""
    return Fact(
        "member",
        name,
        contract.release,
        since,
        _summarize(described) or _find_attribute(PluginContext, name),
        f"def register(ctx):\n    ctx.{name}{call}",
        {one.name: _format_parameter(one, types) for one in member.parameters},
        returns=types.get("return", member.returns or ""),
        documentation=f"reference/context#ctx-{name}" if types else "",
    )


def _find_annotation(of: type, name: str) -> str:
    """Return the annotation of an attribute that a class or one of its bases declares; empty if none does."""
    return next((found for one in of.__mro__ if (found := inspect.get_annotations(one).get(name))), "")


def _find_attribute(of: type, name: str) -> str:
    """Return the description of an attribute in a class docstring; empty if there is none."""
    found = re.search(rf"^\s+{name}: (.+)", inspect.getdoc(of) or "", re.MULTILINE)
    return _SINCE.sub("", found[1]) if found else ""


def _make_argument(parameter: Parameter, types: Mapping[str, str]) -> str:
    is_text = types.get(parameter.name, parameter.annotation) == "str"
    return f'"{parameter.name}"' if is_text else parameter.name


def _describe_module(name: str, contract: Contract, since: str) -> Fact:
    public = (one for one in contract.names_in(name) if not one.startswith("_"))
    every = sorted(public, key=lambda one: (one.isupper(), one))
    shown: list[str] = []
    for one in every:
        if len(", ".join([*shown, one])) > _MAX_NAMES_LENGTH:
            break
        shown.append(one)
    replacement = find_replacement(name)
    instead = f" Use {replacement} instead." if replacement else ""
    what = "Plugins are meant to use it." if is_public(name) else f"It is internal to Hermes.{instead}"
    example = f"from {name} import {shown[0]}" if shown else f"import {name}"
    return Fact(
        "module", name, contract.release, since, what, example, names=tuple(shown), more=len(every) - len(shown)
    )


def _format_parameter(parameter: Parameter, types: Mapping[str, str]) -> str:
    default = "" if parameter.default is None else f" = {parameter.default}"
    return f"{types.get(parameter.name, parameter.annotation or 'Any')}{default}"


def _format_type(hint: Any) -> str:
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", inspect.formatannotation(hint))


def _summarize(of: Any) -> str:
    """Return the first paragraph of a docstring without the release that it mentions."""
    first = " ".join(((inspect.getdoc(of) if of else None) or "").partition("\n\n")[0].split())
    return _SINCE.sub("", first)


def _find_shapes(hint: Any) -> Iterator[Any]:
    """Yield the possible return types of a callback: text, or mappings with fixed keys."""
    if hint is str or is_typeddict(hint):
        yield hint
    elif get_origin(hint) in (Union, UnionType):
        for one in get_args(hint):
            yield from _find_shapes(one)


def _has_shape(contract: Contract, shape: Any) -> bool:
    since = _SINCE.search(shape.__doc__) if shape is not str else None
    return since is None or parse_release(since[1]) <= parse_release(contract.release)


def _make_value(shape: Any) -> Any:
    if shape is str:
        return "text"
    types = get_type_hints(shape)
    return {key: sample(key, types[key]) for key in types if key in shape.__required_keys__}
