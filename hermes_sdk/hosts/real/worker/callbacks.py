"""Puts a recording between the host and what plugins give to it, at the moment when they give it."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable, Generator, Mapping
from typing import Any

from .paths import shared

Swallow = Callable[[str, BaseException], None]
"""Called with a place, such as ``platform echo check_fn``, and an exception that the host hides."""

_CALLBACKS = {
    "register_tool": ("tool", "name", "handler"),
    "register_hook": ("hook", "hook_name", "callback"),
    "register_middleware": ("middleware", "kind", "callback"),
    "register_command": ("command", "name", "handler"),
    "register_cli_command": ("cli_command", "name", "handler_fn"),
}
"""Method of ``ctx`` -> the kind of the events, and its parameters for the name and for the callback."""


_OF_PLATFORM = (
    "adapter_factory",
    "apply_yaml_config_fn",
    "check_fn",
    "env_enablement_fn",
    "is_connected",
    "setup_fn",
    "standalone_sender_fn",
    "validate_config",
)
"""What ``ctx.register_platform`` takes that the host calls."""


def attach(recording: Any, context: type[Any], swallow: Swallow) -> None:
    """Record all that plugins do with ``ctx``, and the calls of the callbacks that they register.

    Args:
        recording: A `Recording` of ``in_worker/recording.py``.
        context: The host's class ``PluginContext``.
        swallow: Called with a place and the exception that leaves what belongs to a platform.
    """
    for name, method in list(vars(context).items()):
        if name.startswith("register_"):
            told = _telling_platform(swallow, method) if name == "register_platform" else method
            setattr(context, name, _registering(recording, name, told))
    if "llm" in vars(context):
        context.llm = property(_llm(recording, context.llm.fget))


@contextlib.contextmanager
def recording_shell_hooks(recording: Any, hooks: dict[str, list[Any]]) -> Generator[None]:
    """Record the calls of what is added to the host's hooks while the context is open.

    Args:
        recording: A `Recording`.
        hooks: The host's callbacks by hook.
    """
    before = {name: len(callbacks) for name, callbacks in hooks.items()}
    try:
        yield
    finally:
        for name, callbacks in hooks.items():
            for number in range(before.get(name, 0), len(callbacks)):
                callbacks[number] = recording.wrap("shell_hook", name, callbacks[number])


def attach_memory(recording: Any, swallow: Swallow) -> None:
    """Record the calls of the memory provider that the host is going to load, and the exceptions that it hides.

    Args:
        recording: A `Recording` of ``in_worker/recording.py``.
        swallow: Called with a place and the exception.
    """
    memory = importlib.import_module("plugins.memory")
    base = importlib.import_module("agent.memory_provider").MemoryProvider
    load = memory.load_memory_provider
    if hasattr(load, "__wrapped__"):
        # Of an earlier session.
        return

    @functools.wraps(load)
    def loaded(*args: Any, **kwargs: Any) -> Any:
        provider = load(*args, **kwargs)
        if provider is not None:
            recording.wrap_methods("memory", provider, _public(base))
            for method in _public(base):
                where = f"memory provider {provider.name} {method}"
                vars(provider)[method] = telling(swallow, where, getattr(provider, method))
        return provider

    memory.load_memory_provider = loaded  # type: ignore[attr-defined]


def overridden(kind: type[Any], base: type[Any]) -> list[str]:
    """The public methods of a class of the host that a class which inherits from it has as its own, sorted."""
    return [name for name in _public(base) if getattr(kind, name) is not getattr(base, name)]


def _telling_platform(swallow: Swallow, method: Callable[..., Any]) -> Callable[..., Any]:
    """``ctx.register_platform``, which lets each callable that it is given tell what it raises."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def register_platform(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            # The host's own method words the error of a wrong call.
            return method(*args, **kwargs)
        for given in (bound.arguments, *(one for one in bound.arguments.values() if isinstance(one, dict))):
            for name in _OF_PLATFORM:
                if callable(given.get(name)):
                    given[name] = telling(swallow, f"platform {bound.arguments['name']} {name}", given[name])
        return method(*bound.args, **bound.kwargs)

    return register_platform


def tell_commands(swallow: Swallow, commands: dict[str, Any]) -> None:
    """Let slash commands tell what they raise, which a gateway answers like a command that nobody has.

    Args:
        swallow: Called with a place and the exception.
        commands: The host's commands by name.
    """
    for name, entry in commands.items():
        entry["handler"] = telling(swallow, f"command /{name}", entry["handler"])


def telling(swallow: Swallow, where: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """A function that tells what it raises."""

    @functools.wraps(method)
    def told(*args: Any, **kwargs: Any) -> Any:
        with _swallowing(swallow, where):
            result = method(*args, **kwargs)
        return awaited(result) if inspect.iscoroutine(result) else result

    async def awaited(coroutine: Any) -> Any:
        with _swallowing(swallow, where):
            return await coroutine

    return told


@contextlib.contextmanager
def _swallowing(swallow: Swallow, where: str) -> Generator[None]:
    try:
        yield
    except Exception as error:
        swallow(where, error)
        raise


def _registering(recording: Any, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of ``ctx`` that records its call, and passes a stand-in for a callback on."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def register(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            # The host's own method words the error of a wrong call.
            return method(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        recording.add("register", name, arguments=_flat(signature, given))
        if name in _CALLBACKS:
            kind, named, callback = _CALLBACKS[name]
            given[callback] = recording.wrap(kind, str(given[named]), given[callback])
        elif name == "register_context_engine":
            base = importlib.import_module("agent.context_engine").ContextEngine
            if isinstance(given["engine"], base):
                recording.wrap_methods("context_engine", given["engine"], _public(base))
        return method(*bound.args, **bound.kwargs)

    return register


def _flat(signature: inspect.Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a method of ``ctx`` was given, by name."""
    named = {key: value for key, value in given.items() if key != "self"}
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            named |= named.pop(parameter.name)
    return named


def _llm(recording: Any, get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def llm(context: Any) -> Any:
        found = get(context)
        recording.wrap_methods("ctx_llm", found, shared("recording").LLM_METHODS)
        return found

    return llm


def _public(base: type[Any]) -> list[str]:
    """The methods that the host may call on what inherits from a class of its own."""
    return [name for name in dir(base) if not name.startswith("_") and inspect.isroutine(getattr(base, name))]
