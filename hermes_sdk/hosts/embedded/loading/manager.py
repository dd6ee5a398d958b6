"""One discovery: the sources are swept, the winners are gated and loaded, and what they register is kept here."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.commands import CliCommands, SlashCommands
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.loading.context import Observed, Observer, Registrar
from hermes_sdk.hosts.embedded.loading.discovery import Candidate, PluginManifest, sweep, truthy, winners
from hermes_sdk.hosts.embedded.loading.gate import Gate
from hermes_sdk.hosts.embedded.loading.import_guard import Code, ImportGuard
from hermes_sdk.hosts.embedded.loading.loader import BrokenDiscovery, Plugin, load
from hermes_sdk.hosts.embedded.middleware import Middleware
from hermes_sdk.hosts.embedded.providers.backends import Backends
from hermes_sdk.hosts.embedded.registrations import Recorded
from hermes_sdk.hosts.embedded.skills.plugin_skills import Skills
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface.host import EntryPoint, OnSwallowed

logger = logging.getLogger("hermes_cli.plugins")


class Sweep:
    """What plugins registered since the last discovery. A rescan makes a new one.

    Args:
        contract: The release.
        gate: Who may load.
        registry: The tools; they outlive a rescan (A1).
        guard: The watch over imports.
        on_swallowed: Called with a place and the exception whenever the host hides one of a plugin.
        observe: Called with the name and the arguments of each call of ``ctx``.
        recording: Where the calls of callbacks are recorded.
    """

    def __init__(
        self,
        contract: Contract,
        gate: Gate,
        registry: ToolRegistry,
        guard: ImportGuard,
        on_swallowed: OnSwallowed,
        observe: Observer | None = None,
        recording: Recording | None = None,
    ) -> None:
        self.contract = contract
        self.gate = gate
        self.registry = registry
        self.recorded = Recorded()
        self.backends = Backends()
        self.guard = guard
        self.plugins: dict[Any, Plugin] = {}
        self.tool_names: dict[str, None] = {}
        self.recording = recording or Recording()
        self.hooks = Hooks(contract, on_swallowed, self.recording)
        self.middleware = Middleware(contract, on_swallowed, self.recording)
        self.commands = SlashCommands(contract.slash_commands, on_swallowed, self.recording)
        self.cli_commands = CliCommands(contract.cli_commands, self.recording)
        self.skills = Skills(contract.behaviour)
        self.on_swallowed = on_swallowed
        self._observe = observe

    def registrar(self, manifest: PluginManifest) -> Any:
        """Make what stands behind the ``ctx`` of one plugin."""
        made = Registrar(manifest, self)
        observe = self._observe or (self._record if self.recording.active else None)
        return Observed(made, observe) if observe else made

    def _record(self, call: str, arguments: Mapping[str, Any]) -> None:
        self.recording.add("register", call, arguments=arguments)

    def run(self, home: Path, cwd: Path, entry_points: Sequence[EntryPoint]) -> None:
        """Find the plugins and load those that may load.

        Raises:
            HostExited: A plugin called ``sys.exit``.
            BrokenDiscovery: The name of a plugin is no text.
        """
        if not self.contract.behaviour.model_providers_lazy:
            self.guard.lent.model_providers.discover(home, self.on_swallowed)
        if self.contract.behaviour.safe_mode and truthy("HERMES_SAFE_MODE"):
            logger.info("HERMES_SAFE_MODE=1 — plugin discovery skipped")
            return
        found = sweep(home, cwd, entry_points, self.contract)
        for candidate in self._winners(found):
            if self._has_loaded(candidate.manifest):
                continue
            plugin = Plugin(candidate.manifest, candidate.raw)
            plugin.error = self._refusal(plugin.manifest)
            if plugin.error is None and plugin.manifest.kind != "model-provider":
                load(plugin, self)
                self._note(plugin)
            self.plugins[plugin.manifest.lookup_key] = plugin
        if found:
            on = sum(1 for plugin in self.plugins.values() if plugin.error is None)
            logger.info("Plugin discovery complete: %d found, %d enabled", len(self.plugins), on)

    # A name that cannot be looked up, such as a list, is too much for the host (A24).

    def _winners(self, found: Iterable[Candidate]) -> list[Candidate]:
        try:
            return winners(found)
        except TypeError as error:
            raise BrokenDiscovery from error

    def _refusal(self, manifest: PluginManifest) -> str | None:
        try:
            return self.gate.refusal(manifest)
        except TypeError as error:
            raise BrokenDiscovery from error

    def _has_loaded(self, manifest: PluginManifest) -> bool:
        # Only where this very sweep runs again, because the documents promise one call of `register` in a process.
        known = self.plugins.get(manifest.lookup_key)
        return known is not None and known.status != "skipped"

    @contextlib.contextmanager
    def undone_on_error(self) -> Generator[None]:
        """Take back what a plugin registered in this context when it raises, where the documents promise that."""
        undoes = self.contract.behaviour.failed_register_rolled_back
        kept = [(store, _copied(store)) for store in self._stores()] if undoes else []
        try:
            yield
        except BaseException:
            for store, before in kept:
                store.clear()
                store.update(before)
            raise

    def _stores(self) -> list[dict[str, Any]]:
        return [
            self.registry.entries,
            self.tool_names,
            self.hooks.callbacks,
            self.middleware.callbacks,
            self.commands.by_name,
            self.cli_commands.by_name,
            self.skills.by_name,
            vars(self.recorded),
            vars(self.backends),
        ]

    def _note(self, plugin: Plugin) -> None:
        if plugin.failure is not None:
            self.guard.note_failure(Code.of(plugin.manifest), plugin.failure)
            self.on_swallowed(f"plugin {plugin.manifest.name}", plugin.failure)


def _copied(store: dict[str, Any]) -> dict[str, Any]:
    """Copy a mapping and the lists and mappings in it, so that additions to either do not show."""
    return {name: value.copy() if isinstance(value, (dict, list)) else value for name, value in store.items()}
