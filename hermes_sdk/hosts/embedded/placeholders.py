"""Placeholders for names that a plugin may import although the embedded host does not model their behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import new_class
from typing import Any, NoReturn

from hermes_sdk.contract.model import member
from hermes_sdk.hosts.embedded.host_classes import format_parameters
from hermes_sdk.hosts.embedded.state import HostState


def create_placeholder(
    state: HostState, module: str, name: str, base: type = object, members: Iterable[str] = ()
) -> Any:
    """Create a placeholder for a name, once per host: plugins can import it, but a call raises `NotSupported`.

    A function whose signature is in the contract becomes a function, any other name a class. Plugins may derive from
    the class and replace its attributes, but not instantiate it. After a replacement, turns are not supported.

    Args:
        base: The class of Hermes from which the class derives.
        members: Methods that plugins may read, but not call.
    """
    path = f"{module}.{name}"
    if path not in state.classes:
        fact = state.contract.section("functions").get(module, {}).get(name)
        state.classes[path] = (
            _make_function(state, module, name, fact) if fact else _make_class(state, module, name, base, members)
        )
    return state.classes[path]


def _make_class(state: HostState, module: str, name: str, base: type, members: Iterable[str]) -> type:
    path = f"{module}.{name}"

    def make(cls: type, *_: Any, **__: Any) -> NoReturn:  # noqa: ARG001
        raise state.unsupported(f"call {path}")

    body = {"__module__": module, "__new__": make, **{one: _make_method(state, f"{path}.{one}") for one in members}}
    created: type = new_class(
        name, (base,), {"metaclass": _make_guard(type(base), state, path)}, lambda names: names.update(body)
    )
    type.__setattr__(type(created), "guarded", created)
    return created


def _make_method(state: HostState, path: str) -> Callable[..., NoReturn]:
    def method(*_: Any, **__: Any) -> NoReturn:
        raise state.unsupported(f"call {path}")

    return method


def _make_function(state: HostState, module: str, name: str, fact: Mapping[str, Any]) -> Callable[..., Any]:
    parameters = format_parameters(member(name, {"kind": "method", **fact}), "")
    names: dict[str, Any] = {"__name__": module, "_refuse": _make_method(state, f"{module}.{name}")}
    exec(f"{'async ' if fact.get('async') else ''}def {name}{parameters}: _refuse()", names)
    created: Callable[..., Any] = names[name]
    return created


def _make_guard(metaclass: type, state: HostState, path: str) -> Any:
    """Create a metaclass that rejects other attributes, and records those that a plugin replaces."""

    class Guard(metaclass):  # type: ignore[misc]
        guarded: type | None = None

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__") and name != "__signature__":
                raise AttributeError(f"type object {self.__name__!r} has no attribute {name!r}")
            raise state.unsupported(f"read {path}.{name}")

        def __setattr__(self, name: str, value: Any) -> None:
            if self is Guard.guarded and not name.startswith("_abc_"):
                state.replaced.add(f"{path}.{name}")
            super().__setattr__(name, value)

    return Guard
