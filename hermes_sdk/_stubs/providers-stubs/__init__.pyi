"""Types of ``providers``."""

from providers.base import OMIT_TEMPERATURE as OMIT_TEMPERATURE, ProviderProfile as ProviderProfile

def register_provider(profile: ProviderProfile) -> None:
    """Register a model provider, replacing an earlier one with the same name."""

def get_provider_profile(name: str) -> ProviderProfile | None:
    """Return the model provider with a name or alias; None if it does not exist."""

def list_providers() -> list[ProviderProfile]:
    """Return all model providers."""
