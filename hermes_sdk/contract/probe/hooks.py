"""Which keyword arguments the callbacks of hooks and middleware get, read from every place that fires them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from .signatures import load
from .source import Call, Keys, Source, is_name, parameters, texts_of

MIDDLEWARE_RUNNERS = {
    "llm_execution": "run_llm_execution_middleware",
    "llm_request": "apply_llm_request_middleware",
    "tool_execution": "run_tool_execution_middleware",
    "tool_request": "apply_tool_request_middleware",
}


class Wrapper(NamedTuple):
    """A function of the host that fires the hook named by one of its parameters."""

    name: str
    module: str
    parameter: str
    position: int
    own: Keys
    forwarded: frozenset[str]
    forwards: bool


def sections(source: Source) -> dict[str, Any]:
    """Return the sections that come from where hooks and middleware are called."""
    return {"hooks": hooks(source), "middleware": middleware(source)}


def hooks(source: Source) -> dict[str, Any]:
    """For each hook what its callbacks get, without what is injected centrally, and whether a result is used."""
    from hermes_cli.plugins import VALID_HOOKS

    sites: dict[str, list[Keys]] = {name: [] for name in VALID_HOOKS}
    used: set[str] = set()
    for call, names, keys in firings(source):
        for name in names:
            sites[name].append(keys)
            if is_assigned(call):
                used.add(name)
    return {name: {**arguments(found), "result_used": name in used} for name, found in sites.items()}


def firings(source: Source) -> Iterator[tuple[Call, list[str], Keys]]:
    """Every call that fires a hook: the call, the names it may fire, the arguments it passes."""
    for call in [*source.calls("invoke_hook"), *source.calls("_invoke_hook")]:
        name = call.argument("hook_name", 0)
        if names := texts_of(name):
            yield call, names, source.keywords(call)
        elif (
            isinstance(name, ast.Name)
            and call.module != "hermes_cli.plugins"
            and (wrapper := wrapping(call, name.id, source))
        ):
            yield from wrapped(wrapper, source)


def wrapping(call: Call, name: str, source: Source) -> Wrapper | None:
    """The function around a call that passes its own parameter on as the hook's name."""
    function = call.function
    if function is None or name not in (names := parameters(function)):
        return None
    spread = function.args.kwarg.arg if function.args.kwarg else ""
    forwards = any(keyword.arg is None and is_name(keyword.value, spread) for keyword in call.node.keywords)
    return Wrapper(
        function.name,
        call.module,
        name,
        names.index(name),
        Keys(
            frozenset(keyword.arg for keyword in call.node.keywords if keyword.arg) | set_by_default(function, spread)
        ),
        frozenset(names),
        forwards,
    )


def set_by_default(function: ast.FunctionDef | ast.AsyncFunctionDef, spread: str) -> frozenset[str]:
    """The keys that a function makes sure are in its ``**keywords``."""
    return frozenset(
        key
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault"
        if is_name(node.func.value, spread) and node.args
        for key in texts_of(node.args[0])
    )


def wrapped(wrapper: Wrapper, source: Source) -> Iterator[tuple[Call, list[str], Keys]]:
    """The calls of a wrapper, with the hook and the arguments that it fires in the end."""
    for call in source.calls(wrapper.name):
        defined_here = bool(source.functions(call.module, wrapper.name))
        if defined_here != (call.module == wrapper.module):
            continue
        passed = source.keywords(call) if wrapper.forwards else Keys(frozenset())
        rest = Keys(passed.always - wrapper.forwarded, passed.sometimes - wrapper.forwarded)
        yield call, texts_of(call.argument(wrapper.parameter, wrapper.position)), wrapper.own.joined(rest)


def is_assigned(call: Call) -> bool:
    """Whether the function around a call does something with what it returns."""
    scope = call.function
    statements = ast.walk(scope) if scope else ()
    return not any(isinstance(node, ast.Expr) and node.value is call.node for node in statements)


def middleware(source: Source) -> dict[str, Any]:
    """For each kind of middleware what its callbacks get; empty before there was middleware."""
    module = load("hermes_cli.middleware")
    if module is None:
        return {}
    return {
        kind: arguments(
            received_alone(module, kind).joined(source.keywords(call))
            for call in source.calls(runner)
            if call.module != module.__name__
        )
        for kind, runner in MIDDLEWARE_RUNNERS.items()
    }


def received_alone(module: Any, kind: str) -> Keys:
    """What a callback of a kind gets when the host passes nothing but the payload."""
    from hermes_cli import plugins

    received: set[str] = set()
    manager = plugins.get_plugin_manager()
    manager._middleware[kind] = [lambda **arguments: received.update(arguments)]
    payload = [{}] if kind.startswith("llm") else ["probe", {}]
    forward = [lambda value: value] if kind.endswith("execution") else []
    getattr(module, MIDDLEWARE_RUNNERS[kind])(*payload, *forward)
    del manager._middleware[kind]
    return Keys(frozenset(received))


def arguments(sites: Any) -> dict[str, list[str]]:
    """The keywords of several call sites: those that all pass, and those that only some pass."""
    keys = Keys.merged(sites)
    return {"always": sorted(keys.always), "sometimes": sorted(keys.sometimes)}
