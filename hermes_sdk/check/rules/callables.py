"""Finds the functions that a plugin registers as handlers and callbacks in its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Edit, Repair
from hermes_sdk.check.rule import Problem
from hermes_sdk.check.source import Function, Source
from hermes_sdk.hosts.in_worker.registration_parameters import NAME_PARAMETERS

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

BLOCKING = (
    "time.sleep",
    *(f"requests.{name}" for name in ("get", "post", "put", "patch", "delete", "head", "request")),
    *(f"httpx.{name}" for name in ("get", "post", "put", "patch", "delete", "head", "request")),
    *("urllib.request.urlopen", "socket.create_connection"),
    *(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output")),
    "os.system",
)
"""Dotted names of functions that block."""


class Definition(NamedTuple):
    """Function of the plugin that the host calls.

    Attributes:
        parameters: The names of the parameters, without a bound ``self``.
    """

    source: Source
    node: Function
    parameters: tuple[str, ...]

    @property
    def required(self) -> set[str]:
        """The parameters without a default."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        without = positional[: len(positional) - len(arguments.defaults)]
        without += [
            one for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if not default
        ]
        return {one.arg for one in without}.intersection(self.parameters)

    @property
    def keywords(self) -> str | None:
        """The name of the parameter ``**kwargs``; None without such a parameter."""
        return self.node.args.kwarg.arg if self.node.args.kwarg else None

    def defaults(self) -> Iterator[tuple[str, ast.expr]]:
        """Yield the parameters with a default, and the expressions of the defaults."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        with_default = positional[len(positional) - len(arguments.defaults) :]
        yield from zip((one.arg for one in with_default), arguments.defaults, strict=True)
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                yield one.arg, default

    def place(self, name: str) -> tuple[str, int, int]:
        """Return the place of a parameter."""
        arguments = self.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return self.source.place(next((one for one in every if one.arg == name), self.node))

    def nodes(self) -> list[ast.AST]:
        """Return all nodes of the body, without the bodies of nested functions and classes."""
        return self.source.own_nodes(self.node)

    def nodes_with_helpers(self) -> Iterator[ast.AST]:
        """Yield all nodes of the body, and of the functions of its module that it calls."""
        tree = self.source.tree
        helpers = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)} if tree else {}
        pending: list[Function] = [self.node]
        seen: set[Function] = {self.node}
        while pending:
            for node in self._replace(node=pending.pop()).nodes():
                yield node
                called = node.func if isinstance(node, ast.Call) else None
                helper = helpers.get(called.id) if isinstance(called, ast.Name) else None
                if helper is not None and helper not in seen:
                    seen.add(helper)
                    pending.append(helper)

    def results(self) -> Iterator[tuple[ast.expr | None, ast.AST]]:
        """Yield each returned value (None for a bare ``return``), and the node for its place."""
        if isinstance(self.node, ast.Lambda):
            yield self.node.body, self.node.body
        else:
            yield from ((node.value, node) for node in self.nodes() if isinstance(node, ast.Return))


def find_definition(load: Load, registration: Registration) -> Definition | None:
    """Find the registered function.

    Returns:
        The function; None if it is not defined in the plugin, or is wrapped by a decorator or ``functools.partial``,
        which may change its parameters and its result.
    """
    facts = registration["callable"]
    if facts is None or facts["file"] is None:
        return None
    path, line, _ = load.callable_place(registration)
    source = next((one for one in load.plugin.sources if one.path == path), None)
    found: list[Function] = []
    if source is not None:
        named: list[ast.FunctionDef | ast.AsyncFunctionDef] = [*source.nodes(ast.FunctionDef)]
        named += source.nodes(ast.AsyncFunctionDef)
        found += [node for node in named if node.name == facts["name"] and node.lineno == line]
        if facts["name"] == "<lambda>":
            found += [node for node in source.nodes(ast.Lambda) if node.lineno == line]
    if source is None or len(found) != 1 or getattr(found[0], "decorator_list", None):
        return None
    return Definition(source, found[0], tuple(facts["parameters"]))


def find_call(load: Load, registration: Registration) -> tuple[Source, ast.Call] | None:
    """Find the call that makes a registration; None if there are several on its line."""
    path, line, _ = load.call_place(registration)
    source = next((one for one in load.plugin.sources if one.path == path), None)
    calls = source.calls(f".{registration['call']}") if source else []
    calls = [call for call in calls if call.func.end_lineno == line]
    return (source, calls[0]) if source and len(calls) == 1 else None


def find_written_name(load: Load, registration: Registration) -> tuple[Source, ast.Constant] | None:
    """Find the literal name in the call that makes a registration; None if the name is not a literal."""
    found = find_call(load, registration)
    if found is None:
        return None
    source, call = found
    given = [*call.args[:1], *(word.value for word in call.keywords if word.arg in NAME_PARAMETERS)]
    written = [one for one in given if isinstance(one, ast.Constant) and one.value == registration["name"]]
    return (source, written[0]) if len(written) == 1 else None


def list_hooks(load: Load, registration: Registration) -> set[str]:
    """List all hooks with the same callback as a registration."""
    place = load.callable_place(registration)
    return {one["name"] for one in load.registrations("register_hook") if load.callable_place(one) == place}


def check_keywords(what: str, passed: Sequence[str], registration: Registration, load: Load) -> Iterator[Problem]:
    """Report a callable without ``**kwargs``, as an error if it does not accept a keyword that the release passes."""
    target = registration["callable"]
    if target is None or target["accepts_var_keyword"]:
        return
    place, subject = load.callable_place(registration), f"the {what} '{registration['name']}'"
    definition = find_definition(load, registration)
    repair = _accept_keywords(definition) if definition else None
    if refused := [name for name in passed if name not in target["parameters"]]:
        yield Problem(f"{subject} does not accept {', '.join(refused)}", *place, repair=repair)
    else:
        text = f"{subject} has no **kwargs for arguments that a release may add"
        yield Problem(text, *place, severity="warning", repair=repair)


def _accept_keywords(definition: Definition) -> Repair | None:
    """Create a repair that adds ``**kwargs`` to a function; None if its place cannot be determined."""
    source, node = definition.source, definition.node
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [arguments.vararg] if arguments.vararg else []
    start = source.offset(node.lineno, node.col_offset)
    if parameters:
        last: list[ast.arg | ast.expr] = [*parameters, *(value for _, value in definition.defaults())]
        ends = [(one.end_lineno or 0, one.end_col_offset or 0) for one in last]
        place, before = source.offset(*max(ends)), ", "
    elif head := re.compile(r"(async\s+)?def\s+\w+\s*\(|lambda").match(source.text, start):
        place, before = head.end(), " " if head[0] == "lambda" else ""
    else:
        return None
    names = {one.arg for one in parameters} | {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    is_typed = any(one.annotation for one in parameters) or getattr(node, "returns", None)
    added = f"{before}**{'kwargs' if 'kwargs' not in names else 'further'}{': object' if is_typed else ''}"
    try:
        changed = ast.parse(source.text[:place] + added + source.text[place:])
    except SyntaxError:
        return None
    same = [one for one in ast.walk(changed) if _is_at(one, node)]
    return Repair((Edit(source.path, place, place, added),), safe=True) if same and same[0].args.kwarg else None


def _is_at(one: ast.AST, node: Function) -> TypeGuard[Function]:
    same = type(one) is type(node) and getattr(one, "lineno", 0) == node.lineno
    return same and getattr(one, "col_offset", 0) == node.col_offset
