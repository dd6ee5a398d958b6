"""Stands in for ``agent.context_references``: the base class of references for plugins."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
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
ContextCompletionItem = provider_class("ContextCompletionItem", _host.state)
ContextReferenceProvider = provider_class("ContextReferenceProvider", _host.state)
get_context_reference_providers = _references.by_prefix
register_context_reference_provider = _references.add_provider
