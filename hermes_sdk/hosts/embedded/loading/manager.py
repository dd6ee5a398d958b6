"""`PluginManager`: discovers plugins, orders them by their requirements, and loads those that may load."""

from __future__ import annotations

import graphlib
import inspect
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from hermes_sdk.contract.ordering import satisfies
from hermes_sdk.hosts.embedded.config_keys import require_modelled
from hermes_sdk.hosts.embedded.loading import facade
from hermes_sdk.hosts.embedded.loading.context import (
    HooklessRegistrar,
    ObservedRegistrar,
    Observer,
    Registrar,
    make_context_class,
)
from hermes_sdk.hosts.embedded.loading.discovery import Candidate, InstalledEntryPoint, find_plugins, keep_winners
from hermes_sdk.hosts.embedded.loading.facade import Embedded, make_plugin_manager
from hermes_sdk.hosts.embedded.loading.gate import (
    Gate,
    list_withdrawn,
    refuse_relay,
    refuse_withdrawn,
    warn_of_relay,
)
from hermes_sdk.hosts.embedded.loading.hidden_modules import HiddenModules
from hermes_sdk.hosts.embedded.loading.loader import BrokenDiscovery, Loader
from hermes_sdk.hosts.embedded.loading.manifest_fields import check_settings
from hermes_sdk.hosts.embedded.loading.plugin_imports import Code, OwnModules, PluginImports
from hermes_sdk.hosts.embedded.loading.standin_loader import Standins
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.providers.secret_sources import require_no_fetch
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.interface import HostExited, LogRecord

logger = logging.getLogger("hermes_cli.plugins")
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


def _sort_plugins(plugins: Iterable[Plugin]) -> list[Plugin]:
    """Return the plugins in layers, each sorted by key, so that a plugin follows its requirements (N4 to N7).

    Bundled backends come first, since plugins cannot require them.

    Raises:
        TypeError: The keys cannot be sorted.
    """
    every = list(plugins)
    early = [one for one in every if one.manifest.source == "bundled" and one.manifest.kind == "backend"]
    by_key = {one.manifest.lookup_key: one for one in every if one not in early}
    keys = sorted(by_key)
    by_name = {by_key[key].manifest.name: key for key in reversed(keys)}
    required: dict[str, set[str]] = {key: set() for key in keys}
    for key in keys:
        for wanted in [one["id"] for one in by_key[key].manifest.requires_plugins if one["id"]]:
            found = wanted if wanted in by_key else by_name.get(wanted)
            if found is None:
                _warn_of_missing(key, wanted)
            elif found == key:
                logger.warning("Plugin %s declares a dependency on itself; ignoring", key)
            else:
                required[key].add(found)
    return early + [by_key[key] for key in _sort_by_requirements(required)]


def _warn_of_missing(key: str, wanted: str) -> None:
    logger.warning(
        "Plugin %s requires plugin '%s' which is not enabled/installed; loading anyway"
        " (`ctx.has_plugin` says whether it is there). Run `hermes plugins enable %s` if it is"
        " installed.",
        key,
        wanted,
        wanted,
    )


def _sort_by_requirements(required: dict[str, set[str]]) -> list[str]:
    sorter = graphlib.TopologicalSorter(required)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        message = "Plugin dependency cycle detected (%s); falling back to alphabetical load order for all plugins"
        logger.warning(message, " -> ".join(map(str, error.args[1])))
        return list(required)
    keys: list[str] = []
    while sorter.is_active():
        layer = sorted(sorter.get_ready())
        keys += layer
        sorter.done(*layer)
    return keys


