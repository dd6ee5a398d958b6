"""Providers of ``@prefix:`` references that plugins register (statement N86)."""

from __future__ import annotations

import logging
from typing import Any

from hermes_sdk.hosts.embedded.plugin import PluginManifest
from hermes_sdk.hosts.embedded.providers.backends import REFERENCE, has_base_class
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")


class ContextReferences(Store):
    """Providers of all plugins by prefix; they survive a discovery. Expanding references is not modelled."""

    entries: dict[str, Any]

    def __init__(self, state: HostState) -> None:
        self.entries = {}
        self._state = state

    def clear(self) -> None:
        """Keep the providers, since Hermes cannot unregister them."""

    def register(self, plugin: PluginManifest, *, provider: Any) -> None:
        """Add a provider of the right class with a new prefix; others are ignored with a warning."""
        if not has_base_class(plugin.name, REFERENCE, provider, self._state):
            return
        try:
            self.add(provider)
        except ValueError as error:
            logger.warning("Plugin '%s' context reference registration failed: %s", plugin.name, error)
            return
        logger.info("Plugin '%s' registered context reference: @%s:", plugin.name, provider.prefix)

    def add_provider(self, provider: Any) -> None:
        """Add a provider that a plugin created.

        Raises:
            TypeError: The provider is not a ``ContextReferenceProvider``.
            ValueError: The prefix cannot be used.
        """
        if not isinstance(provider, self._state.classes[REFERENCE.base]):
            raise TypeError("provider must be a ContextReferenceProvider instance")
        self.add(provider)

    def by_prefix(self) -> dict[str, Any]:
        """Return the providers by prefix."""
        return dict(self.entries)

    def add(self, provider: Any) -> None:
        """Add a provider.

        Raises:
            ValueError: The prefix is empty, built in or already registered.
        """
        prefix = provider.prefix.lower().strip()
        if not prefix:
            raise ValueError("prefix must be a non-empty string")
        if prefix in self._state.contract.section("constants")[REFERENCE.module]["BUILTIN_PREFIXES"]:
            raise ValueError(f"prefix '{prefix}' is reserved for built-in references")
        if prefix in self.entries:
            raise ValueError(f"prefix '{prefix}' is already registered")
        self.entries[prefix] = provider

    def require_unused(self, text: str) -> None:
        """Raise `NotSupported` if a message contains a reference of a plugin."""
        used = next((prefix for prefix in self.entries if f"@{prefix}:" in text.lower()), None)
        if used is not None:
            raise self._state.unsupported(f"expand references such as @{used}:…")
