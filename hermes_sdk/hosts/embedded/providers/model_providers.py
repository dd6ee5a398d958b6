"""Model providers of a home by name, without bundled providers (statements G20 and G21)."""

from __future__ import annotations

import logging
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.plugin import Plugin
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store
from hermes_sdk.hosts.interface import HostExited

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import OnSwallowed

_log = logging.getLogger("providers")

OMIT_TEMPERATURE = object()
"""Temperature of a profile whose requests omit the temperature."""


class ModelProviders(Store):
    """Registrations of ``register_provider``.

    The last registration of a name wins, including after a rescan. On releases that prefer the providers of the home,
    the last one of the home wins.
    """

    entries: dict[str, Any]

    def __init__(self, state: HostState) -> None:
        self._home = state.home_path
        self._home_wins = state.behaviour.home_model_providers_win
        self.entries = {}
        self._aliases: dict[str, str] = {}
        self._home_names: set[str] = set()
        self._discovered: set[Path] = set()
        self._imported: defaultdict[str, set[str]] = defaultdict(set)
        self._loaded: defaultdict[str, set[str]] = defaultdict(set)
        self._credited: set[str] = set()
        self._scans_home = False

    def __iter__(self) -> Iterator[Any]:
        return iter({id(profile): profile for profile in self.entries.values()}.values())

    def clear(self) -> None:
        """Keep every provider, since a process imports them only once."""
        self._loaded.clear()

    def add(self, profile: Any) -> None:
        """Register a provider."""
        if self._scans_home:
            self._home_names.add(profile.name)
        elif self._home_wins and profile.name in self._home_names:
            return
        if self.entries.get(profile.name) is not profile:
            self._credited.add(profile.name)
        self.entries[profile.name] = profile
        self._aliases.update(dict.fromkeys(profile.aliases, profile.name))

    @contextmanager
    def credit(self, path: str | None, *, imports: bool = False) -> Generator[None]:
        """Credit the plugin at a path with new registrations; `imports` says that Hermes imports it only once."""
        before, self._credited = self._credited, (self._imported if imports else self._loaded)[path or ""]
        try:
            yield
        finally:
            self._credited = before

    def get(self, name: str) -> Any:
        """Return a provider by its name or an alias, or None."""
        return self.entries.get(self._aliases.get(name, name))

    def find(self, name: str) -> Any:
        """Return a provider by its name or an alias, including those of the current home, or None."""
        self.discover(self._home())
        return self.get(name)

    def list_all(self) -> list[Any]:
        """Return all providers, including those of the current home."""
        self.discover(self._home())
        return list(self)

    def names(self, plugin: Plugin) -> list[str]:
        """List the names of the providers that a plugin registered."""
        path = plugin.manifest.path or ""
        return [*(self._imported[path] | self._loaded[path])]

    def discover(self, home: Path, on_swallowed: OnSwallowed | None = None) -> None:
        """Import ``plugins/model-providers`` of a home, once, enabled or not; failures go to `on_swallowed`.

        Raises:
            HostExited: A provider called ``sys.exit``.
        """
        folder = home / "plugins" / "model-providers"
        if folder in self._discovered or not folder.is_dir():
            return
        self._discovered.add(folder)
        for place in sorted(folder.iterdir()):
            if place.name[:1] not in ("_", ".") and (place / "__init__.py").is_file():
                self._import(place, on_swallowed)

    def _import(self, place: Path, on_swallowed: OnSwallowed | None) -> None:
        name = f"_hermes_user_provider_{place.name.replace('-', '_')}"
        spec = spec_from_file_location(name, place / "__init__.py", submodule_search_locations=[str(place)])
        if spec is None or spec.loader is None or name in sys.modules:
            return
        sys.modules[name] = module = module_from_spec(spec)
        self._scans_home = True
        try:
            with self.credit(str(place), imports=True):
                spec.loader.exec_module(module)
        except SystemExit as stop:
            raise HostExited(f"plugin 'model-providers/{place.name}'", stop.code) from stop
        except Exception as error:
            _log.warning("Failed to load user provider plugin %s: %s", place.name, error)
            if on_swallowed is not None:
                on_swallowed(f"model provider {place.name}", error)
            del sys.modules[name]
        finally:
            self._scans_home = False