class PluginManager:
    """Discovers plugins, and loads those that may load.

    See `EmbeddedHost` for `hidden`, `observe` and `own_packages`.

    `after_rescan` restores registrations that belong to no plugin, on releases whose rescan removes them.

    `plugins` contains the records of discovered plugins by key, and `log` the log records of the last discovery.
    """

    def __init__(
        self,
        state: HostState,
        registrations: Registrations,
        entry_points: Sequence[InstalledEntryPoint] = (),
        hidden: frozenset[str] = frozenset(),
        observe: Observer | None = None,
        after_rescan: Callable[[], None] = lambda: None,
        own_packages: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        self.state = state
        self.registrations = registrations
        self.plugins: dict[Any, Plugin] = {}
        self.log: list[LogRecord] = []
        own = OwnModules(state.contract, own_packages)
        set_aside = HiddenModules(hidden)
        self.imports = PluginImports(state, Standins(self, state, set_aside), own, set_aside)
        self._after_rescan = after_rescan
        self._loader = Loader(state, registrations, own)
        self._entry_points = entry_points
        self._searched = False
        self._observe = observe or (self._record if state.recording.active else None)

    @cached_property
    def facade(self) -> facade.PluginManager:
        """The plugin manager that plugins see."""
        return make_plugin_manager(Embedded(self.state, self.registrations, self.plugins, self.rescan))

    def rescan(self) -> None:
        """Discover plugins again; on earlier releases, their tools stay registered (A1)."""
        self.state.require_active()
        since = len(self.state.log.host_records)
        self.plugins.clear()
        self.registrations.clear()
        self.discover(since, forced=True)

    def discover(self, since: int = 0, *, forced: bool = False) -> None:
        """Find the plugins and load those that may load; `since` is the number of earlier log records.

        Raises:
            HostExited: A plugin called ``sys.exit``.
        """
        self.state.discovery_failed = False
        try:
            with self.imports.loading():
                self._discover()
            if forced and self.state.behaviour.registrations_undone:
                self.registrations.ledger.log_evictions()
                self._after_rescan()
        except BrokenDiscovery as error:
            self.state.discovery_failed = True
            self.state.swallow("discovery", error.__cause__ or error)
        finally:
            self.state.process.note()
            self.log = self.state.log.host_records[since:]

    def _discover(self) -> None:
        state = self.state
        config = state.config.read()
        require_modelled(state, config, "load")
        gate = Gate(config)
        if state.behaviour.entry_points_imported_first and not self._searched:
            self._searched = True
            self._import_model_providers(gate)
        self.registrations.model_providers.discover(state.home.path, state.swallow)
        if truthy("HERMES_SAFE_MODE"):
            logger.info("HERMES_SAFE_MODE=1 — plugin discovery skipped")
            return
        found = _call_lookup(find_plugins, state.home.path, state.cwd, self._entry_points, state.contract)
        warn_of_relay(state, gate.enabled)
        admitted: Iterable[Plugin] = self._admit(_call_lookup(keep_winners, found, state.behaviour), gate)
        if state.behaviour.manifest_fields_read:
            admitted = _call_lookup(_sort_plugins, admitted)
        for plugin in admitted:
            if state.behaviour.manifest_fields_read:
                self._warn_about_declarations(plugin.manifest, gate)
            if self._lacks_release(plugin):
                continue
            if plugin.manifest.source == "bundled" and plugin.manifest.kind == "platform":
                raise state.unsupported(f"load the bundled platform {plugin.manifest.name!r} on demand")
            if state.behaviour.plugins_isolated and gate.isolation == "host":
                raise state.unsupported("run plugins in a process of their own (plugins.isolation: host)")
            refused_before = len(state.refusals)
            self._loader.load(plugin, self._make_registrar(plugin.manifest, gate))
            if len(state.refusals) > refused_before:
                plugin.refused = state.refusals.list_actions(refused_before)
            if plugin.failure is not None:
                self.imports.note_failure(Code.of(plugin.manifest), plugin.failure)
                state.swallow(f"plugin {plugin.manifest.name}", plugin.failure)
            self.plugins[plugin.manifest.lookup_key] = plugin
        if found:
            on = sum(1 for plugin in self.plugins.values() if plugin.error is None)
            logger.info("Plugin discovery complete: %d found, %d enabled", len(self.plugins), on)
        if state.behaviour.secret_sources_fetched:
            require_no_fetch(self.registrations.backends["secret_source"].by_name.values(), state)

    def _import_model_providers(self, gate: Gate) -> None:
        """Import the enabled entry points, since any of them may register a model provider.

        Raises:
            HostExited: A plugin called ``sys.exit``.
            NotSupported: Plugins run in a separate process.
        """
        for one in self._entry_points:
            if one.name not in gate.enabled or one.name in gate.disabled:
                continue
            if self.state.behaviour.plugins_isolated and gate.isolation == "host":
                raise self.state.unsupported("run plugins in a process of their own (plugins.isolation: host)")
            with self.registrations.model_providers.credit(one.value, imports=True):
                self._import_model_provider(one)

    def _import_model_provider(self, one: InstalledEntryPoint) -> None:
        message = "Failed to load entry-point provider plugin %r: %s"
        try:
            found = self._loader.import_entry_point(PluginManifest(one.name, path=one.value))
            if callable(found) and not _requires_arguments(found):
                message = "Entry-point provider plugin %r raised on invocation: %s"
                found()
        except SystemExit as stop:
            raise HostExited(f"plugin '{one.name}'", stop.code) from stop
        except Exception as error:
            logging.getLogger("providers").warning(message, one.name, error)
            self.state.swallow(f"model provider {one.name}", error)

    def _admit(self, candidates: Iterable[Candidate], gate: Gate) -> Iterator[Plugin]:
        """Yield the plugins that may load, and record the others."""
        withdrawn = list_withdrawn(self.state)
        for candidate in candidates:
            plugin = Plugin(candidate.manifest, candidate.raw)
            plugin.error = self._refuse(plugin.manifest, gate, withdrawn)
            if plugin.error is None and plugin.manifest.kind != "model-provider":
                yield plugin
            else:
                self.plugins[plugin.manifest.lookup_key] = plugin

    def _refuse(self, manifest: PluginManifest, gate: Gate, withdrawn: list[Mapping[str, Any]]) -> str | None:
        """Return why a plugin is not loaded, as Hermes records it, or None if it is loaded."""
        error = refuse_relay(self.state, manifest) or _call_lookup(gate.find_refusal, manifest)
        if error or manifest.kind == "model-provider":
            return error
        return refuse_withdrawn(self.state, manifest, withdrawn)

    def _lacks_release(self, plugin: Plugin) -> bool:
        """Return whether a plugin requires another release, and record it if it does (N13)."""
        running, behaviour = self.state.contract.base, self.state.behaviour
        wanted = getattr(plugin.manifest, "requires_hermes", "")
        # Plugins that require nothing do not depend on the flags, which a release may leave unverified.
        if not wanted or not behaviour.requires_hermes_gates:
            return False
        if satisfies(running, wanted, leading_digits=behaviour.release_candidates_read):
            return False
        plugin.error = f"requires hermes {wanted}, running {running}"
        logger.warning("Plugin '%s' skipped: %s", plugin.manifest.lookup_key, plugin.error)
        self.plugins[plugin.manifest.lookup_key] = plugin
        return True

    def _warn_about_declarations(self, manifest: PluginManifest, gate: Gate) -> None:
        """Warn about missing declared packages, and about settings that do not match the schema (N8, N9)."""
        missing = [one for one in manifest.python_dependencies if _is_missing(one)]
        if missing:
            listed, quoted = ", ".join(missing), " ".join(f"'{one}'" for one in missing)
            text = self.state.wording("plugin.packages_missing", key=manifest.lookup_key, listed=listed, quoted=quoted)
            logger.warning("%s", text)
        check_settings(manifest.lookup_key, manifest.config_schema, gate.read_settings(manifest), self.state.contract)

    def make_provider_context(self, name: str, source: str | None) -> Any:
        """Create the ``ctx`` of a memory provider, which has no manifest; `source` is the file of its ``register``."""
        manifest = PluginManifest(name, key=name)
        gate = Gate(self.state.config.read())
        registrar = self._make_registrar(manifest, gate)
        if self.state.behaviour.memory_provider_hooks_replaced and source and self._has_loaded_from(name, source):
            registrar = HooklessRegistrar(manifest, self.registrations, registrar)
        return make_context_class(self.state.contract)(manifest, registrar)

    def _has_loaded_from(self, name: str, source: str) -> bool:
        """Return whether a plugin with a name and file is loaded."""
        loaded = [one.manifest for one in self.plugins.values() if one.status == "loaded" and one.manifest.name == name]
        files = [Path(one.path, "__init__.py").resolve() for one in loaded if one.path]
        return Path(source).resolve() in files

    def _make_registrar(self, manifest: PluginManifest, gate: Gate) -> Any:
        registrar = Registrar(manifest, self.state, self.registrations, gate, self.imports, self.plugins, self.facade)
        return ObservedRegistrar(registrar, self._observe) if self._observe else registrar

    def _record(self, call: str, arguments: Mapping[str, Any]) -> None:
        self.state.recording.add("register", call, arguments=arguments)


def _requires_arguments(function: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(one.default is inspect.Parameter.empty and one.kind not in several for one in parameters)


def _is_missing(requirement: str) -> bool:
    from importlib import metadata

    name = re.split(r"[<>=!~\[;\s]", requirement, maxsplit=1)[0]
    try:
        return bool(name) and not metadata.version(name)
    except metadata.PackageNotFoundError:
        return True
    except ValueError:
        return False


def _call_lookup(find: Callable[_Params, _Result], *given: _Params.args, **named: _Params.kwargs) -> _Result:
    """Call a function that looks up names; an unhashable name, such as a list, breaks the discovery (A24)."""
    try:
        return find(*given, **named)
    except TypeError as error:
        raise BrokenDiscovery from error
