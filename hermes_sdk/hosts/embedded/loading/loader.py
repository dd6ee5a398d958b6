"""Import of a plugin and call of its ``register`` with a deadline (statements A33 to A39, A42 to A44, N22, N23)."""

from __future__ import annotations

import contextvars
import logging
import os
import stat
import sys
import threading
import traceback
import types
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.config import read_deadline
from hermes_sdk.hosts.embedded.loading.context import make_context_class
from hermes_sdk.hosts.embedded.loading.plugin_imports import OwnModules
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.process.environment import truthy
from hermes_sdk.hosts.embedded.process.modules import execute, forget, make_namespace_package
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.services.capabilities import OVERRIDE, is_granted
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.manifest import ENTRY_POINT_GROUP
from hermes_sdk.manifest.load import choose_reader

if TYPE_CHECKING:
    from hermes_sdk.manifest import portable

logger = logging.getLogger("hermes_cli.plugins")
_SECONDS = 10.0
NAMESPACE = "hermes_plugins"


class PluginLoadTimeout(Exception):
    """Raised if a plugin takes too long to load."""


class AbandonableRegistrar:
    """Registrar that ignores registrations after the deadline."""

    def __init__(self, plugin: Any, registrar: Any) -> None:
        self._plugin = plugin
        self._registrar = registrar
        self._is_abandoned = False

    def abandon(self) -> None:
        """Ignore further registrations with a warning."""
        self._is_abandoned = True

    def __getattr__(self, name: str) -> Any:
        """Return a member of the registrar."""
        registers = name.startswith("register_") or name in ("subscribe", "on_unload")
        if not registers or not self._is_abandoned:
            return getattr(self._registrar, name)

        def ignore(**arguments: Any) -> None:  # noqa: ARG001
            logger.warning("Plugin '%s' called %s() after its load timed out; ignored", self._plugin, name)

        return ignore


def run_with_deadline(
    key: Any, config: Mapping[str, Any], work: Callable[[], bool], abandon: Callable[[], None]
) -> bool:
    """Run `work` in a thread named after a plugin, and return its result.

    Raises:
        PluginLoadTimeout: `work` timed out; `abandon` was called, and the thread continues.
        BaseException: Any exception of `work`.
    """
    seconds = read_deadline(config, "load_timeout_seconds", _SECONDS)
    if seconds == 0:
        return work()
    done: list[bool] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failures.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name=f"plugin-load:{key}", daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise failures[0]
    if done:
        return done[0]
    abandon()
    raise PluginLoadTimeout(f"load timed out after {seconds:g}s (import + register() never returned)")


class BrokenDiscovery(Exception):
    """Raised if a plugin stops the discovery of further plugins, such as by a name that is not text (A24).

    The cause is the exception that Hermes raises.
    """


