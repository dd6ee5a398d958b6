"""Classes of Hermes for plugins, created from the contract of a release, with our own default methods."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from types import CodeType, FunctionType
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar

from hermes_sdk.contract import Contract, Member
from hermes_sdk.contract.model import member

_Class = TypeVar("_Class")


def of_module(name: str) -> Callable[[type[_Class]], type[_Class]]:
    """Set the module of a class to one of Hermes'; place it above ``@dataclass``, which looks up that module."""

    def mark(cls: type[_Class]) -> type[_Class]:
        cls.__module__ = name
        return cls

    return mark


def derive_class(cls: type[_Class], **facts: Any) -> type[_Class]:
    """Derive a class for one host, with facts of that host as attributes; plugins may change it."""
    made: Any = type(cls.__name__, (cls,), {"__module__": cls.__module__, "__doc__": cls.__doc__, **facts})
    return made  # type: ignore[no-any-return]


_HIDDEN = frozenset({"_gateway_accepted", "profile_route_rejected"})
"""Fields that are excluded from ``__repr__`` and comparisons; those with an underscore are not parameters either."""


class Defaults:
    """Default methods of a class; their arguments are passed by keyword.

    A member of the release without a default does nothing if it is in `idle`, as in Hermes; otherwise, it raises
    `NotSupported`. Members with an underscore are added unchanged.
    """

    idle: ClassVar[frozenset[str]] = frozenset()


class State(Protocol):
    """The parts of a host's state that the classes use."""

    contract: Contract
    classes: dict[str, Any]

    def unsupported(self, action: str, fix: str = "") -> Exception:
        """Return the error for an unsupported action, and record it."""
        ...


class Classes:
    """Creates classes of one module of Hermes; the namespace contains their bases and the names in annotations."""

    def __init__(self, state: State, namespace: Mapping[str, Any]) -> None:
        self._state = state
        self._contract = state.contract
        self._namespace = namespace

    def make(self, name: str, defaults: type[Defaults] = Defaults, **attributes: Any) -> Any:
        """Create a class once per host, with `attributes` for its defaults; return None if the release lacks it."""
        if name in self._state.classes:
            return self._state.classes[name]
        section = _find_section(self._contract, name)
        if section is None:
            return None
        names = {**self._namespace, "_defaults": defaults, **_load_helpers(), "_refuse": partial(self._refuse, name)}
        for base in self._contract.section(section)[name]["bases"]:
            # On later releases, a base class of Hermes has members that the class itself had before.
            if base not in names and base not in vars(builtins):
                names[base] = self.make(base, defaults)
        defaulted = frozenset(member for cls in defaults.__mro__[:-1] for member in vars(cls))
        exec(_compile_class(self._contract, section, name, defaulted, defaults.idle), names)
        made = names[name]
        made.__doc__ = defaults.__doc__
        # Set the name afterwards, since the module may not be loaded yet when the class is created.
        made.__module__ = self._contract.section(section)[name]["module"]
        for value in vars(made).values():
            method = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if isinstance(method, FunctionType):
                method.__module__ = made.__module__
        for cls in reversed(defaults.__mro__[:-1]):
            for member_name, value in vars(cls).items():
                if member_name.startswith("_") and not member_name.startswith("__"):
                    setattr(made, member_name, value)
        for attribute, value in attributes.items():
            setattr(made, attribute, value)
        self._state.classes[name] = made
        return made

    def _refuse(self, owner: str, name: str) -> NoReturn:
        raise self._state.unsupported(f"model {owner}.{name}")


def _find_section(contract: Contract, name: str) -> str | None:
    return next((one for one in _SOURCES if name in contract.section(one)), None)


@functools.cache
def _compile_class(
    contract: Contract, section: str, name: str, known: frozenset[str], idle: frozenset[str]
) -> CodeType:
    fact = contract.section(section)[name]
    lines = [*_SOURCES[section](name, fact), *_generate_members(fact, known, idle)]
    source = "\n".join([lines[0], *(f"    {line}" for line in lines[1:] or ["pass"])])
    return compile(source, f"<{name}>", "exec", dont_inherit=True)


def _generate_class(name: str, fact: Mapping[str, Any]) -> list[str]:
    return [f"class {name}({', '.join(fact['bases'])}):"]


def _generate_dataclass(name: str, fact: Mapping[str, Any]) -> list[str]:
    options = "frozen=True" if fact["frozen"] else "init=False, repr=False, eq=False"
    return [
        f"@_dataclass({options})\nclass {name}:",
        # Without a docstring, the decorator would generate one from the signature, which is slow.
        repr(name),
        *(f"{field['name']}: {field['annotation']!r}{_format_default(field)}" for field in fact["fields"]),
    ]


def _format_default(field: Mapping[str, Any]) -> str:
    default = field.get("default")
    if default is None:
        return ""
    if field["name"] in _HIDDEN:
        given = "" if field["name"].startswith("_") else ", init=True"
        return f" = _field(default={default}, repr=False, compare=False{given or ', init=False'})"
    return f" = _field(default_factory=lambda: {default})" if _needs_factory(default) else f" = {default}"


