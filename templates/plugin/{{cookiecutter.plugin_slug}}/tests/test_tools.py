"""The tools, called the way a model calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_add_saves_a_note(hermes: Host) -> None:
    result = hermes.call_tool("{{ cookiecutter.__package }}_add", note="The demo is on 2026-03-06.")

    assert result.json == {"saved": "The demo is on 2026-03-06.", "notes": 1}


@pytest.mark.parametrize("note", ["", "  \n ", None, 7])
def test_add_refuses_what_is_not_a_note(hermes: Host, note: object) -> None:
    result = hermes.call_tool("{{ cookiecutter.__package }}_add", {"note": note})

    assert result.error == "A note needs at least one word."
