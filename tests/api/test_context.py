"""The overloads of `PluginContext`: hooks, kinds of middleware and tools each have their own types."""

import inspect
import re
import typing
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from api.descriptions import NEWEST

from hermes_sdk import api
from hermes_sdk.api import hooks, middleware
from hermes_sdk.api.base import KnownNameForThisCallback
from hermes_sdk.api.hook_registration import HookRegistration


def overloads(method: Any) -> dict[str, Any]:
    """Return the callback type of each overload by its name, without the last one for misspelt names."""
    names = {
        **vars(typing),
        "hooks": hooks,
        "middleware": middleware,
        "KnownNameForThisCallback": KnownNameForThisCallback,
        "Sequence": Sequence,
        "PluginRegistration": api.PluginRegistration,
    }
    *hints, last = [list(typing.get_type_hints(one, names).values()) for one in typing.get_overloads(method)]
    assert last[0] == Sequence[KnownNameForThisCallback]
    return {typing.get_args(name)[0]: callback for name, callback, _ in hints}


def camel(name: str) -> str:
    return name.title().replace("_", "")


def test_each_hook_has_its_own_overload() -> None:
    callbacks = {name: getattr(api, f"{camel(name)}Callback") for name in NEWEST.hooks}

    # All methods with only overloads are the same placeholder at run time.
    method = SimpleNamespace(__module__=HookRegistration.__module__, __qualname__="HookRegistration.__call__")
    assert overloads(method) == callbacks


def test_register_hook_docstring_lists_the_arguments_of_each_hook() -> None:
    text = " ".join((api.PluginContext.register_hook.__doc__ or "").split())
    listed = {name: arguments.split(", ") for name, arguments in re.findall(r"``(\w+)``: (\w+(?:, \w+)*)", text)}
    unlisted = {"accept **kwargs", "telemetry_schema_version"}

    assert listed == {
        name: [key for key in typing.get_type_hints(getattr(api, f"{camel(name)}Arguments")) if key not in unlisted]
        for name in sorted(NEWEST.hooks)
    }


def test_each_kind_of_middleware_has_its_own_overload() -> None:
    callbacks = {kind: getattr(api, f"{camel(kind)}Middleware") for kind in NEWEST.middleware_kinds}

    assert overloads(api.PluginContext.register_middleware) == callbacks


def test_overloads_of_register_tool_differ_only_in_async() -> None:
    plain, coroutine = (
        dict(inspect.signature(one).parameters) for one in typing.get_overloads(api.PluginContext.register_tool)
    )
    whole = inspect.signature(api.PluginContext.register_tool).parameters

    assert list(plain) == list(coroutine) == list(whole)
    assert {name for name in whole if plain[name].annotation != coroutine[name].annotation} == {"handler", "is_async"}
