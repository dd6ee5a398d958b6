"""{{ cookiecutter.plugin_name }}, an image provider for Hermes Agent. `register` is where Hermes starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .provider import Images

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def register(ctx: PluginContext) -> None:
    """Offer the provider. Hermes calls it once, when it loads the plugin."""
    ctx.register_image_gen_provider(Images())
