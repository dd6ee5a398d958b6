"""Auxiliary tasks: what `PluginContext.register_auxiliary_task` takes."""

from typing import Any, TypedDict

__all__ = ["AuxiliaryTaskDefaults"]


class AuxiliaryTaskDefaults(TypedDict, total=False):
    """The settings of an auxiliary task where the user has none under ``auxiliary.<key>``; others are kept as well.

    Attributes:
        provider: The provider; ``auto`` for the user's own.
        model: The model; empty for the provider's.
        base_url: Another address.
        api_key: The key to it.
        timeout: In seconds; 60 when absent.
        extra_body: What to add to the body of each request.
    """

    provider: str
    model: str
    base_url: str
    api_key: str
    timeout: float
    extra_body: dict[str, Any]
