"""Base classes of the stores of registrations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property, partial
from typing import Any

from hermes_sdk.hosts.embedded.ledger import Release
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest


class Store:
    """Registrations of one kind, in order: a mapping or a list.

    A subclass has a method `register` that takes the plugin and the keyword arguments of ``ctx.register_…``, and that
    returns the entry for the ledger, or None if nothing was stored.
    """

    entries: Any

    @cached_property
    def _replaced(self) -> dict[Any, list[Any]]:
        """Replaced entries by name, the oldest first."""
        return {}

    def put(self, name: Any, entry: Any) -> Release:
        """Store an entry under a name; return a function that removes it and restores the replaced entry (N45)."""
        if name in self.entries:
            self._replaced.setdefault(name, []).append(self.entries[name])
        self.entries[name] = entry
        return partial(self._undo_put, name, entry)

    def _undo_put(self, name: Any, entry: Any) -> None:
        replaced = self._replaced.get(name, [])
        if self.entries.get(name) is not entry:
            _remove(replaced, entry)
        elif replaced:
            self.entries[name] = replaced.pop()
        else:
            del self.entries[name]

    def append(self, entry: Any) -> Release:
        """Add an entry to a store that is a list; return a function that removes it."""
        self.entries.append(entry)
        return partial(_remove, self.entries, entry)

    def append_to(self, name: Any, entry: Any) -> Release:
        """Add an entry to the list of a name; return a function that removes it."""
        self.entries.setdefault(name, []).append(entry)
        return partial(self._remove_from, name, entry)

    def _remove_from(self, name: Any, entry: Any) -> None:
        entries = self.entries.get(name, [])
        _remove(entries, entry)
        if not entries:
            self.entries.pop(name, None)

    def clear(self) -> None:
        """Forget all registrations before plugins are discovered again."""
        self.entries.clear()
        self._replaced.clear()

    def names(self, plugin: Plugin) -> Iterable[object]:  # noqa: ARG002
        """Return the names that a report lists for a plugin in addition to the credited names."""
        return ()


class CreditedStore(Store, ABC):
    """A store that credits new registrations to the plugin that is being loaded."""

    def mark(self) -> Any:
        """Return a mark for `credit`, which finds later registrations."""
        return None

    @abstractmethod
    def credit(self, plugin: PluginManifest, mark: Any) -> list[str]:
        """Return the names that a plugin added since the mark."""


def _remove(entries: list[Any], entry: Any) -> None:
    """Remove the last occurrence of an object, compared by identity."""
    place = next((place for place in reversed(range(len(entries))) if entries[place] is entry), None)
    if place is not None:
        del entries[place]


def count_callbacks(callbacks: dict[str, list[Any]]) -> dict[str, int]:
    """Count the callbacks by name."""
    return {name: len(registered) for name, registered in callbacks.items()}


def list_extended(callbacks: dict[str, list[Any]], before: dict[str, int]) -> list[str]:
    """Return the names that have more callbacks than before."""
    return [name for name, registered in callbacks.items() if len(registered) > before.get(name, 0)]
