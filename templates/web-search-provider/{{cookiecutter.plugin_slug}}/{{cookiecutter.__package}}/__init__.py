"""{{ cookiecutter.plugin_name }}, a search provider for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def register(ctx: PluginContext) -> None:
    """Register the provider. Hermes calls this once, when it loads the plugin."""
    from .provider import Search  # Imported here, so that tests can import the rest without Hermes.

    ctx.register_web_search_provider(Search())
