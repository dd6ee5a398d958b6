"""The overloads of `PluginContext`: a hook, a kind of middleware and a tool each have a type of their own."""

import inspect
import typing
from typing import Any

from api.described import NEWEST

from hermes_sdk import api
from hermes_sdk.api import hooks, middleware
from hermes_sdk.api.base import OneOf


def overloads(method: Any) -> dict[str, Any]:
    """What each overload takes first, and the callback that it then wants; the last one is for misspelt names."""
    names = {
        **vars(typing),
        "hooks": hooks,
        "middleware": middleware,
        "OneOf": OneOf,
        "PluginRegistration": api.PluginRegistration,
    }
    *hints, last = [list(typing.get_type_hints(one, names).values()) for one in typing.get_overloads(method)]
    assert typing.get_origin(last[0]) is OneOf
    return {typing.get_args(name)[0]: callback for name, callback, _ in hints}


def camel(name: str) -> str:
    return name.title().replace("_", "")


def test_each_hook_has_an_overload_of_its_own() -> None:
    callbacks = {name: getattr(api, f"{camel(name)}Callback") for name in NEWEST.hooks}

    assert overloads(api.PluginContext.register_hook) == callbacks


def test_each_middleware_has_an_overload_of_its_own() -> None:
    callbacks = {kind: getattr(api, f"{camel(kind)}Middleware") for kind in NEWEST.middleware_kinds}

    assert overloads(api.PluginContext.register_middleware) == callbacks


def test_the_overloads_of_a_tool_differ_in_nothing_but_async() -> None:
    plain, coroutine = (
        dict(inspect.signature(one).parameters) for one in typing.get_overloads(api.PluginContext.register_tool)
    )
    whole = inspect.signature(api.PluginContext.register_tool).parameters

    assert list(plain) == list(coroutine) == list(whole)
    assert {name for name in whole if plain[name].annotation != coroutine[name].annotation} == {"handler", "is_async"}
