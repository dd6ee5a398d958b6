"""The plugin, as Hermes uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_hermes_has_the_provider(hermes: Host) -> None:
    assert hermes.report()["providers"]["web_search"] == ["{{ cookiecutter.plugin_slug }}"]
