"""{{ cookiecutter.plugin_name }}, a memory provider for Hermes Agent. `register` is where Hermes starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .provider import Memory

if TYPE_CHECKING:
    from hermes_sdk.api import MemoryPluginContext


def register(ctx: MemoryPluginContext) -> None:
    """Offer the provider. Hermes calls it for each agent, when `memory.provider` is the name of this directory."""
    ctx.register_memory_provider(Memory())
