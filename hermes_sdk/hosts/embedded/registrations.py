"""`Registrations`: all registrations of plugins."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.approval.transports import ApprovalTransports
from hermes_sdk.hosts.embedded.commands import CliCommands, SlashCommands
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.ledger import Entry, Ledger, PluginRegistration
from hermes_sdk.hosts.embedded.middleware import Middleware
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.providers.auxiliary_tasks import AuxiliaryTasks
from hermes_sdk.hosts.embedded.providers.backends import CATEGORIES, Backends, ContextEngines
from hermes_sdk.hosts.embedded.providers.context_references import ContextReferences
from hermes_sdk.hosts.embedded.providers.model_providers import ModelProviders
from hermes_sdk.hosts.embedded.providers.platforms import PlatformHandlers, Platforms, SlackActionHandlers
from hermes_sdk.hosts.embedded.services.blueprints import Blueprints
from hermes_sdk.hosts.embedded.services.event_bus import EventBus
from hermes_sdk.hosts.embedded.services.locales import Locales
from hermes_sdk.hosts.embedded.services.mcp import McpServers
from hermes_sdk.hosts.embedded.services.prompt_sections import PromptSections
from hermes_sdk.hosts.embedded.services.redaction import RedactionPatterns
from hermes_sdk.hosts.embedded.skills.plugin_skills import Skills
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import CreditedStore, Store
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.providers.plugin_llm.classes import PluginLlmClasses
    from hermes_sdk.hosts.embedded.tools import facade as tools_facade

METHODS: dict[str, tuple[str, Callable[..., Entry | None]]] = {
    "register_tool": ("tools", ToolRegistry.register),
    "register_hook": ("hooks", Hooks.register),
    "register_middleware": ("middleware", Middleware.register),
    "register_command": ("commands", SlashCommands.register),
    "register_cli_command": ("cli_commands", CliCommands.register),
    "register_skill": ("skills", Skills.register),
    "register_platform": ("platforms", Platforms.register),
    "register_platform_handler": ("platform_handlers", PlatformHandlers.register),
    "register_telegram_handler": ("platform_handlers", PlatformHandlers.register),
    "register_auxiliary_task": ("auxiliary_tasks", AuxiliaryTasks.register),
    "register_slack_action_handler": ("slack_action_handlers", SlackActionHandlers.register),
    "register_system_prompt_section": ("prompt_sections", PromptSections.register),
    "register_approval_transport": ("approval_transports", ApprovalTransports.register),
    "register_context_reference": ("context_references", ContextReferences.register),
    "register_locale": ("locales", Locales.register),
    "register_automation_blueprint": ("blueprints", Blueprints.register),
    "register_context_engine": ("context_engine", ContextEngines.register),
    **{method: (category.name, Backends.register) for method, category in CATEGORIES.items()},
}
"""Member of ``ctx`` -> the kind of its registrations, and the method that stores them."""

_KINDS = {member.removeprefix("register_"): kind for member, (kind, _) in METHODS.items()}
"""Kind of a handle -> the kind in a report."""


class Registrations:
    """Registrations since the last discovery: one store for each kind, named as in a report."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._contract = state.contract
        self.ledger = Ledger(state.contract)
        self.tools = ToolRegistry(state)
        self.hooks = Hooks(state)
        self.middleware = Middleware(state)
        self.commands = SlashCommands(state)
        self.cli_commands = CliCommands(state)
        self.skills = Skills(state)
        self.platforms = Platforms(state)
        self.platform_handlers = PlatformHandlers(state)
        self.auxiliary_tasks = AuxiliaryTasks(state)
        self.slack_action_handlers = SlackActionHandlers(state)
        self.prompt_sections = PromptSections(state)
        self.approval_transports = ApprovalTransports(state)
        self.redaction_patterns = RedactionPatterns(state)
        self.events = EventBus(state)
        self.locales = Locales(state)
        self.blueprints = Blueprints(state)
        self.mcp_servers = McpServers(state)
        self.context_references = ContextReferences(state)
        self.context_engine = ContextEngines(state)
        self.model_providers = ModelProviders(state)
        self.backends = {category.name: Backends(state, category) for category in CATEGORIES.values()}
        own = {kind: store for kind, store in vars(self).items() if isinstance(store, Store)}
        self.stores: dict[str, Store] = {**own, **self.backends}
        self._credited = {kind: store for kind, store in self.stores.items() if isinstance(store, CreditedStore)}

    @cached_property
    def plugin_llm(self) -> PluginLlmClasses:
        """The classes of ``ctx.llm``, created on demand."""
        from hermes_sdk.hosts.embedded.providers.plugin_llm.classes import PluginLlmClasses

        return PluginLlmClasses(self._state, self.hooks, self.auxiliary_tasks)

    @cached_property
    def tool_facade(self) -> tools_facade.ToolRegistry:
        """The registry of tools for plugins, created on demand."""
        from hermes_sdk.hosts.embedded.tools import facade

        return facade.make_registry(facade.Embedded(self._state, self.tools))

    def register(self, plugin: PluginManifest, member: str, **arguments: Any) -> PluginRegistration | None:
        """Call a registration method of ``ctx``; return the handle if there is an entry and the release has handles."""
        kind, register = METHODS[member]
        entry = register(self.stores[kind], plugin, **arguments)
        if entry is None:
            return None
        return self.record(plugin, member, member.removeprefix("register_"), entry)

    def record(self, plugin: PluginManifest, member: str, kind: str, entry: Entry) -> PluginRegistration | None:
        """Add a registration of a member of ``ctx`` to the ledger; return its handle if the release has handles."""
        handle = self.ledger.record(plugin.lookup_key, kind, entry)
        return handle if "PluginRegistration" in (self._contract.context[member].returns or "") else None

    def add_mcp_server(self, plugin: PluginManifest, name: str) -> None:
        """Register an MCP server of a portable plugin, for which ``ctx`` has no member."""
        entry = self.mcp_servers.register(plugin, name=name)
        if entry is not None:
            self.ledger.record(plugin.lookup_key, "portable_mcp", entry)

    def clear(self) -> None:
        """Forget all registrations before plugins are discovered again."""
        if self._contract.behaviour.registrations_undone:
            self.ledger.undo_all()
        self.ledger.clear()
        for store in self.stores.values():
            store.clear()
        self.events.failures.clear()

    @contextlib.contextmanager
    def credit(self, plugin: Plugin) -> Generator[None]:
        """Credit a plugin with new registrations, unless it raises an exception or has an error.

        On earlier releases, registrations before an exception stay (A38).
        """
        by_handles, recorded = self._contract.behaviour.registrations_undone, len(self.ledger)
        marks = {} if by_handles else {kind: store.mark() for kind, store in self._credited.items()}
        try:
            with self.model_providers.credit(plugin.manifest.path):
                yield
        except BaseException:
            if by_handles:
                self.ledger.undo(plugin.manifest.lookup_key)
                self.events.unsubscribe(plugin.manifest)
            raise
        if plugin.error is not None:
            return
        plugin.credited = {}
        if by_handles:
            for one in self.ledger.list_since(recorded, plugin.manifest.lookup_key):
                if (kind := _KINDS.get(one.kind)) in self._credited:
                    plugin.credited.setdefault(kind, []).append(one.key)
            return
        for kind, mark in marks.items():
            if names := self._credited[kind].credit(plugin.manifest, mark):
                plugin.credited[kind] = names

    def names(self, plugin: Plugin) -> dict[str, list[str]]:
        """Return the sorted names that a report lists for a plugin, by kind."""
        return {
            kind: sorted(map(str, [*plugin.credited.get(kind, ()), *store.names(plugin)]))
            for kind, store in self.stores.items()
        }
