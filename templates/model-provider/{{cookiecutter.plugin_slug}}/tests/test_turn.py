"""The provider's changes to the requests of a conversation."""

from __future__ import annotations

import pytest
from hermes_sdk.testing import Host, say


@pytest.mark.hermes(
    config={"model": {"provider": "{{ cookiecutter.plugin_slug }}"}},
    env={"{{ cookiecutter.__package | upper }}_KEY": "a key for tests"},
)
def test_requests_contain_a_cache_key(hermes: Host) -> None:
    hermes.llm.script(say("Tea is ready."))

    assert hermes.chat("Tea?").reply == "Tea is ready."
    assert hermes.llm.requests[-1].body["cache_key"]
