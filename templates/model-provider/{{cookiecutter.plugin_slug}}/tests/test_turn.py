"""What the provider adds to the requests of a conversation."""

from __future__ import annotations

import pytest
from hermes_sdk.testing import Host, say


@pytest.mark.hermes(
    config={"model": {"provider": "{{ cookiecutter.plugin_slug }}"}},
    env={"{{ cookiecutter.__package | upper }}_KEY": "a key for tests"},
)
def test_requests_name_the_session_to_the_cache(hermes: Host) -> None:
    hermes.llm.script(say("Tea is ready."))

    assert hermes.chat("Tea?").reply == "Tea is ready."
    assert hermes.llm.requests[-1].body["cache_key"]
