"""Observation of plugins during their load: additions to the host's registries, and failed imports."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

PROVIDER_REGISTRIES = {
    "browser": ("agent.browser_registry", "_providers", "_scoped_providers"),
    "dashboard_auth": ("hermes_cli.dashboard_auth.registry", "_providers", "_scoped_providers"),
    "image_gen": ("agent.image_gen_registry", "_providers", "_scoped_providers"),
    "secret_source": ("agent.secret_sources.registry", "_SOURCES", "_SCOPED_SOURCES"),
    "transcription": ("agent.transcription_registry", "_providers", "_scoped_providers"),
    "tts": ("agent.tts_registry", "_providers", "_scoped_providers"),
    "video_gen": ("agent.video_gen_registry", "_providers", "_scoped_providers"),
    "web_search": ("agent.web_search_registry", "_providers", "_scoped_providers"),
}
"""Category -> module of the host, its mapping of providers by name, and, since 0.20, its mapping by home."""

_REGISTRIES = {
    **PROVIDER_REGISTRIES,
    "model_provider": ("providers", "_REGISTRY", "_HOME_LAYERS"),
    "platform": ("gateway.platform_registry", "platform_registry._entries", "platform_registry._scoped_entries"),
    "tool": ("tools.registry", "registry._tools", "registry._scoped_tools"),
}


@dataclass
class Observed:
    """Observations of one plugin while it loaded.

    Attributes:
        added: Category -> the new or replaced entries of its registry, by name.
        missing: The modules that the plugin's own code could not import.
    """

    added: dict[str, dict[str, Any]] = field(default_factory=dict)
    context_engine: Any = None
    missing: set[str] = field(default_factory=set)


class Observer:
    """Observer of the load of plugins; `announce` is called with ``plugin '<key>'`` before the plugin's code runs.

    Attributes:
        loaded: Observations of each plugin in the last discovery, by key, without plugins whose code did not run.
        scanned: Observations of model providers, which the host loads only once.
    """

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self.loaded: dict[str, Observed] = {}
        self.scanned: dict[str, Observed] = {}

    def attach(self, manager: Any) -> None:
        """Observe the plugins of all sources that a plugin manager loads."""
        load = manager._load_plugin

        def load_watched(manifest: Any) -> None:
            key = str(manifest.key or manifest.name)
            with self.observe(key, Code.of(manifest), manager) as self.loaded[key]:
                load(manifest)

        manager._load_plugin = load_watched

    def attach_providers(self) -> None:
        """Observe the host's scan for model providers, which runs when its configuration module is imported."""
        providers = importlib.import_module("providers")
        load: Callable[..., None] = providers._import_plugin_dir

        def load_watched(plugin_dir: Path, source: str, **about: Any) -> None:
            if source == "bundled":
                load(plugin_dir, source, **about)
                return
            folder = "model-providers"
            key = f"{folder}/{plugin_dir.name}" if plugin_dir.parent.name == folder else plugin_dir.name
            with self.observe(key, Code(plugin_dir, None)) as self.scanned[key]:
                load(plugin_dir, source, **about)

        providers._import_plugin_dir = load_watched  # type: ignore[attr-defined]
        if hasattr(providers, "_discover_entry_point_providers"):
            providers._discover_entry_point_providers = self._watch_entry_points(  # type: ignore[attr-defined]
                providers._discover_entry_point_providers
            )

    def _watch_entry_points(self, discover: Callable[[], None]) -> Callable[[], None]:
        """Observe entry points that the host imports, and may call, in its search for model providers."""

        def discover_watched() -> None:
            load = importlib.metadata.EntryPoint.load
            with contextlib.ExitStack() as stack:

                def load_observed(one: importlib.metadata.EntryPoint) -> Any:
                    stack.close()
                    code = Code(None, one.value.partition(":")[0].partition(".")[0])
                    self.scanned[one.name] = stack.enter_context(self.observe(one.name, code))
                    return load(one)

                importlib.metadata.EntryPoint.load = load_observed  # type: ignore[method-assign,assignment]
                try:
                    discover()
                finally:
                    importlib.metadata.EntryPoint.load = load  # type: ignore[method-assign]

        return discover_watched

    def find(self, key: str) -> Observed | None:
        """Return the observations of a plugin, including model providers from the host's scan."""
        loaded, scanned = self.loaded.get(key), self.scanned.get(key)
        if loaded is None or scanned is None:
            return loaded or scanned
        found = {**scanned.added["model_provider"], **loaded.added["model_provider"]}
        return replace(
            loaded, added={**loaded.added, "model_provider": found}, missing=loaded.missing | scanned.missing
        )

    @contextlib.contextmanager
    def observe(self, key: str, code: Code, manager: Any = None) -> Generator[Observed]:
        """Observe the code of one plugin within the context; the observations are complete after it."""
        before = {category: _entries(category) for category in _REGISTRIES}
        engine = getattr(manager, "_context_engine", None)
        found = Observed()
        finder = _MissingImports(code, found.missing)
        self._announce(f"plugin '{key}'")
        sys.meta_path.append(finder)
        try:
            yield found
        finally:
            sys.meta_path.remove(finder)
            for category, known in before.items():
                found.added[category] = {
                    name: entry
                    for name, entry in _entries(category).items()
                    if known.get(name) is not entry and not _is_of_host(entry)
                }
            now = getattr(manager, "_context_engine", None)
            found.context_engine = now if now is not engine else None

    def find_kept_tools(self, names: set[str]) -> dict[str, Any]:
        """Return the registry's entries for those of the named tools that still belong to a plugin."""
        ours = {id(entry) for observed in self.loaded.values() for entry in observed.added.get("tool", {}).values()}
        named = {name: entry for name, entry in _entries("tool").items() if name in names}
        others = [name for name, entry in named.items() if id(entry) not in ours]
        # Only for tools that a callback or a provider registered, because this reads the metadata of all packages.
        packages = {"hermes_plugins", "_hermes_user_memory", *_packages_of_memory_providers()} if others else ()
        for name in others:
            if _package(named[name].handler) not in packages:
                del named[name]
        return named


