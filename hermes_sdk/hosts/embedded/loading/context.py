"""``ctx``: the object that a plugin's ``register`` receives, generated for each release from its contract.

The class is generated, as the standard library generates the methods of dataclasses, so that it has exactly the
members, parameters and defaults of the release, and so that Python itself raises the errors of wrong calls.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from hermes_sdk.contract import Contract, Member, Parameter
from hermes_sdk.hosts.embedded.host_classes import format_arguments, format_parameters
from hermes_sdk.hosts.embedded.ledger import Entry, Release
from hermes_sdk.hosts.embedded.loading.facade import PluginManager
from hermes_sdk.hosts.embedded.loading.gate import Gate
from hermes_sdk.hosts.embedded.loading.plugin_imports import Code, PluginImports
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.providers.backends import MEMORY, has_base_class
from hermes_sdk.hosts.embedded.registrations import METHODS, Registrations
from hermes_sdk.hosts.embedded.services.capabilities import OVERRIDE, is_granted
from hermes_sdk.hosts.embedded.services.locales import find_files
from hermes_sdk.hosts.embedded.services.members import Services
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.in_worker.recording import LLM_METHODS
from hermes_sdk.manifest.load import reading_errors

if TYPE_CHECKING:
    import asyncio

_log = logging.getLogger("hermes_cli.plugins")
logger = logging.getLogger("hermes_cli.plugins")
Observer = Callable[[str, Mapping[str, Any]], None]


class MessageInjection:
    """Injects messages of one plugin into chats of a gateway; this host has no chat at a terminal."""

    def __init__(self, state: HostState, plugin: str) -> None:
        self._state = state
        self._plugin = plugin

    def inject(self, text: str, target: Mapping[str, Any]) -> bool:
        """Inject a message; return whether the gateway accepted it.

        `target` has the key ``session_key`` on releases whose gateway accepts messages, and ``origin`` on those that
        can open a session for a message.
        """
        if problem := self._find_problem(target):
            _log.warning("inject_message: %s", problem)
            return False
        take = self._state.take_message
        return take is not None and take(self._plugin, text, target["session_key"] or None, target.get("origin"))

    def _find_problem(self, target: Mapping[str, Any]) -> str:
        if "session_key" not in target:
            return "no CLI reference (not available in gateway mode)"
        origin = target.get("origin")
        if target["session_key"] and origin is not None:
            return "pass session_key or origin, not both"
        if not target["session_key"] and origin is None:
            return f"gateway mode requires an existing session_key{' or an origin' if 'origin' in target else ''}"
        if origin is not None and not isinstance(origin, Mapping):
            return "origin must be a mapping in the SessionSource.to_dict() shape"
        if not self._is_granted():
            return (
                f"gateway injection denied for plugin {self._plugin}; set"
                f" plugins.entries.{self._plugin}.allow_gateway_injection: true to allow it"
            )
        return "" if self._state.take_message is not None else "no live gateway is available"

    def _is_granted(self) -> bool:
        entry: Any = self._state.config.read()
        for key in ("plugins", "entries", self._plugin):
            entry = entry.get(key) if isinstance(entry, Mapping) else None
        return isinstance(entry, Mapping) and entry.get("allow_gateway_injection") is True


class PluginToolOverrideError(PermissionError):
    """Raised if a plugin replaces a built-in tool without permission from the operator (C6)."""


class Registrar(Services):
    """Implementation of the members of ``ctx`` for one plugin; methods take keywords only."""

    def __init__(
        self,
        manifest: PluginManifest,
        state: HostState,
        registrations: Registrations,
        gate: Gate,
        imports: PluginImports,
        plugins: Mapping[Any, Plugin],
        manager: PluginManager,
    ) -> None:
        super().__init__(manifest, state, registrations.events, registrations.mcp_servers, plugins)
        self._registrations = registrations
        self._manager = manager
        self._gate = gate
        self._imports = imports

    @functools.cached_property
    def llm(self) -> Any:
        llm = self._registrations.plugin_llm.PluginLlm(plugin_id=self.plugin_id)
        if self._state.recording.active:
            self._state.recording.wrap_methods("ctx_llm", llm, LLM_METHODS)
        return llm

    def register_tool(self, *, name: str, override: bool = False, **entry: Any) -> Any:
        if override and not self._may_override():
            raise PluginToolOverrideError(
                f"Plugin {self._manifest.name!r} cannot override built-in tool {name!r}. Set"
                f" plugins.entries.{self._manifest.lookup_key}.allow_tool_override: true to allow it."
            )
        return self._registrations.register(self._manifest, "register_tool", name=name, override=override, **entry)

    def _may_override(self) -> bool:
        if self._state.behaviour.capabilities_granted:
            return self._manifest.source == "bundled" or is_granted(self._state, self.plugin_id, OVERRIDE)
        return self._gate.may_override(self._manifest)

    def on_unload(self, *, callback: Release) -> Any:
        if not callable(callback):
            raise TypeError("on_unload callback must be callable")
        entry = Entry(getattr(callback, "__name__", "callback"), callback)
        return self._registrations.record(self._manifest, "on_unload", "on_unload", entry)

    def spawn_task(self, *, coro: Any, name: str | None) -> asyncio.Task[Any]:
        import asyncio

        if not asyncio.iscoroutine(coro):
            raise TypeError("spawn_task expects a coroutine")
        task = asyncio.get_running_loop().create_task(coro, name=name or f"plugin:{self.plugin_id}:task")

        def cancel() -> None:
            task.cancel()

        entry = Entry(task.get_name(), cancel)
        handle = self._registrations.ledger.record(self.plugin_id, "background_task", entry)
        task.add_done_callback(lambda _: handle.dispose())
        return task

    def register_redaction_patterns(self, *, patterns: Any) -> int:
        return self._registrations.redaction_patterns.add(self._manifest, patterns)

    def register_locale_dir(self, *, path: Any, metadata: Mapping[str, Mapping[str, Any]] | None) -> list[Any]:
        """Register the files of a directory; unreadable files are skipped with a warning."""
        handles = []
        for language, surface, file in find_files(Path(path)):
            more = (metadata or {}).get(language) or {}
            about = {"endonym": more.get("endonym"), "rtl": bool(more.get("rtl"))}
            try:
                handles.append(self.register_locale(lang=language, source=file, surface=surface, **about))
            except reading_errors() as error:
                logger.warning("Plugin '%s' locale file %s skipped: %s", self._manifest.name, file, error)
        return handles

    def register_memory_provider(self, *, provider: Any) -> None:
        """Check the class of a provider; only the loader of memory providers registers it."""
        has_base_class(self._manifest.name, MEMORY, provider, self._state)

    def dispatch_tool(self, *, tool_name: str, args: Any, **kwargs: Any) -> Any:
        return self._registrations.tools.dispatch(tool_name, args, **kwargs)

    def inject_message(self, *, content: str, role: str, **target: Any) -> bool:
        from hermes_sdk.hosts.embedded.loading.context import MessageInjection

        text = content if role == "user" else f"[{role}] {content}"
        return MessageInjection(self._state, self._manifest.lookup_key).inject(text, target)

    def __getattr__(self, name: str) -> Any:
        """Return a member that only registers something."""
        if name not in METHODS:
            self.refuse(name)
        return functools.partial(self._registrations.register, self._manifest, name)

    def refuse(self, what: str) -> NoReturn:
        """Record that the plugin uses an unsupported part of ``ctx``.

        Raises:
            AttributeError: Always.
        """
        self._imports.note_unmodelled(Code.of(self._manifest), f"ctx.{what}")
        release = self._state.contract.release
        raise AttributeError(f"the embedded host does not support ctx.{what} of Hermes {release}")


class ObservedRegistrar:
    """Registrar that reports each call to an observer before making it."""

    def __init__(self, registrar: Registrar, observe: Observer) -> None:
        self._registrar = registrar
        self._observe = observe

    def __getattr__(self, name: str) -> Any:
        """Return a member of the registrar."""
        member = getattr(self._registrar, name)
        if not name.startswith("register_"):
            return member

        def call(**arguments: Any) -> Any:
            self._observe(name, arguments)
            return member(**arguments)

        return call


class HooklessRegistrar:
    """Registrar that ignores hooks, for a memory provider that is also a plugin with the same hooks."""

    def __init__(self, manifest: PluginManifest, registrations: Registrations, registrar: Any) -> None:
        self._manifest = manifest
        self._registrations = registrations
        self._registrar = registrar

    def register_hook(self, *, hook_name: str, callback: Any) -> Any:
        nothing = Entry(hook_name, lambda: None)
        return self._registrations.record(self._manifest, "register_hook", "hook", nothing)

    def __getattr__(self, name: str) -> Any:
        """Return another member of the registrar."""
        return getattr(self._registrar, name)


@functools.cache
def make_context_class(contract: Contract) -> type[Any]:
    """Create the class ``PluginContext`` of a release."""
    # The manifest is set by the constructor.
    members = "".join(_generate_member(member) for name, member in contract.context.items() if name != "manifest")
    source = (
        "class PluginContext:\n"
        "    def __init__(self, manifest, registrar):\n"
        "        self.manifest = manifest\n"
        "        self._registrar = registrar\n"
        f"{members}"
    )
    namespace: dict[str, Any] = {"__name__": "hermes_cli.plugins"}
    exec(compile(source, f"<PluginContext of {contract.release}>", "exec"), namespace)
    context: type[Any] = namespace["PluginContext"]
    if "register_automation_blueprint" in contract.context:
        # Releases with this member define both functions in a separate module.
        for name in ("register_skill", "register_automation_blueprint"):
            vars(context)[name].__qualname__ = name
    return context


def _generate_member(member: Member) -> str:
    if member.name.startswith("_") and member.name != "_manager":
        return f"    @property\n    def {member.name}(self):\n        self._registrar.refuse({member.name!r})\n"
    if member.kind in ("property", "attribute"):
        return f"    @property\n    def {member.name}(self):\n        return self._registrar.{member.name}\n"
    passed, refused = format_arguments(member), ""
    for parameter in _find_unmodelled_parameters(member):
        passed.remove(f"{parameter.name}={parameter.name}")
        what = f"{member.name}({parameter.name}=…)"
        refused += (
            f"        if {parameter.name} != {parameter.default}:\n            self._registrar.refuse({what!r})\n"
        )
    call = f"self._registrar.{member.name}({', '.join(passed)})"
    return f"    def {member.name}{format_parameters(member)}:\n{refused}        return {call}\n"


def _find_unmodelled_parameters(member: Member) -> list[Parameter]:
    """Return the parameters that unproven releases have added to a modelled member."""
    _, register = METHODS.get(member.name, (None, None))
    serves = getattr(Registrar, member.name, register)
    if not isinstance(serves, FunctionType) or serves.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return []
    code = serves.__code__
    modelled = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return [one for one in member.parameters if one.name not in modelled and one.default is not None]
