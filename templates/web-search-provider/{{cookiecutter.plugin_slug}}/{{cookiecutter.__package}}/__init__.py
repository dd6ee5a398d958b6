"""{{ cookiecutter.plugin_name }}, a search provider for Hermes Agent. `register` is where Hermes starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def register(ctx: PluginContext) -> None:
    """Offer the provider. Hermes calls it once, when it loads the plugin."""
    from .provider import Search  # Here, so that the tests can import the rest without Hermes.

    ctx.register_web_search_provider(Search())
