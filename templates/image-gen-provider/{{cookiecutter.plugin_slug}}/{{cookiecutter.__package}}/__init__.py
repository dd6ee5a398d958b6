"""{{ cookiecutter.plugin_name }}, an image provider for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .provider import Images

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def register(ctx: PluginContext) -> None:
    """Register the provider. Hermes calls this once, when it loads the plugin."""
    ctx.register_image_gen_provider(Images())
