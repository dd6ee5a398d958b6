"""Registrations in the source of a plugin that is not loaded.

A ``ctx.register_*`` call counts if it runs unconditionally: directly in `register`, or in a function of the plugin to
which `register` passes its ``ctx``. Rules treat these calls like those of a loaded plugin, and report no finding that a
load would not confirm.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hermes_sdk.check.names import Names
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import Function, Source, own_nodes
from hermes_sdk.hosts.in_worker.registration_parameters import CALLABLE_PARAMETERS, NAME_PARAMETERS, REQUIRED_CALLABLES

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract, Member
    from hermes_sdk.hosts.interface import CallableFacts, Registration

_OTHER_LOADERS = ("exclusive", "model-provider")
_FACTS: Sequence[tuple[str, Any, Collection[str]]] = (
    ("name", "", NAME_PARAMETERS),
    ("callable", None, CALLABLE_PARAMETERS),
    ("uncallable", None, REQUIRED_CALLABLES),
    ("setup", None, ("setup_fn",)),
    ("schema", None, ("schema",)),
    ("toolset", None, ("toolset",)),
    ("is_async", False, ("is_async",)),
)
"""Facts about a registration: the name, the value without an argument, and the parameters that determine it."""


class UnreadableError(Exception):
    """Raised if the source does not reveal the requested fact about a registration."""


class _SourceRegistration(dict[str, Any]):
    def __missing__(self, key: str) -> Any:
        raise UnreadableError(key)


class _Call(NamedTuple):
    source: Source
    node: ast.Call
    method: str


def is_register_called(plugin: Plugin) -> bool:
    """Return whether the host calls `register` of the plugin with the ``ctx`` of the contract."""
    located = plugin.located
    is_module = located.manifest or (located.module and located.entry_point and ":" not in located.entry_point.value)
    return bool(is_module) and plugin.kind not in _OTHER_LOADERS


class SourceReader:
    """Reads the registrations of a plugin from its source, for any number of releases."""

    def __init__(self, plugin: Plugin) -> None:
        self.plugin = plugin
        self._names = Names(plugin)
        self._arguments: dict[tuple[ast.expr, str], dict[str, Any]] = {}
        self._described: dict[tuple[_Call, Member | None], _SourceRegistration | None] = {}
        self._read: dict[int, tuple[Mapping[str, Member], list[Registration]]] = {}

    def read(self, contract: Contract) -> list[Registration]:
        """Return the unconditional registrations on a release, in order.

        Looking up a fact that the source does not reveal raises `UnreadableError`.
        """
        context = contract.context
        if id(context) in self._read:
            return self._read[id(context)][1]
        records = (self._describe(call, context.get(call.method)) for call in self._calls)
        found = [cast("Registration", record) for record in records if record is not None]
        # Share equal lists between releases: comparing a list with itself is faster.
        found = next((registrations for _, registrations in self._read.values() if registrations == found), found)
        self._read[id(context)] = context, found
        return found

    @cached_property
    def _calls(self) -> list[_Call]:
        entry = next((one for one in self.plugin.sources if one.path == self.plugin.entry), None)
        found = self._names.resolve_global(entry, "register") if entry and is_register_called(self.plugin) else None
        if not found or not isinstance(found.node, ast.FunctionDef):
            return []
        parameters = _list_parameters(found.node)
        return list(self._walk(found.source, found.node, parameters[0], ())) if parameters else []

    def _walk(
        self, source: Source, function: ast.FunctionDef, context: str, around: tuple[ast.FunctionDef, ...]
    ) -> Iterator[_Call]:
        """Find the unconditional ``ctx.register_*`` calls of a function and of the functions that it calls."""
        is_plain = not function.decorator_list and not _is_generator(source, function)
        if not is_plain or function in around or len(self._names.bindings(source, function, context)) != 1:
            return
        for statement in function.body:
            if any(isinstance(node, ast.Return) for node in own_nodes(statement)):
                return
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield from self._follow(source, statement.value, context, (*around, function))

    def _follow(
        self, source: Source, call: ast.Call, context: str, around: tuple[ast.FunctionDef, ...]
    ) -> Iterator[_Call]:
        target = call.func
        if isinstance(target, ast.Attribute) and _is_name(target.value, context):
            if target.attr.startswith("register_"):
                yield _Call(source, call, target.attr)
            return
        found = self._names.resolve(source, target) if isinstance(target, ast.Name | ast.Attribute) else None
        if found and isinstance(found.node, ast.FunctionDef):
            given = _bind(call, _list_parameters(found.node)) or {}
            for parameter in (name for name, value in given.items() if _is_name(value, context)):
                yield from self._walk(found.source, found.node, parameter, around)

    def _describe(self, call: _Call, member: Member | None) -> _SourceRegistration | None:
        """Return the known facts about a call; None if the release rejects it, which ends the load."""
        if (call, member) not in self._described:
            self._described[call, member] = self._bind_call(call, member) if member else None
        return self._described[call, member]

    def _bind_call(self, call: _Call, member: Member) -> _SourceRegistration | None:
        source, node, method = call
        names = [one.name for one in member.parameters if not one.kind.startswith("var_")]
        extra = any(one.kind == "var_keyword" for one in member.parameters)
        given = _bind(node, names, extra=extra)
        if given is None:
            return None
        facts = _SourceRegistration(call=method, file=self._relative(source), line=node.func.end_lineno)
        facts.update((fact, absent) for fact, absent, parameters in _FACTS if not given.keys() & parameters)
        for key in given.keys() & names:
            argument = given[key], key
            if argument not in self._arguments:
                self._arguments[argument] = dict(self._read_argument(source, key, given[key]))
            facts.update(self._arguments[argument])
        return facts

    def _read_argument(self, source: Source, parameter: str, node: ast.expr) -> Iterator[tuple[str, Any]]:
        if parameter in (*CALLABLE_PARAMETERS, *REQUIRED_CALLABLES):
            yield from self._read_callable(source, parameter, node)
            return
        try:
            value = self._evaluate(source, node)
            if parameter == "schema":
                # Hermes sends the schema to the model as JSON.
                yield parameter, json.loads(json.dumps(value))
        except (ValueError, TypeError, KeyError, IndexError, RecursionError):
            return
        if parameter in NAME_PARAMETERS and isinstance(value, str):
            yield "name", value
        elif parameter == "toolset" and isinstance(value, str | None):
            yield parameter, value
        elif parameter == "is_async":
            yield parameter, bool(value)

    def _evaluate(self, source: Source, node: ast.expr) -> Any:
        """Return the value of a literal, of a variable with a literal value, or of an item of either.

        Raises:
            ValueError: The expression is anything else, or the plugin may change the value before registering it.
        """
        if isinstance(node, ast.Subscript):
            return self._evaluate(source, node.value)[ast.literal_eval(node.slice)]
        found = self._names.resolve(source, node)
        if found is None or not isinstance(found.node, ast.expr):
            raise ValueError(ast.dump(node))
        value = ast.literal_eval(found.node)
        mentions = self._names.mentions(found.name) if found.name and isinstance(value, dict | list) else ()
        if not all(_is_given_to_host(*mention) for mention in mentions):
            raise ValueError(found.name)
        return value

    def _read_callable(self, source: Source, parameter: str, node: ast.expr) -> Iterator[tuple[str, Any]]:
        found = self._names.resolve(source, node)
        fact = "callable" if parameter in CALLABLE_PARAMETERS else "setup"
        if found is None or getattr(found.node, "decorator_list", None):
            return
        if isinstance(found.node, Function):
            if parameter in REQUIRED_CALLABLES:
                yield "uncallable", None
            mentions = self._names.mentions(found.name) if found.name else ()
            if all(self._is_registered(*mention) for mention in mentions):
                yield fact, self._describe_callable(found.source, found.node)
        elif isinstance(found.node, ast.Constant):
            if parameter in REQUIRED_CALLABLES:
                yield "uncallable", type(found.node.value).__name__
            yield fact, None

    def _describe_callable(self, source: Source, function: Function) -> CallableFacts:
        """Return the facts that a host records about a function."""
        arguments = function.args
        positional = len(arguments.posonlyargs) + len(arguments.args)
        takes_one = positional > 0 or arguments.vararg is not None
        needs_more = positional - len(arguments.defaults) > 1 or not all(arguments.kw_defaults)
        return {
            "file": self._relative(source),
            "line": function.lineno,
            "name": getattr(function, "name", "<lambda>"),
            "accepts_var_keyword": arguments.kwarg is not None,
            "is_coroutine": isinstance(function, ast.AsyncFunctionDef) and not _is_generator(source, function),
            "parameters": _list_parameters(function),
            "takes_one": takes_one and not needs_more,
        }

    def _is_registered(self, source: Source, mention: ast.AST) -> bool:
        """Return whether a mention of a function calls it, or is an argument of an unconditional registration."""
        call = _find_call(source, mention)
        is_called = isinstance(call, ast.Call) and call.func is mention
        return is_called or any(call is one.node for one in self._calls)

    def _relative(self, source: Source) -> str:
        return Path(os.path.relpath(source.file, self.plugin.located.directory)).as_posix()


def _is_given_to_host(source: Source, mention: ast.AST) -> bool:
    """Return whether a value, or an item of it, is an argument of register_tool, which does not change it."""
    while isinstance(around := source.parent(mention), ast.Subscript) and around.value is mention:
        mention = around
    call = _find_call(source, mention)
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "register_tool"


def _find_call(source: Source, argument: ast.AST) -> ast.AST | None:
    """Return the parent of a positional or keyword argument."""
    around = source.parent(argument)
    return source.parent(around) if isinstance(around, ast.keyword) else around


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_generator(source: Source, function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in source.own_nodes(function))


def _list_parameters(function: Function) -> list[str]:
    """List all parameters of a function in the order of `inspect.signature`."""
    given = function.args
    nodes = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [node.arg for node in nodes if node is not None]


def _bind(call: ast.Call, names: list[str], *, extra: bool = False) -> dict[str, ast.expr] | None:
    """Map the arguments of a call to parameters; return None if they do not fit, or if some are unpacked.

    Args:
        extra: Whether the function also accepts other keywords.
    """
    is_open = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    if is_open or len(call.args) > len(names):
        return None
    given = dict(zip(names, call.args, strict=False))
    for word in call.keywords:
        if word.arg is None or word.arg in given or not (extra or word.arg in names):
            return None
        given[word.arg] = word.value
    return given
