"""``ctx``: the object that a plugin's ``register`` receives, made for each release from its contract.

The class is generated, as the standard library generates the methods of dataclasses, so that it has exactly the
members, parameters and defaults of the release, and so that Python itself words the errors of wrong calls.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NoReturn

from hermes_sdk.contract import Contract, Member, Parameter
from hermes_sdk.hosts.embedded.host_classes import format_arguments, format_parameters
from hermes_sdk.hosts.embedded.ledger import Entry, Release
from hermes_sdk.hosts.embedded.loading.gate import Gate
from hermes_sdk.hosts.embedded.loading.import_guard import Code, ImportGuard
from hermes_sdk.hosts.embedded.loading.message_injection import MessageInjection
from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.registrations import METHODS, Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.in_worker.recording import LLM_METHODS

logger = logging.getLogger("hermes_cli.plugins")


Observer = Callable[[str, Mapping[str, Any]], None]


class PluginToolOverrideError(PermissionError):
    """A plugin asks to replace a built-in tool and the operator has not allowed it (C6; since 0.18.0)."""


class Registrar:
    """What the members of ``ctx`` do, for one plugin. They take keywords only."""

    def __init__(
        self,
        manifest: PluginManifest,
        state: HostState,
        registrations: Registrations,
        gate: Gate,
        imports: ImportGuard,
    ) -> None:
        self._manifest = manifest
        self._state = state
        self._registrations = registrations
        self._gate = gate
        self._imports = imports
        self.profile_name = "default"

    def register_tool(self, *, name: str, override: bool = False, **entry: Any) -> Any:
        gated = override and self._state.behaviour.override_gated
        if gated and not self._gate.may_override(self._manifest):
            raise PluginToolOverrideError(
                f"Plugin {self._manifest.name!r} cannot override built-in tool {name!r}. Set plugins.entries."
                f"{self._manifest.lookup_key}.allow_tool_override: true in config.yaml to allow this plugin to replace"
                " built-in tools."
            )
        return self._registrations.register(self._manifest, "register_tool", name=name, override=override, **entry)

    @functools.cached_property
    def llm(self) -> Any:
        made = import_module("agent.plugin_llm").PluginLlm(plugin_id=self._manifest.lookup_key)
        if self._state.recording.active:
            self._state.recording.wrap_methods("ctx_llm", made, LLM_METHODS)
        return made

    def on_unload(self, *, callback: Release) -> Any:
        if not callable(callback):
            raise TypeError("on_unload callback must be callable")
        entry = Entry(getattr(callback, "__name__", "callback"), callback)
        return self._registrations.record(self._manifest, "on_unload", "on_unload", entry)

    def dispatch_tool(self, *, tool_name: str, args: Any, **kwargs: Any) -> Any:
        return self._registrations.tools.dispatch(tool_name, args, **kwargs)

    def inject_message(self, *, content: str, role: str, **target: Any) -> bool:
        text = content if role == "user" else f"[{role}] {content}"
        return MessageInjection(self._state, self._manifest.lookup_key).inject(text, target)

    def __getattr__(self, name: str) -> Any:
        """Serve the members that register something and need nothing else."""
        if name not in METHODS:
            self.refuse(name)
        return functools.partial(self._registrations.register, self._manifest, name)

    def refuse(self, what: str) -> NoReturn:
        """Note that the plugin needs a part of ``ctx`` that is not modelled.

        Raises:
            AttributeError: Always.
        """
        self._imports.note_unmodelled(Code.of(self._manifest), f"ctx.{what}")
        release = self._state.contract.release
        raise AttributeError(f"the embedded host does not model ctx.{what} of Hermes {release}")


class Observed:
    """A registrar that reports each call to an observer before it makes the call."""

    def __init__(self, registrar: Registrar, observe: Observer) -> None:
        self._registrar = registrar
        self._observe = observe

    def __getattr__(self, name: str) -> Any:
        """Serve the registrar's member."""
        member = getattr(self._registrar, name)
        if not name.startswith("register_"):
            return member

        def call(**arguments: Any) -> Any:
            self._observe(name, arguments)
            return member(**arguments)

        return call


@functools.cache
def context_class(contract: Contract) -> type[Any]:
    """Make the class ``PluginContext`` of a release."""
    members = "".join(_source(member) for member in contract.context.values() if _is_modelled(member))
    source = (
        "class PluginContext:\n"
        "    def __init__(self, manifest, registrar):\n"
        "        self.manifest = manifest\n"
        "        self._registrar = registrar\n"
        f"{members}"
    )
    namespace: dict[str, Any] = {"__name__": "hermes_cli.plugins"}
    exec(compile(source, f"<PluginContext of {contract.release}>", "exec"), namespace)
    made: type[Any] = namespace["PluginContext"]
    return made


def _is_modelled(member: Member) -> bool:
    """Tell whether plugins may use a member; the manifest is set by the constructor."""
    return member.kind != "attribute" or not (member.name.startswith("_") or member.name == "manifest")


def _source(member: Member) -> str:
    if member.kind in ("property", "attribute"):
        return f"    @property\n    def {member.name}(self):\n        return self._registrar.{member.name}\n"
    passed, refused = format_arguments(member), ""
    for parameter in _unmodelled(member):
        passed.remove(f"{parameter.name}={parameter.name}")
        what = f"{member.name}({parameter.name}=…)"
        refused += (
            f"        if {parameter.name} != {parameter.default}:\n            self._registrar.refuse({what!r})\n"
        )
    call = f"self._registrar.{member.name}({', '.join(passed)})"
    return f"    def {member.name}{format_parameters(member)}:\n{refused}        return {call}\n"


def _unmodelled(member: Member) -> list[Parameter]:
    """Return the parameters of a modelled member that unverified releases have added."""
    _, register = METHODS.get(member.name, (None, None))
    serves = getattr(Registrar, member.name, register)
    modelled = inspect.getfullargspec(serves) if callable(serves) else None
    if modelled is None or modelled.varkw:
        return []
    return [one for one in member.parameters if one.name not in modelled.kwonlyargs and one.default is not None]
