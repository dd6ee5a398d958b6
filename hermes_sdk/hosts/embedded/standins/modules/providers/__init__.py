"""Stands in for the package ``providers``: the providers of models."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["OMIT_TEMPERATURE", "ProviderProfile", "get_provider_profile", "list_providers", "register_provider"]

_host = find_plugin_manager(__spec__)
_providers = _host.registrations.model_providers
_base = import_module("providers.base")
OMIT_TEMPERATURE = _base.OMIT_TEMPERATURE
ProviderProfile = _base.ProviderProfile
register_provider = _providers.add


def get_provider_profile(name: str) -> Any:
    """Return a provider by its name or an alias, or None."""
    _providers.discover(_host.state.home_path())
    return _providers.get(name)


def list_providers() -> list[Any]:
    """Return all providers."""
    _providers.discover(_host.state.home_path())
    return list(_providers)
