"""Names that a plugin may import although the embedded host does not model what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import new_class
from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager
from hermes_sdk.hosts.embedded.state import HostState


def refused(spec: ModuleSpec | None, name: str, base: type = object, members: Iterable[str] = ()) -> Any:
    """Make a name of a stand-in that can be imported and not called: the call is refused, and recorded as refused.

    A plugin may derive from it and replace its attributes; nothing makes an instance, and replacing refuses turns.

    Args:
        spec: The module.
        name: The name in it.
        base: The class of the host that it derives from.
        members: Methods that a plugin reads, which are refused when they are called.
    """
    state, module = find_plugin_manager(spec).state, spec.name if spec else ""
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
