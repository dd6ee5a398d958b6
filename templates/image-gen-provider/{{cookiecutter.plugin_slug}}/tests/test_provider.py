"""The plugin, as Hermes uses it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_hermes_has_the_provider(hermes: Host) -> None:
    assert hermes.report()["providers"]["image_gen"] == ["{{ cookiecutter.plugin_slug }}"]


@pytest.mark.hermes(config={"image_gen": {"provider": "{{ cookiecutter.plugin_slug }}"}})
def test_image_generate_uses_the_provider(hermes: Host) -> None:
    drawn = hermes.call_tool("image_generate", prompt="tea", aspect_ratio="square").json

    assert (drawn["success"], drawn["provider"]) == (True, "{{ cookiecutter.plugin_slug }}")
    assert Path(drawn["image"]).read_bytes().startswith(b"\x89PNG")
