"""Importing one plugin and calling its ``register`` (statements A33 to A39, A42 to A44)."""

from __future__ import annotations

import importlib.util
import logging
import os
import stat
import sys
import traceback
import types
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.loading.context import context_class
from hermes_sdk.hosts.embedded.loading.discovery import PluginManifest, truthy
from hermes_sdk.hosts.interface.host import HostExited
from hermes_sdk.hosts.interface.report import Status
from hermes_sdk.manifest import ENTRY_POINT_GROUP

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.loading.manager import Sweep

logger = logging.getLogger("hermes_cli.plugins")

NAMESPACE = "hermes_plugins"


@dataclass
class Plugin:
    """What the host records of one plugin, loaded or not."""

    manifest: PluginManifest
    raw: dict[str, Any]
    status: Status = "skipped"
    error: str | None = None
    failure: BaseException | None = None
    tools: list[str] = field(default_factory=list)
    hooks: list[str] = field(default_factory=list)
    middleware: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


class BrokenDiscovery(Exception):
    """The name of a plugin is no text, which breaks the host's discovery for all plugins after it (A24).

    Its cause is the exception that the host raises.
    """


def load(plugin: Plugin, sweep: Sweep) -> None:
    """Import a plugin and let it register.

    What it registered before an exception stays registered, while the record of the plugin lists nothing (A38). The
    public documents promise otherwise, and that ``sys.exit`` is an exception like others.

    Raises:
        HostExited: The plugin called ``sys.exit``, which would end the host.
        HermesSdkError: It raised what is no `Exception`, which ends the host too.
        BrokenDiscovery: The plugin's name is no text, or it raised an exception that has none.
    """
    manifest = plugin.manifest
    if sweep.contract.behaviour.names_must_be_text and not isinstance(manifest.lookup_key, str):
        kind = type(manifest.lookup_key).__name__
        raise BrokenDiscovery from AttributeError(f"{kind!r} object has no attribute 'replace'")
    plugin.status = "failed"
    failures = (Exception, SystemExit) if sweep.contract.behaviour.register_exit_contained else Exception
    try:
        module = (_import_entry_point if manifest.source == "entrypoint" else _import_directory)(manifest, sweep)
        register = getattr(module, "register", None)
        if register is None:
            plugin.error = "no register() function"
            logger.warning("Plugin '%s' has no register() function", manifest.name)
            return
        before = Counts(sweep)
        with sweep.undone_on_error():
            register(context_class(sweep.contract)(manifest, sweep.registrar(manifest)))
        before.credit(plugin, sweep)
        plugin.status = "loaded"
    except failures as error:
        plugin.error = _text(error)
        plugin.failure = error
        debug = truthy("HERMES_PLUGINS_DEBUG")
        logger.warning("Failed to load plugin '%s': %s", manifest.name, error, exc_info=debug)
    except SystemExit as stop:
        raise HostExited(f"plugin '{manifest.name}'", stop.code) from stop
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        told = "".join(traceback.format_exception_only(error)).strip()
        raise HermesSdkError(f"plugin '{manifest.name}': the host failed with {told}") from error


def _text(error: BaseException) -> str:
    """What an exception says; one that cannot say it is too much for the host."""
    try:
        return str(error)
    except Exception as failure:
        raise BrokenDiscovery from failure


class Counts:
    """How much was registered before a plugin, so that what it adds can be credited to it."""

    def __init__(self, sweep: Sweep) -> None:
        self._tools = len(sweep.tool_names)
        self._hooks = _lengths(sweep.hooks.callbacks)
        self._middleware = _lengths(sweep.middleware.callbacks)

    def credit(self, plugin: Plugin, sweep: Sweep) -> None:
        """Note in the record of a plugin what came since (A39)."""
        added = len(sweep.tool_names) - self._tools
        plugin.tools = list(islice(reversed(sweep.tool_names), added))[::-1]
        if sweep.contract.behaviour.hook_counts_by_growth:
            plugin.hooks = _grown(self._hooks, sweep.hooks.callbacks)
        else:
            plugin.hooks = [name for name in sweep.hooks.callbacks if name not in sweep.hooks.credited]
            sweep.hooks.credited.update(plugin.hooks)
        plugin.middleware = _grown(self._middleware, sweep.middleware.callbacks)
        plugin.commands = sweep.commands.of(plugin.manifest.name)


def _lengths(callbacks: dict[str, list[Any]]) -> dict[str, int]:
    return {name: len(registered) for name, registered in callbacks.items()}


def _grown(before: dict[str, int], callbacks: dict[str, list[Any]]) -> list[str]:
    return [name for name, registered in callbacks.items() if len(registered) > before.get(name, 0)]


def slug(key: str) -> str:
    """The name of a plugin's module inside ``hermes_plugins``."""
    return key.replace("/", "__").replace("-", "_")


def _import_directory(manifest: PluginManifest, sweep: Sweep) -> types.ModuleType:
    """Execute a directory plugin as ``hermes_plugins.<slug>`` and return the module.

    Raises:
        FileNotFoundError: It has no ``__init__.py``.
    """
    directory = manifest.path or "."
    init = f"{directory}/__init__.py"
    if not os.access(init, os.F_OK):
        raise FileNotFoundError(f"No __init__.py in {directory}")
    if stat.S_ISLNK(os.lstat(directory).st_mode):
        # A plugin that resolves its own path and puts it on sys.path imports from there.
        sweep.guard.add_root(os.path.realpath(directory))
    if NAMESPACE not in sys.modules:
        sys.modules[NAMESPACE] = namespace_package(NAMESPACE)
    return execute(f"{NAMESPACE}.{slug(manifest.lookup_key)}", init, [directory])


def namespace_package(name: str) -> types.ModuleType:
    """Make an empty package that only holds other modules."""
    package = types.ModuleType(name)
    package.__path__ = []
    package.__package__ = name
    return package


def execute(name: str, file: str, search: list[str] | None = None) -> types.ModuleType:
    """Execute a file as the module `name`, anew each time; the module stays in `sys.modules` even when it raises."""
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"Cannot create module spec for {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _import_entry_point(manifest: PluginManifest, sweep: Sweep) -> Any:
    # Not importlib_metadata: in the process of an author's tests it would replace the standard library's finder.
    from importlib.metadata import EntryPoint

    entry_point = EntryPoint(manifest.name, manifest.path or "", ENTRY_POINT_GROUP)
    package = entry_point.module.partition(".")[0]
    spec = importlib.util.find_spec(package)
    if spec is not None:
        for root in spec.submodule_search_locations or [spec.origin or package]:
            sweep.guard.add_root(root)
    return entry_point.load()
