"""The common base of all kinds of registrations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest


class Store:
    """The registrations of one kind, in order: a mapping or a list.

    A subclass has a method `register` that takes the plugin and the keyword arguments of ``ctx.register_…``.
    """

    entries: Any

    def copy(self) -> Any:
        """Copy the entries, and the lists and mappings in them, so that additions to either do not show."""
        if isinstance(self.entries, list):
            return list(self.entries)
        return {name: one.copy() if isinstance(one, (dict, list)) else one for name, one in self.entries.items()}

    def restore(self, copy: Any) -> None:
        """Go back to the entries of a `copy`."""
        self.entries = copy

    def clear(self) -> None:
        """Forget what was registered, before plugins are discovered again."""
        self.entries.clear()

    def names(self, plugin: Plugin) -> Iterable[object]:  # noqa: ARG002
        """Return the names that a report lists for a plugin, besides those that it was credited with."""
        return ()


class CreditedStore(Store, ABC):
    """A store whose registrations the host's record of a plugin lists: those that came while it registered."""

    def mark(self) -> Any:
        """Note how much is registered, so that `credit` can find what a plugin added."""
        return None

    @abstractmethod
    def credit(self, plugin: PluginManifest, mark: Any) -> list[str]:
        """Return the names that a plugin added since the mark."""


def count_callbacks(callbacks: dict[str, list[Any]]) -> dict[str, int]:
    """Count the callbacks by name."""
    return {name: len(registered) for name, registered in callbacks.items()}


def names_with_more(callbacks: dict[str, list[Any]], before: dict[str, int]) -> list[str]:
    """Return the names that have more callbacks than before."""
    return [name for name, registered in callbacks.items() if len(registered) > before.get(name, 0)]
