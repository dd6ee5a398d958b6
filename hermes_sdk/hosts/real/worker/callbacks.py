"""Recording of calls between the host and plugins: wrap each callback when a plugin registers it."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import json
from collections.abc import Callable, Generator, Mapping
from typing import Any

from ...in_worker.builtin_calls import BuiltinCalls
from ...in_worker.recording import LLM_METHODS, Recording, is_recorded, public_methods

Swallow = Callable[[str, BaseException], None]
"""Called with a place, such as ``platform echo check_fn``, and an exception that the host swallows."""

Note = Callable[[str, Mapping[str, Any]], None]
"""Called with the name and the arguments of each ``ctx.register_*`` call before it takes effect."""

_CALLBACKS = {
    "register_tool": ("tool", "name", "handler"),
    "register_hook": ("hook", "hook_name", "callback"),
    "register_middleware": ("middleware", "kind", "callback"),
    "register_command": ("command", "name", "handler"),
    "register_cli_command": ("cli_command", "name", "handler_fn"),
}
"""Method of ``ctx`` -> the kind of its events, and its parameters with the name and the callback."""


LOOP_TOOLS = {
    "tools.memory_tool": ("memory_tool", "memory"),
    "tools.session_search_tool": ("session_search", "session_search"),
}
"""Module of the host -> its function for a built-in tool that the agent loop calls directly, and the tool."""

_OF_PLATFORM = (
    "adapter_factory",
    "apply_yaml_config_fn",
    "check_fn",
    "ensure_deps_fn",
    "env_enablement_fn",
    "is_connected",
    "setup_fn",
    "standalone_sender_fn",
    "validate_config",
)
"""Arguments of ``ctx.register_platform`` that the host calls."""


_HIDDEN_OF_ENGINES = (
    "on_session_end",
    "on_session_reset",
    "prune_tool_results_only",
    "should_compress_info",
    "should_compress_preflight",
)
"""Methods of context engines whose exceptions the host swallows without logging them."""


def attach(
    recording: Recording,
    context: type[Any],
    swallow: Swallow,
    note: Note,
    covers: Callable[[Any], bool] = bool,
) -> None:
    """Record calls of ``ctx`` methods (`context` is the class), and calls of the callbacks that plugins register.

    `covers` returns whether to record the plugin of a context. Default: all plugins.
    """
    for name, method in list(vars(context).items()):
        if name.startswith("register_"):
            setattr(context, name, _record_registration(recording, swallow, note, covers, name, method))
    if "llm" in vars(context):
        context.llm = property(_record_llm(recording, context.llm.fget))


@contextlib.contextmanager
def record_shell_hooks(recording: Recording, hooks: dict[str, list[Any]]) -> Generator[None]:
    """Record the calls of callbacks that are added to the host's hooks within the context."""
    before = {name: len(callbacks) for name, callbacks in hooks.items()}
    try:
        yield
    finally:
        for name, callbacks in hooks.items():
            for number in range(before.get(name, 0), len(callbacks)):
                callbacks[number] = recording.wrap("shell_hook", name, callbacks[number])


def attach_builtins(builtins: BuiltinCalls) -> None:
    """Route calls of built-in tools through `builtins`: those in the registry, and those of the agent loop."""
    attach_registry(builtins, importlib.import_module("tools.registry"))
    for module, (function, tool) in LOOP_TOOLS.items():
        attach_loop_tool(builtins, importlib.import_module(module), function, tool)


def attach_registry(builtins: BuiltinCalls, module: Any) -> None:
    """Route calls of built-in tools in the registry through `builtins`."""
    registry = module.registry
    dispatch = registry.dispatch
    if hasattr(dispatch, "__wrapped__"):
        # An earlier session has already wrapped the function.
        return
    of_loop = {tool for _, tool in LOOP_TOOLS.values()}

    @functools.wraps(dispatch)
    def wrapper(name: str, args: Any, **kwargs: Any) -> Any:
        entry = registry.get_entry(name)
        if entry is None or name in of_loop or is_recorded(entry.handler):
            return dispatch(name, args, **kwargs)
        return builtins.wrap(name, functools.partial(dispatch, name))(args, **kwargs)

    registry.dispatch = wrapper


def attach_loop_tool(builtins: BuiltinCalls, module: Any, function: str, tool: str) -> None:
    """Route calls of a tool of the agent loop through `builtins`; the host calls its function with keywords."""
    run = getattr(module, function)
    if hasattr(run, "__wrapped__"):
        return

    @functools.wraps(run)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        def handle(_: Any) -> Any:
            return run(*args, **kwargs)

        given = {key: value for key, value in kwargs.items() if isinstance(value, str | int | float | list | dict)}
        return builtins.wrap(tool, handle)(given)

    setattr(module, function, wrapper)


def serve_command(args: Any, recorded: Mapping[str, Any], _: Mapping[str, Any]) -> Any:
    """Return the recorded result of a command, after the approval that the host may request."""
    terminal = importlib.import_module("tools.terminal_tool")
    command = args.get("command") if isinstance(args, dict) else None
    if isinstance(command, str) and hasattr(terminal, "_check_all_guards"):
        verdict = terminal._check_all_guards(command, "local")
        if not verdict.get("approved", True) and json.loads(recorded["result"]).get("exit_code") != -1:
            refused = {"output": "", "exit_code": -1, "error": verdict.get("message", ""), "status": "blocked"}
            return json.dumps(refused, ensure_ascii=False)
    return recorded["result"]


