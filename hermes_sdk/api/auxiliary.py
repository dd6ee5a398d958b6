"""Auxiliary tasks: what `PluginContext.register_auxiliary_task` takes."""

from typing import Any, TypedDict

__all__ = ["AuxiliaryTaskDefaults"]


class AuxiliaryTaskDefaults(TypedDict, total=False):
    """The settings of an auxiliary task where the user has none under ``auxiliary.<key>``; others are kept as well.

    Attributes:
        provider: The provider's name; ``auto`` for the user's own.
        model: The model's name; empty for the provider's.
        base_url: The address of the provider's API, instead of its own.
        api_key: The API key for that address.
        timeout: In seconds; 60 when absent.
        extra_body: What to add to the body of each request.
    """

    provider: str
    model: str
    base_url: str
    api_key: str
    timeout: float
    extra_body: dict[str, Any]