def _needs_factory(default: str) -> bool:
    return isinstance(ast.parse(default, mode="eval").body, ast.List | ast.Dict | ast.Call)


def _generate_dataclass_methods(fields: Sequence[Mapping[str, Any]], *, completes: bool) -> Iterator[str]:
    """Generate the methods of a dataclass, which `dataclasses` would compile again for every host.

    `completes` says whether the class has a ``__post_init__``.
    """
    parameters, assignments = [], []
    for field in fields:
        name, default = field["name"], field.get("default")
        if name in _HIDDEN and name.startswith("_"):
            continue
        value = name
        if default is not None and _needs_factory(default):
            value, default = f"{default} if {name} is _anew else {name}", "_anew"
        parameters.append(f"{name}: {field['annotation']!r}" + ("" if default is None else f" = {default}"))
        assignments.append(f"    self.{name} = {value}")
    yield f"def __init__(self, {', '.join(parameters)}) -> None:"
    yield from assignments
    if completes:
        yield "    self.__post_init__()"
    shown = [field["name"] for field in fields if field["name"] not in _HIDDEN]
    text = ", ".join(f"{name}={{self.{name}!r}}" for name in shown)
    mine, theirs = ("".join(f"{one}.{name}, " for name in shown) for one in ("self", "other"))
    yield from (
        "@_recursive_repr",
        f"def __repr__(self): return f'{{self.__class__.__qualname__}}({text})'",
        "def __eq__(self, other):",
        f"    return ({mine}) == ({theirs}) if other.__class__ is self.__class__ else NotImplemented",
    )


def _generate_enum(name: str, fact: Mapping[str, Any]) -> list[str]:
    return [f"class {name}({', '.join(fact['bases'])}):", *(f"{key} = {one!r}" for key, one in fact["values"].items())]


_SOURCES: dict[str, Callable[[str, Mapping[str, Any]], list[str]]] = {
    "classes": _generate_class,
    "dataclasses": _generate_dataclass,
    "enums": _generate_enum,
    "exceptions": _generate_class,
}


def _generate_members(fact: Mapping[str, Any], known: frozenset[str], idle: frozenset[str]) -> Iterator[str]:
    if fact.get("fields") and not fact["frozen"]:
        yield from _generate_dataclass_methods(fact["fields"], completes="__post_init__" in known)
    if "__post_init__" in known:
        yield "def __post_init__(self): _defaults.__post_init__(self)"
    for name, raw in fact.get("members", {}).items():
        if raw["kind"] == "attribute":
            yield f"{name} = {raw.get('default')}"
        else:
            does_nothing = name in idle or name in fact.get("abstract", ())
            yield from _generate_method(
                member(name, raw), fact.get("abstract", ()), known, does_nothing, raw.get("async")
            )


def _generate_method(
    one: Member, abstract: Container[str], known: frozenset[str], does_nothing: bool, is_async: bool
) -> Iterator[str]:
    if one.kind != "method":
        yield f"@{one.kind}"
    if one.name in abstract:
        yield "@_abstractmethod"
    first = {"staticmethod": "", "classmethod": "cls"}.get(one.kind, "self")
    passed = ", ".join(filter(None, (first, *format_arguments(one))))
    called = f"_defaults.{one.name}({passed})"
    default = f"return await _settle({called})" if is_async else f"return {called}"
    body = "pass" if does_nothing else default if one.name in known else f"_refuse({one.name!r})"
    yield f"{'async ' if is_async else ''}def {one.name}{format_parameters(one, first)}: {body}"


def format_parameters(one: Member, first: str = "self") -> str:
    """Format the parameters of a member for a ``def``, after the implicit first parameter."""
    inner = one.signature[1:-1]
    return f"({', '.join(filter(None, (first, inner)))})"


def format_arguments(one: Member) -> list[str]:
    """Format the keyword arguments with which a member forwards all its arguments."""
    return [
        f"**{parameter.name}" if parameter.kind == "var_keyword" else f"{parameter.name}={parameter.name}"
        for parameter in one.parameters
    ]


async def _settle(value: Any) -> Any:
    return await value if hasattr(value, "__await__") else value


class _FactoryDefault:
    """Default of a parameter whose value is created for each call."""

    def __repr__(self) -> str:
        return "<factory>"


@functools.cache
def _load_helpers() -> dict[str, Any]:
    import dataclasses
    import reprlib
    from abc import ABC, abstractmethod
    from datetime import datetime
    from enum import Enum

    return {
        "ABC": ABC,
        "Enum": Enum,
        "datetime": datetime,
        "_abstractmethod": abstractmethod,
        "_anew": _FactoryDefault(),
        "_dataclass": dataclasses.dataclass,
        "_field": dataclasses.field,
        "_recursive_repr": reprlib.recursive_repr("..."),
        "_settle": _settle,
    }