def _is_of_host(entry: Any) -> bool:
    """Return whether an entry is the host's own, added while a plugin loads.

    Later hosts add their secret sources together with the first one of a plugin; some modules register tools on import.
    """
    if type(entry).__module__.startswith("agent.secret_sources."):
        return True
    module = sys.modules.get(getattr(getattr(entry, "handler", None), "__module__", ""))
    # A core-tool file is also imported into the host's package, but from the directory of its plugin.
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).parent == Path(sys.modules["tools"].__file__ or "").parent


def _packages_of_memory_providers() -> list[str]:
    """Return the packages of installed memory providers, which the host loads with a session, without observation."""
    named = importlib.metadata.entry_points(group="hermes_agent.memory_providers")
    return [one.value.partition(":")[0].strip().partition(".")[0] for one in named]


def _package(handler: Any) -> str:
    return str(getattr(handler, "__module__", "")).partition(".")[0]


@dataclass(frozen=True)
class Code:
    """A plugin's own code: the directory of a directory plugin, or the top-level package of an entry point."""

    directory: Path | None
    package: str | None

    @classmethod
    def of(cls, manifest: Any) -> Code:
        """Return the code that a manifest of the host refers to."""
        if manifest.source == "entrypoint":
            return cls(None, str(manifest.path).partition(":")[0].partition(".")[0])
        return cls(Path(manifest.path), None)

    def owns(self, frame: FrameType) -> bool:
        """Return whether a frame runs the plugin's own code."""
        if self.package is not None:
            return str(frame.f_globals.get("__name__", "")).partition(".")[0] == self.package
        return self.directory is not None and Path(frame.f_code.co_filename).is_relative_to(self.directory)


class _MissingImports:
    """The last finder, which is only called for modules that do not exist."""

    def __init__(self, code: Code, missing: set[str]) -> None:
        self._code = code
        self._missing = missing

    def find_spec(self, name: str, *_: object) -> None:
        importer = _find_importer()
        if importer is not None and self._code.owns(importer) and not name.startswith("hermes_plugins."):
            self._missing.add(name)


def _find_importer() -> FrameType | None:
    """Return the frame whose import statement is running; None for probes, which do not raise ModuleNotFoundError.

    Probes are ``importlib.util.find_spec`` and the attempt at a submodule in ``from package import name``.
    """
    frame = inspect.currentframe()
    while frame is not None:
        module, function = frame.f_globals.get("__name__"), frame.f_code.co_name
        if function == "_handle_fromlist" or module == "importlib.util":
            return None
        if module not in (__name__, "importlib", "importlib._bootstrap", "importlib._bootstrap_external"):
            return frame
        frame = frame.f_back
    return None


def _entries(category: str) -> dict[Any, Any]:
    """Return the entries of a registry; an empty mapping if the release lacks it or it is not imported.

    Since 0.20, registrations of plugins are stored by home, and override the host's own. This process has one home.
    """
    module, path, scoped = _REGISTRIES[category]
    found = dict(_find_mapping(module, path))
    for entries in _find_mapping(module, scoped).values():
        found.update(getattr(entries, "registry", entries))
    return found


def _find_mapping(module: str, path: str) -> Mapping[Any, Any]:
    found: Any = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, dict) else {}
