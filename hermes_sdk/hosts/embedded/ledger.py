"""Ledger of all registrations of plugins, in order, with the functions that undo them (statements N43 to N45)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.host_classes import of_module

logger = logging.getLogger("hermes_cli.plugins")

PERSISTENT = frozenset({"dashboard_auth_provider"})
"""Kinds of registrations that a rescan keeps on releases that distinguish them."""

Release = Callable[[], None]


class Entry(NamedTuple):
    """Result of a registration: the name under which it is stored, and the function that undoes it."""

    key: str
    release: Release


@of_module("hermes_cli.plugins")
@dataclass(eq=False)
class PluginRegistration:
    """A registration; members of ``ctx`` return it as a handle."""

    kind: str
    key: str
    release: Release
    plugin_key: Any = ""
    persistent: bool = field(init=False, repr=False)
    _disposed: bool = field(default=False, init=False, repr=False)

    @property
    def active(self) -> bool:
        """Return whether the registration has not been undone."""
        return not self._disposed

    def dispose(self) -> None:
        """Undo the registration, once."""
        if not self._disposed:
            self._disposed = True
            self.release()


@of_module("hermes_cli.plugins_ledger")
class _LaterRegistration(PluginRegistration): ...


_LaterRegistration.__qualname__ = _LaterRegistration.__name__ = PluginRegistration.__name__


class Ledger:
    """The registrations of all plugins since the last discovery."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._registrations: list[PluginRegistration] = []
        self._persistent: list[PluginRegistration] = []

    def __len__(self) -> int:
        return len(self._registrations)

    @cached_property
    def _has_persistent_field(self) -> bool:
        if not self._contract.behaviour.registrations_undone:
            return False
        handle = self._contract.section("dataclasses").get("PluginRegistration", {"fields": ()})
        return any(one["name"] == "persistent" for one in handle["fields"])

    def record(self, plugin_key: Any, kind: str, entry: Entry) -> PluginRegistration:
        """Add a registration."""
        has_module = _LaterRegistration.__module__ in self._contract.host_modules
        registration = (_LaterRegistration if has_module else PluginRegistration)(
            kind, entry.key, entry.release, plugin_key
        )
        if self._has_persistent_field:
            registration.persistent = kind in PERSISTENT
        self._registrations.append(registration)
        return registration

    def list_since(self, count: int, plugin_key: Any) -> list[PluginRegistration]:
        """Return the active registrations of a plugin after the first `count` registrations."""
        return [one for one in self._registrations[count:] if one.plugin_key == plugin_key and one.active]

    def undo(self, plugin_key: Any) -> None:
        """Undo the registrations of one plugin, the latest first."""
        self._dispose(one for one in reversed(self._registrations) if one.plugin_key == plugin_key)

    def undo_all(self) -> None:
        """Undo every registration, the latest first.

        Persistent registrations are undone too, which is visible only while plugins register again.
        """
        self._persistent = [one for one in self._registrations if one.active and getattr(one, "persistent", False)]
        self._dispose(reversed(self._registrations))

    def log_evictions(self) -> None:
        """Log the persistent registrations that plugins did not supply again."""
        back = {(one.kind, one.key) for one in self._registrations if one.active}
        for one in self._persistent:
            if (one.kind, one.key) not in back:
                gone = "Evicting persistent registration %s/%s: plugin '%s' no longer supplies it after re-discovery"
                logger.info(gone, one.kind, one.key, one.plugin_key)
        self._persistent = []

    def clear(self) -> None:
        """Forget the registrations without undoing them."""
        self._registrations.clear()

    @staticmethod
    def _dispose(registrations: Iterable[PluginRegistration]) -> None:
        for one in registrations:
            try:
                one.dispose()
            except Exception as error:
                logger.warning("Failed to unload plugin registration %s/%s: %s", one.plugin_key, one.key, error)
