"""Stands in for ``providers.base``: profiles of model providers."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.providers.model_providers import OMIT_TEMPERATURE
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["OMIT_TEMPERATURE", "ProviderProfile"]

ProviderProfile = provider_class("ProviderProfile", find_plugin_manager(__spec__).state)
