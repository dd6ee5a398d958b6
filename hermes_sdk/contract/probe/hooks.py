"""Keyword arguments of the callbacks of hooks and middleware, read from every place that fires them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .signatures import host_module
from .source import Call, Function, Keys, Source, added_keys, keywords_name, parameters

MIDDLEWARE_RUNNERS = {
    "llm_execution": "run_llm_execution_middleware",
    "llm_request": "apply_llm_request_middleware",
    "tool_execution": "run_tool_execution_middleware",
    "tool_request": "apply_tool_request_middleware",
}


FIRING_FUNCTIONS = ("invoke_hook", "_invoke_hook", "ainvoke_hook", "enqueue_plugin_stream_hook")
"""The functions of the host that fire the hook which their first parameter, ``hook_name``, names."""

FORWARDED = {"gateway_platform_event": "_fire_platform_event"}
"""Hooks whose arguments travel through a callback: what the mapping with the arguments is handed to."""

MOST_WRAPPERS = 4


def sections(source: Source) -> dict[str, Any]:
    """Return the sections that come from where hooks and middleware are called."""
    return {"hooks": hooks(source), "middleware": middleware(source)}


def hooks(source: Source) -> dict[str, Any]:
    """For each hook what its callbacks get, without what is injected centrally, and whether a result is used."""
    names = host_module("hermes_cli.plugins").VALID_HOOKS
    sites: dict[str, list[Keys]] = {name: [] for name in names}
    used: set[str] = set()
    for call, fired, keys in firings(source):
        for name in sites.keys() & fired:
            sites[name].append(keys)
            if is_used(call):
                used.add(name)
    return {name: {**arguments(found), "result_used": name in used} for name, found in sites.items()}


def firings(source: Source) -> Iterator[tuple[Call, list[str], Keys]]:
    """Every call that fires a hook: the call, the names it may fire, the arguments it passes."""
    for function in FIRING_FUNCTIONS:
        for call in source.calls(function):
            for place, names, keys in fired(call, call.argument("hook_name", 0), (), source):
                yield place, [name for name in names if name not in FORWARDED], keys
    for hook, function in FORWARDED.items():
        for call in source.calls(function):
            if event := call.argument("event", 0):
                yield call, [hook], source.keys(event, call.module, call.scopes)


def fired(
    call: Call, name: ast.expr | None, outers: tuple[Call, ...], source: Source
) -> Iterator[tuple[Call, list[str], Keys]]:
    """Follow the name of the hook through wrappers to where it is written down.

    `outers` are the calls passed on the way: the first is a call of the function around `call`, and so on.
    """
    last = (call, *outers)[-1]
    if names := source.texts(name, last.module):
        for chain in chains(call, outers, source):
            yield call, names, passed(call, chain, source)
    elif isinstance(name, ast.Name) and len(outers) < MOST_WRAPPERS:
        function = last.function_with(name.id)
        if function is not None and function.name not in FIRING_FUNCTIONS:
            position = parameters(function).index(name.id)
            for outer in callers(function, last.module, source):
                yield from fired(call, outer.argument(name.id, position), (*outers, outer), source)


def chains(call: Call, outers: tuple[Call, ...], source: Source) -> Iterator[tuple[Call, ...]]:
    """Continue `outers` through functions that hand on the ``**keywords`` which they are called with."""
    last = (call, *outers)[-1]
    function = forwarder(last)
    found = list(callers(function, last.module, source)) if function and len(outers) < MOST_WRAPPERS else []
    if not found:
        yield outers
    for outer in found:
        yield from chains(call, (*outers, outer), source)


def forwarder(call: Call) -> Function | None:
    """The function around a call whose ``**keywords`` the call spreads."""
    for keyword in call.node.keywords:
        if keyword.arg is None and isinstance(keyword.value, ast.Name):
            function = call.function_with(keyword.value.id)
            if function is not None and keywords_name(function) == [keyword.value.id]:
                return None if function.name in FIRING_FUNCTIONS else function
    return None


def passed(call: Call, outers: tuple[Call, ...], source: Source) -> Keys:
    """The keywords of a call whose function was called by the first of `outers`, and so on."""
    keys = Keys(frozenset(keyword.arg for keyword in call.node.keywords if keyword.arg))
    for keyword in call.node.keywords:
        if keyword.arg is None:
            keys = keys.join(spread(keyword.value, call, outers, source))
    return keys


def spread(mapping: ast.expr, call: Call, outers: tuple[Call, ...], source: Source) -> Keys:
    """The keys of a mapping that a call spreads, which may be what its function was called with."""
    function = call.function_with(mapping.id) if outers and isinstance(mapping, ast.Name) else None
    if function is None or not isinstance(mapping, ast.Name):
        return source.keys(mapping, call.module, call.scopes)
    outer, names = outers[0], parameters(function)
    if mapping.id not in names:  # its ``**keywords``
        by_default = Keys(frozenset(added_keys(function, mapping.id)))
        return by_default.join(passed(outer, outers[1:], source).without(names))
    argument = outer.argument(mapping.id, names.index(mapping.id))
    return source.keys(argument, outer.module, outer.scopes) if argument is not None else Keys(frozenset())


def callers(function: Function, module: str, source: Source) -> Iterator[Call]:
    """The calls of a function of a module: in it, and in others that have no function of that name."""
    for call in source.calls(function.name):
        if call.module == module or not source.functions(call.module, function.name):
            yield call


def is_used(call: Call) -> bool:
    """Return whether the function around a call does something with what it returns."""
    nodes = ast.walk(call.function) if call.function else ()
    return not any(isinstance(node, ast.Expr) and node.value is call.node for node in nodes)


def middleware(source: Source) -> dict[str, Any]:
    """For each kind of middleware what its callbacks get; empty before there was middleware."""
    module = host_module("hermes_cli.middleware")
    if module is None:
        return {}
    return {
        kind: arguments(
            find_arguments_without_payload(module, kind).join(source.keywords(call))
            for call in source.calls(runner)
            if call.module != module.__name__
        )
        for kind, runner in MIDDLEWARE_RUNNERS.items()
    }


def find_arguments_without_payload(module: Any, kind: str) -> Keys:
    """Return what a callback of a kind gets when the host passes nothing but the payload."""
    received: set[str] = set()

    def callback(**arguments: Any) -> None:
        received.update(arguments)

    manager = host_module("hermes_cli.plugins").get_plugin_manager()
    manager._middleware[kind] = [callback]
    payload = [{}] if kind.startswith("llm") else ["probe", {}]
    following = [dict] if kind.endswith("execution") else []
    getattr(module, MIDDLEWARE_RUNNERS[kind])(*payload, *following)
    del manager._middleware[kind]
    return Keys(frozenset(received))


def arguments(sites: Iterable[Keys]) -> dict[str, list[str]]:
    """The keywords of several call sites: those that all pass, and those that only some pass."""
    keys = Keys.merge(sites)
    return {"always": sorted(keys.always), "sometimes": sorted(keys.sometimes)}
