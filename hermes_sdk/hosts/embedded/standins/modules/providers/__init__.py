"""Stands in for the package ``providers``: the model providers."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.providers.model_providers import OMIT_TEMPERATURE
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["OMIT_TEMPERATURE", "ProviderProfile", "get_provider_profile", "list_providers", "register_provider"]

_host = find_plugin_manager(__spec__)
_providers = _host.registrations.model_providers
ProviderProfile = provider_class("ProviderProfile", _host.state)
register_provider = _providers.add
get_provider_profile = _providers.find
list_providers = _providers.list_all
