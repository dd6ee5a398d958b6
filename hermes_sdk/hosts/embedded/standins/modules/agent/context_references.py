"""Stands in for ``agent.context_references``: the class of references that plugins bring."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "BUILTIN_PREFIXES",
    "ContextCompletionItem",
    "ContextReferenceProvider",
    "get_context_reference_providers",
    "register_context_reference_provider",
]

_host = find_plugin_manager(__spec__)
_references = _host.registrations.context_references
BUILTIN_PREFIXES = frozenset(_host.state.contract.section("constants")[__name__].get("BUILTIN_PREFIXES", ()))


class _Item(Defaults):
    """One proposal while a user types a reference."""

    def __init__(self: Any, text: str, display: str, meta: str) -> None:
        self.text, self.display, self.meta = text, display or text, meta


_classes = Classes(_host.state, globals())
ContextCompletionItem = _classes.made("ContextCompletionItem", _Item)
ContextReferenceProvider = _classes.made("ContextReferenceProvider")


def register_context_reference_provider(provider: Any) -> None:
    """Add a provider.

    Raises:
        TypeError: It is of another class.
        ValueError: Its prefix cannot be used.
    """
    if not isinstance(provider, ContextReferenceProvider):
        raise TypeError("provider must be a ContextReferenceProvider instance")
    _references.add(provider)


def get_context_reference_providers() -> dict[str, Any]:
    """Return the providers by prefix."""
    return dict(_references.entries)
