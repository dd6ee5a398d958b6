"""Types of ``providers``."""

from providers.base import OMIT_TEMPERATURE as OMIT_TEMPERATURE, ProviderProfile as ProviderProfile

def register_provider(profile: ProviderProfile) -> None:
    """Offer a provider of models; the last one of a name counts."""

def get_provider_profile(name: str) -> ProviderProfile | None:
    """Return the provider of a name or alias."""

def list_providers() -> list[ProviderProfile]:
    """Return all providers."""
