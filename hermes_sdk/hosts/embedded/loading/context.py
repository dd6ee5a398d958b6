"""``ctx``: the object that a plugin's ``register`` receives, made for each release from its contract.

The class is generated, as the standard library generates the methods of dataclasses, so that it has exactly the
members, parameters and defaults of the release, and so that Python itself words the errors of wrong calls.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from hermes_sdk.contract import Contract, Member, Parameter
from hermes_sdk.hosts.embedded.commands import CliCommand
from hermes_sdk.hosts.embedded.host_classes import declared, passed_on
from hermes_sdk.hosts.embedded.loading.discovery import PluginManifest
from hermes_sdk.hosts.embedded.loading.import_guard import Code
from hermes_sdk.hosts.embedded.providers.backends import CATEGORIES
from hermes_sdk.hosts.in_worker.recording import LLM_METHODS

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.loading.manager import Sweep
    from hermes_sdk.hosts.embedded.providers.plugin_llm.access import PluginLlm

logger = logging.getLogger("hermes_cli.plugins")


Observer = Callable[[str, Mapping[str, Any]], None]


class PluginToolOverrideError(PermissionError):
    """A plugin asks to replace a built-in tool and the operator has not allowed it (C6; since 0.18.0)."""


class Registrar:
    """What the members of ``ctx`` do, for one plugin. Its methods take keywords only.

    Args:
        manifest: The plugin.
        sweep: The discovery that loads it, and where registrations are kept.
    """

    def __init__(self, manifest: PluginManifest, sweep: Sweep) -> None:
        self._manifest = manifest
        self._sweep = sweep
        self.profile_name = "default"

    def register_tool(self, *, name: str, toolset: str, override: bool = False, **entry: Any) -> None:
        gated = override and self._sweep.contract.behaviour.override_gated
        if gated and not self._sweep.gate.may_override(self._manifest):
            raise PluginToolOverrideError(
                f"Plugin {self._manifest.name!r} cannot override built-in tool {name!r}. Set plugins.entries."
                f"{self._manifest.lookup_key}.allow_tool_override: true in config.yaml to allow this plugin to replace"
                " built-in tools."
            )
        owner = self._manifest.lookup_key
        self._sweep.registry.register(name=name, toolset=toolset, override=override, owner=owner, **entry)
        self._sweep.tool_names[name] = None

    def register_hook(self, *, hook_name: str, callback: Any) -> None:
        self._sweep.hooks.register(self._manifest.name, hook_name, callback)

    def register_middleware(self, *, kind: str, callback: Any) -> None:
        self._sweep.middleware.register(self._manifest.name, kind, callback)

    def register_command(self, *, name: str, handler: Any, description: str, args_hint: str) -> None:
        self._sweep.commands.register(self._manifest.name, name, handler, description, args_hint)

    def register_cli_command(self, *, name: str, **command: Any) -> None:
        self._sweep.cli_commands.register(CliCommand(self._manifest.name, name, **command))

    def register_skill(self, *, name: str, path: Any, description: str) -> None:
        self._sweep.skills.register(self._manifest.name, name, path, description)

    def register_platform(self, **arguments: Any) -> None:
        self._sweep.recorded.add_platform(self._manifest.lookup_key, self._sweep.contract, arguments)

    def register_auxiliary_task(self, **arguments: Any) -> None:
        builtin = self._sweep.contract.auxiliary_tasks
        self._sweep.recorded.add_auxiliary_task(self._manifest.name, builtin, **arguments)

    def register_slack_action_handler(self, *, action_id: Any, callback: Any) -> None:
        self._sweep.recorded.add_slack_action_handler(self._manifest.name, action_id, callback)

    def register_dashboard_auth_provider(self, *, provider: Any) -> None:
        # The wheels of 0.15 lack the package that the method looks into.
        package = "hermes_cli.dashboard_auth"
        if package not in self._sweep.contract.host_modules:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        self._add_backend("register_dashboard_auth_provider", provider)

    def register_context_engine(self, *, engine: Any) -> None:
        self._sweep.backends.add_engine(self._manifest.name, self._manifest.lookup_key, engine)

    @functools.cached_property
    def llm(self) -> PluginLlm:
        from hermes_sdk.hosts.embedded.providers.plugin_llm.access import PluginLlm

        made = PluginLlm(plugin_id=self._manifest.lookup_key, lent=self._sweep.guard.lent)
        if self._sweep.recording.active:
            self._sweep.recording.wrap_methods("ctx_llm", made, LLM_METHODS)
        return made

    def dispatch_tool(self, *, tool_name: str, args: Any, **kwargs: Any) -> Any:
        return self._sweep.registry.dispatch(tool_name, args, **kwargs)

    def inject_message(self, *, content: str, role: str) -> bool:
        logger.warning("inject_message: no CLI reference (not available in gateway mode)")
        return False

    def __getattr__(self, name: str) -> Any:
        """Serve the members that register a backend, which take nothing else."""
        if name not in CATEGORIES:
            self.refuse(name)

        def call(**arguments: Any) -> None:
            self._add_backend(name, *arguments.values())

        return call

    def refuse(self, what: str) -> NoReturn:
        """Take note that the plugin needs a part of ``ctx`` that is not modelled.

        Raises:
            AttributeError: Always.
        """
        self._sweep.guard.note_unmodelled(Code.of(self._manifest), f"ctx.{what}")
        raise AttributeError(f"the embedded host does not model ctx.{what} of Hermes {self._sweep.contract.release}")

    def _add_backend(self, method: str, backend: Any) -> None:
        plugin, owner = self._manifest.name, self._manifest.lookup_key
        self._sweep.backends.add(plugin, owner, CATEGORIES[method], backend, self._sweep.contract)


class Observed:
    """A registrar that tells an observer about each call before it makes it."""

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
    members = "".join(_source(member) for member in contract.context.values() if member.kind != "attribute")
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


def _source(member: Member) -> str:
    if member.kind == "property":
        return f"    @property\n    def {member.name}(self):\n        return self._registrar.{member.name}\n"
    passed, refused = passed_on(member), ""
    for parameter in _unmodelled(member):
        passed.remove(f"{parameter.name}={parameter.name}")
        what = f"{member.name}({parameter.name}=…)"
        refused += (
            f"        if {parameter.name} != {parameter.default}:\n            self._registrar.refuse({what!r})\n"
        )
    call = f"self._registrar.{member.name}({', '.join(passed)})"
    return f"    def {member.name}{declared(member)}:\n{refused}        return {call}\n"


def _unmodelled(member: Member) -> list[Parameter]:
    """The parameters of a member that releases which are not verified have added to one that is modelled."""
    modelled = inspect.getfullargspec(getattr(Registrar, member.name)) if hasattr(Registrar, member.name) else None
    if modelled is None or modelled.varkw:
        return []
    return [one for one in member.parameters if one.name not in modelled.kwonlyargs and one.default is not None]