class Loader:
    """Imports plugins and calls their ``register``."""

    def __init__(self, state: HostState, registrations: Registrations, own: OwnModules) -> None:
        self._state = state
        self._own = own
        self._registrations = registrations
        self._imported: set[str] = set()

    def load(self, plugin: Plugin, registrar: Any) -> None:
        """Import a plugin, call its ``register``, and complete its record.

        After an exception, the record of the plugin lists nothing; on earlier releases, its registrations stay (A38).
        On later releases, ``sys.exit`` is treated like other exceptions.

        Raises:
            HostExited: The plugin called ``sys.exit``, which would end the host.
            HermesSdkError: The plugin raised a `BaseException` other than an `Exception`, which would end the host.
            BrokenDiscovery: The plugin's name is not text, or the ``__str__`` of its exception fails.
        """
        manifest, behaviour = plugin.manifest, self._state.behaviour
        if not isinstance(manifest.lookup_key, str):
            kind = type(manifest.lookup_key).__name__
            raise BrokenDiscovery from AttributeError(f"{kind!r} object has no attribute 'replace'")
        if getattr(manifest, "portable", False):
            self._load_portable(plugin)
            return
        plugin.status = "failed"
        failures = (Exception, SystemExit) if behaviour.loading_contained else Exception
        try:
            self._register(plugin, registrar)
        except failures as error:
            plugin.error = self._describe(error)
            plugin.failure = error
            debug = truthy("HERMES_PLUGINS_DEBUG")
            logger.warning("Failed to load plugin '%s': %s", manifest.name, plugin.error, exc_info=debug)
        except SystemExit as stop:
            raise HostExited(f"plugin '{manifest.name}'", stop.code) from stop
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            summary = "".join(traceback.format_exception_only(error)).strip()
            raise HermesSdkError(f"plugin '{manifest.name}': the host failed with {summary}") from error

    def _load_portable(self, plugin: Plugin) -> None:
        """Register the skills and the MCP servers of a portable plugin.

        Raises:
            NotSupported: The manifest declares MCP servers in an extension.
        """
        from hermes_sdk.manifest import portable

        manifest, directory = plugin.manifest, Path(plugin.manifest.path or ".")
        fields, ignored = portable.read_manifest(directory)
        declared = fields.get("extensions", {}).get("com.nousresearch.hermes", {}).get("servers", {})
        if self._state.behaviour.portable_servers_declared and declared != {}:
            raise self._state.unsupported("read what a portable plugin declares of its MCP servers in an extension")
        data = self._state.home.path.resolve() / "plugin-data" / manifest.skill_namespace
        skills = list(portable.find_skills(directory, choose_reader(self._state.behaviour)))
        servers = [_make_directories(one, data) for one in portable.find_servers(directory, data)]
        for scope, problem in (
            *(("manifest", one) for one in ignored),
            *((f"skill:{one.name}", one.problem) for one in skills),
            *(("mcp" if one.name is None else f"mcp:{one.name}", one.problem) for one in servers),
        ):
            if problem:
                logger.warning("Agent Plugin '%s' [%s]: %s", manifest.lookup_key, scope, problem)
        owner = replace(manifest, name=manifest.skill_namespace)
        with self._registrations.credit(plugin):
            for skill in skills:
                if not skill.problem:
                    arguments = {"name": skill.name, "path": skill.file, "description": skill.description}
                    self._registrations.register(owner, "register_skill", **arguments)
            for server in servers:
                if server.name and not server.problem:
                    self._registrations.add_mcp_server(manifest, server.name)
        plugin.status = "loaded"

    def _describe(self, error: BaseException) -> str:
        if isinstance(error, SystemExit):
            return self._state.wording("plugin.exited", code=repr(error.code), text=error)
        return _read_text(error)

    def _register(self, plugin: Plugin, registrar: Any) -> None:
        manifest, state = plugin.manifest, self._state
        guarded = AbandonableRegistrar(manifest.name, registrar)
        context = make_context_class(state.contract)(manifest, guarded)
        work = partial(self._import_and_register, manifest, context)
        with self._registrations.credit(plugin):
            timed = state.behaviour.loading_contained
            if run_with_deadline(manifest.lookup_key, state.config.view(), work, guarded.abandon) if timed else work():
                plugin.status = "loaded"
            else:
                plugin.error = "no register() function"
                logger.warning("Plugin '%s' has no register() function", manifest.name)

    def _import_and_register(self, manifest: PluginManifest, context: Any) -> bool:
        """Import a plugin and call its ``register``; return False if there is nothing to call."""
        if self._state.behaviour.capabilities_granted:
            is_granted(self._state, manifest.lookup_key, OVERRIDE)
        if getattr(manifest, "provides_locales", None):
            _register_locales(manifest, context)
            if not Path(manifest.path or ".", "__init__.py").is_file():
                return True
        is_directory = manifest.source != "entrypoint"
        module = self._import_directory(manifest) if is_directory else self.import_entry_point(manifest)
        called = self._state.behaviour.entry_point_called and not isinstance(module, types.ModuleType)
        register = module if called and callable(module) else getattr(module, "register", None)
        if register is not None:
            register(context)
        return register is not None

    def _import_directory(self, manifest: PluginManifest) -> types.ModuleType:
        """Execute a directory plugin as ``hermes_plugins.<slug>`` and return the module.

        Raises:
            FileNotFoundError: The directory has no ``__init__.py``.
        """
        directory = manifest.path or "."
        init = f"{directory}/__init__.py"
        if not os.access(init, os.F_OK):
            raise FileNotFoundError(f"No __init__.py in {directory}")
        if manifest.source == "bundled":
            self._own.add(Path(directory))
        if stat.S_ISLNK(os.lstat(directory).st_mode):
            # A plugin that resolves its own path and adds it to `sys.path` imports from the resolved directory.
            self._state.plugin_files.add(os.path.realpath(directory))
        if NAMESPACE not in sys.modules:
            sys.modules[NAMESPACE] = make_namespace_package(NAMESPACE)
        name = f"{NAMESPACE}.{slug(manifest.lookup_key)}"
        if not self._state.behaviour.modules_forgotten:
            return execute(name, init, [directory])
        if name in self._imported:
            forget(name)
        self._imported.add(name)
        try:
            return execute(name, init, [directory])
        except BaseException:
            forget(name)
            raise

    def import_entry_point(self, manifest: PluginManifest) -> Any:
        """Return the object that the entry point of a plugin names."""
        # Do not use importlib_metadata, which would replace the standard library's finder in the process of the tests.
        from importlib.metadata import EntryPoint

        entry_point = EntryPoint(manifest.name, manifest.path or "", ENTRY_POINT_GROUP)
        self._state.adopt_package(entry_point.module.partition(".")[0])
        return entry_point.load()


def _make_directories(server: portable.Server, data: Path) -> portable.Server:
    """Create the directory of the plugin's data, and within it the working directory of a server."""
    if server.cwd is None:
        return server
    try:
        data.mkdir(parents=True, exist_ok=True)
        if server.cwd.is_relative_to(data):
            server.cwd.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return server._replace(problem=str(error))
    return server


def _register_locales(manifest: PluginManifest, context: Any) -> None:
    """Register the catalogues of the languages that a manifest declares; warn about missing files (N20)."""
    directory = Path(manifest.path or ".", "locales")
    handles = context.register_locale_dir(directory, metadata=manifest.locale_metadata)
    languages = {one.key.partition(".")[0] for one in handles}
    for language in manifest.provides_locales:
        if language not in languages:
            message = "Plugin '%s' declares provides_locales %r but %s has no %s.yaml"
            logger.warning(message, manifest.name, language, directory, language)


def _read_text(error: BaseException) -> str:
    """Return the text of an exception; the discovery breaks if ``__str__`` fails."""
    try:
        return str(error)
    except Exception as failure:
        raise BrokenDiscovery from failure


def slug(key: str) -> str:
    """Return the name of a plugin's module in ``hermes_plugins``."""
    return key.replace("/", "__").replace("-", "_")
