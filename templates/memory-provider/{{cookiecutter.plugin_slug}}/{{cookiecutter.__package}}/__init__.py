"""{{ cookiecutter.plugin_name }}, a memory provider for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .provider import Memory

if TYPE_CHECKING:
    from hermes_sdk.api import MemoryPluginContext


def register(ctx: MemoryPluginContext) -> None:
    """Register the provider. Hermes calls this for each agent if `memory.provider` names this directory."""
    ctx.register_memory_provider(Memory())
