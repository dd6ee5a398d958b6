"""Mistakes in a plugin that imports from the host."""

from __future__ import annotations

from agent.memory_provider import MemoryProvider
from hermes_cli.plugins import PluginContext
from hermes_constants import get_hermes_house  # error
from providers.base import ProviderProfile


class Notes(MemoryProvider):
    """Has only a name, which is not even a property of the right type."""

    @property
    def name(self) -> int:  # error
        return 1


def register(ctx: PluginContext) -> None:
    Notes()  # error
    ctx.register_gadget("roll")  # error
    ProviderProfile(name="house", alias="home")  # error
    get_hermes_house()
