"""What Hermes gets from the plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_hermes_has_the_provider(hermes: Host) -> None:
    assert hermes.report()["providers"]["image_gen"] == ["{{ cookiecutter.plugin_slug }}"]
