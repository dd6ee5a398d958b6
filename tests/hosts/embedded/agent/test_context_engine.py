"""Context engines that this host cannot serve."""

from __future__ import annotations

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import NotSupported

ENGINE = """
from agent.context_engine import ContextEngine
class Engine(ContextEngine):
    name = "mine"
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return False
    def compress(self, messages, current_tokens=None, **kwargs): return messages
    def prune_tool_results_only(self, messages, current_tokens=None): return messages, 0
def register(ctx): ctx.register_context_engine(Engine())
"""


def test_an_engine_that_answers_what_only_later_hosts_ask_is_refused_there(start) -> None:
    host = start(ENGINE, release="0.20.2")
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script("one")
    with pytest.raises(NotSupported, match="call prune_tool_results_only of the context engine 'mine'"):
        host.chat("first question")


def test_an_engine_of_an_older_host_may_have_any_methods(start) -> None:
    host = start(ENGINE)
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script("one")
    assert host.chat("first question").reply == "one"
