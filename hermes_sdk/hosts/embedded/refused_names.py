"""Names that a plugin may import although the embedded host does not model what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import new_class
from typing import Any, NoReturn

from hermes_sdk.contract.model import member
from hermes_sdk.hosts.embedded.host_classes import format_parameters
from hermes_sdk.hosts.embedded.state import HostState


def refuse_name(state: HostState, module: str, name: str, base: type = object, members: Iterable[str] = ()) -> Any:
    """Make a name that can be imported and not called, once for each host: a call is refused, and recorded as refused.

    A function whose signature the contract has is a function here as well. Of anything else, a plugin may derive and
    replace the attributes; nothing makes an instance, and replacing refuses turns.

    Args:
        base: The class of the host that it derives from.
        members: Methods that a plugin reads, which are refused when they are called.
    """
    path = f"{module}.{name}"
    if path not in state.classes:
        fact = state.contract.section("functions").get(module, {}).get(name)
        state.classes[path] = (
            _function(state, module, name, fact) if fact else _class(state, module, name, base, members)
        )
    return state.classes[path]


def _class(state: HostState, module: str, name: str, base: type, members: Iterable[str]) -> type:
    path = f"{module}.{name}"

    def make(cls: type, *_: Any, **__: Any) -> NoReturn:  # noqa: ARG001
        raise state.unsupported(f"call {path}")

    body = {"__module__": module, "__new__": make, **{one: _method(state, f"{path}.{one}") for one in members}}
    made: type = new_class(
        name, (base,), {"metaclass": _guard(type(base), state, path)}, lambda names: names.update(body)
    )
    type.__setattr__(type(made), "guarded", made)
    return made


def _method(state: HostState, path: str) -> Callable[..., NoReturn]:
    def method(*_: Any, **__: Any) -> NoReturn:
        raise state.unsupported(f"call {path}")

    return method


def _function(state: HostState, module: str, name: str, fact: Mapping[str, Any]) -> Callable[..., Any]:
    parameters = format_parameters(member(name, {"kind": "method", **fact}), "")
    names: dict[str, Any] = {"__name__": module, "_refuse": _method(state, f"{module}.{name}")}
    exec(f"{'async ' if fact.get('async') else ''}def {name}{parameters}: _refuse()", names)
    made: Callable[..., Any] = names[name]
    return made


def _guard(metaclass: type, state: HostState, path: str) -> Any:
    """Make the class of a class whose other attributes are refused, and which notes those that a plugin replaces."""

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
