"""Which keyword arguments the callbacks of hooks and middleware get, read from every place that fires them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .signatures import host_module
from .source import Call, Function, Keys, Source, added_keys, is_name, parameters, texts_of

MIDDLEWARE_RUNNERS = {
    "llm_execution": "run_llm_execution_middleware",
    "llm_request": "apply_llm_request_middleware",
    "tool_execution": "run_tool_execution_middleware",
    "tool_request": "apply_tool_request_middleware",
}


class Wrapper(NamedTuple):
    """A function of the host that fires the hook which one of its parameters names.

    Attributes:
        call: The call in it that fires.
        function: The function.
        parameter: The parameter that holds the name of the hook.
    """

    call: Call
    function: Function
    parameter: str

    @property
    def spread(self) -> str:
        """The name of its ``**keywords``; empty when it has none or does not pass them on."""
        name = self.function.args.kwarg.arg if self.function.args.kwarg else ""
        passed_on = [keyword for keyword in self.call.node.keywords if keyword.arg is None]
        return name if any(is_name(keyword.value, name) for keyword in passed_on) else ""

    def keywords(self, outer: Call, source: Source) -> Keys:
        """What the hook gets when this function is called by `outer`."""
        own = Keys(frozenset(keyword.arg for keyword in self.call.node.keywords if keyword.arg))
        if not self.spread:
            return own
        by_default = Keys(frozenset(added_keys(self.function, self.spread)))
        return own.joined(by_default).joined(source.keywords(outer).without(parameters(self.function)))


def sections(source: Source) -> dict[str, Any]:
    """Return the sections that come from where hooks and middleware are called."""
    return {"hooks": hooks(source), "middleware": middleware(source)}


def hooks(source: Source) -> dict[str, Any]:
    """For each hook what its callbacks get, without what is injected centrally, and whether a result is used."""
    names = host_module("hermes_cli.plugins").VALID_HOOKS
    sites: dict[str, list[Keys]] = {name: [] for name in names}
    used: set[str] = set()
    for call, fired, keys in firings(source):
        for name in fired:
            sites[name].append(keys)
            if is_used(call):
                used.add(name)
    return {name: {**arguments(found), "result_used": name in used} for name, found in sites.items()}


def firings(source: Source) -> Iterator[tuple[Call, list[str], Keys]]:
    """Every call that fires a hook: the call, the names it may fire, the arguments it passes."""
    for call in [*source.calls("invoke_hook"), *source.calls("_invoke_hook")]:
        name = call.argument("hook_name", 0)
        if names := texts_of(name):
            yield call, names, source.keywords(call)
        elif isinstance(name, ast.Name) and call.function and call.function.name != "invoke_hook":
            wrapper = Wrapper(call, call.function, name.id)
            for outer in callers(wrapper, source):
                value = outer.argument(name.id, parameters(call.function).index(name.id))
                yield call, texts_of(value), wrapper.keywords(outer, source)


def callers(wrapper: Wrapper, source: Source) -> Iterator[Call]:
    """The calls of a wrapper: in its module, and in others that have no function of that name."""
    module, name = wrapper.call.module, wrapper.function.name
    for call in source.calls(name):
        if call.module == module or not source.functions(call.module, name):
            yield call


def is_used(call: Call) -> bool:
    """Whether the function around a call does something with what it returns."""
    nodes = ast.walk(call.function) if call.function else ()
    return not any(isinstance(node, ast.Expr) and node.value is call.node for node in nodes)


def middleware(source: Source) -> dict[str, Any]:
    """For each kind of middleware what its callbacks get; empty before there was middleware."""
    module = host_module("hermes_cli.middleware")
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
    keys = Keys.merged(sites)
    return {"always": sorted(keys.always), "sometimes": sorted(keys.sometimes)}
