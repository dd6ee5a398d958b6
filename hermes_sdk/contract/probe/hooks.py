"""Keyword arguments of hook and middleware callbacks, read from every place that fires them."""

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
"""The functions of the host that fire the hook named by their first parameter, ``hook_name``."""

FORWARDED = {"gateway_platform_event": "_fire_platform_event"}
"""Hooks whose arguments go through a callback, with the function that receives the mapping of arguments."""

MAX_WRAPPERS = 4


def sections(source: Source) -> dict[str, Any]:
    """Return the sections that are read from calls of hooks and middleware."""
    return {"hooks": hooks(source), "middleware": middleware(source)}


def hooks(source: Source) -> dict[str, Any]:
    """Return each hook's arguments except centrally injected arguments, and whether a result is used."""
    names = host_module("hermes_cli.plugins").VALID_HOOKS
    sites: dict[str, list[Keys]] = {name: [] for name in names}
    used: set[str] = set()
    for call, fired, keys in find_firing_calls(source):
        for name in sites.keys() & fired:
            sites[name].append(keys)
            if is_used(call):
                used.add(name)
    return {name: {**arguments(found), "result_used": name in used} for name, found in sites.items()}


def find_firing_calls(source: Source) -> Iterator[tuple[Call, list[str], Keys]]:
    """Yield every call that fires a hook, with the possible names of the hook and the arguments."""
    for function in FIRING_FUNCTIONS:
        for call in source.calls(function):
            for place, names, keys in resolve_hook(call, call.argument("hook_name", 0), (), source):
                yield place, [name for name in names if name not in FORWARDED], keys
    for hook, function in FORWARDED.items():
        for call in source.calls(function):
            if event := call.argument("event", 0):
                yield call, [hook], source.keys(event, call.module, call.scopes)


def resolve_hook(
    call: Call, name: ast.expr | None, outers: tuple[Call, ...], source: Source
) -> Iterator[tuple[Call, list[str], Keys]]:
    """Resolve the name of the hook through wrappers to where it is a literal.

    `outers` are the calls followed so far: the first one calls the function that contains `call`, and so on.
    """
    last = (call, *outers)[-1]
    if names := source.texts(name, last.module):
        for chain in extend_chain(call, outers, source):
            yield call, names, find_passed_keys(call, chain, source)
    elif isinstance(name, ast.Name) and len(outers) < MAX_WRAPPERS:
        function = last.function_with(name.id)
        if function is not None and function.name not in FIRING_FUNCTIONS:
            position = parameters(function).index(name.id)
            for outer in find_callers(function, last.module, source):
                yield from resolve_hook(call, outer.argument(name.id, position), (*outers, outer), source)


def extend_chain(call: Call, outers: tuple[Call, ...], source: Source) -> Iterator[tuple[Call, ...]]:
    """Extend `outers` through functions that pass on their ``**keywords``."""
    last = (call, *outers)[-1]
    function = find_forwarder(last)
    found = list(find_callers(function, last.module, source)) if function and len(outers) < MAX_WRAPPERS else []
    if not found:
        yield outers
    for outer in found:
        yield from extend_chain(call, (*outers, outer), source)


def find_forwarder(call: Call) -> Function | None:
    """Return the function around a call whose ``**keywords`` the call passes on, or None."""
    for keyword in call.node.keywords:
        if keyword.arg is None and isinstance(keyword.value, ast.Name):
            function = call.function_with(keyword.value.id)
            if function is not None and keywords_name(function) == [keyword.value.id]:
                return None if function.name in FIRING_FUNCTIONS else function
    return None


def find_passed_keys(call: Call, outers: tuple[Call, ...], source: Source) -> Keys:
    """Return the keywords of a call, resolving ``**keywords`` through `outers`."""
    keys = Keys(frozenset(keyword.arg for keyword in call.node.keywords if keyword.arg))
    for keyword in call.node.keywords:
        if keyword.arg is None:
            keys = keys.join(find_unpacked_keys(keyword.value, call, outers, source))
    return keys


def find_unpacked_keys(mapping: ast.expr, call: Call, outers: tuple[Call, ...], source: Source) -> Keys:
    """Return the keys of a mapping that a call unpacks, which may be an argument of the enclosing function."""
    function = call.function_with(mapping.id) if outers and isinstance(mapping, ast.Name) else None
    if function is None or not isinstance(mapping, ast.Name):
        return source.keys(mapping, call.module, call.scopes)
    outer, names = outers[0], parameters(function)
    if mapping.id not in names:  # The mapping is the parameter ``**keywords`` of the function.
        by_default = Keys(frozenset(added_keys(function, mapping.id)))
        return by_default.join(find_passed_keys(outer, outers[1:], source).without(names))
    argument = outer.argument(mapping.id, names.index(mapping.id))
    return source.keys(argument, outer.module, outer.scopes) if argument is not None else Keys(frozenset())


def find_callers(function: Function, module: str, source: Source) -> Iterator[Call]:
    """Yield the calls of a module's function: in that module, and in others without a function of that name."""
    for call in source.calls(function.name):
        if call.module == module or not source.functions(call.module, function.name):
            yield call


def is_used(call: Call) -> bool:
    """Return whether the enclosing function uses the result of a call."""
    nodes = ast.walk(call.function) if call.function else ()
    return not any(isinstance(node, ast.Expr) and node.value is call.node for node in nodes)


def middleware(source: Source) -> dict[str, Any]:
    """Return the callback arguments of each kind of middleware; empty before there was middleware."""
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
    """Return the arguments of a callback if the host passes only the payload."""
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
    """Return the keywords of several call sites: those in all of them, and those in only some."""
    keys = Keys.merge(sites)
    return {"always": sorted(keys.always), "sometimes": sorted(keys.sometimes)}
