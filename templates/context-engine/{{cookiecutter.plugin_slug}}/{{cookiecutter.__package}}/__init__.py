"""{{ cookiecutter.plugin_name }}, a context engine for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .engine import Engine

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def register(ctx: PluginContext) -> None:
    """Register the engine. Hermes calls this once, when it loads the plugin."""
    ctx.register_context_engine(Engine())