def attach_engines(recording: Recording, swallow: Swallow) -> None:
    """Record context engines that the host loads from a directory with their name, and swallowed exceptions."""
    engines = importlib.import_module("plugins.context_engine")
    base = importlib.import_module("agent.context_engine").ContextEngine
    load = engines.load_context_engine
    if hasattr(load, "__wrapped__"):
        # An earlier session has already wrapped the function.
        return

    @functools.wraps(load)
    def wrapper(name: str) -> Any:
        engine = load(name)
        if engine is not None:
            _record_engine(recording, swallow, engine, base)
        return engine

    engines.load_context_engine = wrapper  # type: ignore[attr-defined]


def _record_engine(recording: Recording, swallow: Swallow, engine: Any, base: type[Any]) -> None:
    # Wrap the methods of the class, because the host copies engines.
    for name in _HIDDEN_OF_ENGINES:
        method = inspect.getattr_static(type(engine), name, None)
        if inspect.isfunction(method) and method is not vars(base).get(name) and not hasattr(method, "__wrapped__"):
            setattr(type(engine), name, _report_errors(swallow, f"context engine {name}", method))
    recording.wrap_methods("context_engine", engine, public_methods(base))


def attach_memory(recording: Recording, swallow: Swallow) -> None:
    """Record the calls of the memory provider that the host will load, and swallowed exceptions."""
    memory = importlib.import_module("plugins.memory")
    base = importlib.import_module("agent.memory_provider").MemoryProvider
    load = memory.load_memory_provider
    if hasattr(load, "__wrapped__"):
        # An earlier session has already wrapped the function.
        return

    @functools.wraps(load)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        provider = load(*args, **kwargs)
        if provider is not None:
            # A provider does not have to derive from the host's class.
            methods = [method for method in public_methods(base) if hasattr(provider, method)]
            recording.wrap_methods("memory", provider, methods)
            for method in methods:
                where = f"memory provider {provider.name} {method}"
                vars(provider)[method] = _report_errors(swallow, where, getattr(provider, method))
        return provider

    memory.load_memory_provider = wrapper  # type: ignore[attr-defined]


def report_command_errors(swallow: Swallow, commands: dict[str, Any]) -> None:
    """Report exceptions of slash commands, which a gateway swallows: it answers as if the command were unknown."""
    for name, entry in commands.items():
        entry["handler"] = _report_errors(swallow, f"command /{name}", entry["handler"])


def _report_errors(swallow: Swallow, where: str, method: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(method)
    def reporting(*args: Any, **kwargs: Any) -> Any:
        with _report(swallow, where):
            result = method(*args, **kwargs)
        return report_result(result) if inspect.iscoroutine(result) else result

    async def report_result(coroutine: Any) -> Any:
        with _report(swallow, where):
            return await coroutine

    async def reporting_coroutine(*args: Any, **kwargs: Any) -> Any:
        return await reporting(*args, **kwargs)

    # The host calls functions in a thread, and awaits coroutine functions, so the wrapper must be of the same kind.
    is_coroutine = inspect.iscoroutinefunction(method)
    return functools.wraps(method)(reporting_coroutine) if is_coroutine else reporting


@contextlib.contextmanager
def _report(swallow: Swallow, where: str) -> Generator[None]:
    try:
        yield
    except Exception as error:
        swallow(where, error)
        raise


def _is_called_by(module: str) -> bool:
    """Return whether the caller's caller is in a module, to recognize ``ctx`` methods that call each other."""
    caller = inspect.currentframe()
    for _ in range(2):
        caller = caller and caller.f_back
    return caller is not None and caller.f_globals.get("__name__") == module


def _record_registration(
    recording: Recording,
    swallow: Swallow,
    note: Note,
    covers: Callable[[Any], bool],
    name: str,
    method: Callable[..., Any],
) -> Callable[..., Any]:
    """Wrap a method of ``ctx``: record the call, and replace a callback by a recorded one."""
    # Computed on first use, because a plugin calls few of the methods.
    find_signature = functools.cache(functools.partial(inspect.signature, method))

    @functools.wraps(method)
    def register(*args: Any, **kwargs: Any) -> Any:
        if not covers(args[0]) or _is_called_by(method.__module__):
            return method(*args, **kwargs)
        signature = find_signature()
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            # If the arguments are wrong, the host's own method raises the error.
            return method(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        arguments = _name_arguments(signature, given)
        recording.add("register", name, arguments=arguments)
        note(name, arguments)
        if name in _CALLBACKS:
            kind, named, callback = _CALLBACKS[name]
            label = str(given[named])
            if kind == "command":
                # The host normalizes the name to what users type.
                label = label.lower().strip().lstrip("/").replace(" ", "-")
            given[callback] = recording.wrap(kind, label, given[callback])
        elif name == "register_platform":
            for passed in (given, *(one for one in given.values() if isinstance(one, dict))):
                for one in _OF_PLATFORM:
                    if callable(passed.get(one)):
                        where = f"platform {given['name']} {one}"
                        passed[one] = _report_errors(swallow, where, passed[one])
        elif name == "register_context_engine":
            base = importlib.import_module("agent.context_engine").ContextEngine
            if isinstance(given["engine"], base):
                _record_engine(recording, swallow, given["engine"], base)
        return method(*bound.args, **bound.kwargs)

    return register


def _name_arguments(signature: inspect.Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    named = {key: value for key, value in given.items() if key != "self"}
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            named |= named.pop(parameter.name)
    return named


def _record_llm(recording: Recording, get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def llm(context: Any) -> Any:
        found = get(context)
        recording.wrap_methods("ctx_llm", found, LLM_METHODS)
        return found

    return llm
