"""Conversations longer than the context of the model, which this host does not compress itself."""

from __future__ import annotations

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.llm import call, fail, say

PLUGIN = """
def register(ctx):
    schema = {"name": "echo", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("echo", "p", schema, lambda args, **kwargs: "{}")
"""
ENGINE = """
from agent.context_engine import ContextEngine
class Engine(ContextEngine):
    name = "mine"
    def update_from_response(self, usage): pass
    def update_model(self, *args, **kwargs): pass
    def should_compress(self, prompt_tokens=None): return True
    def compress(self, messages, current_tokens=None, **kwargs): return messages
def register(ctx): ctx.register_context_engine(Engine())
"""
LONG = {"prompt_tokens": 160_000, "completion_tokens": 10}


def test_compression_by_host_is_not_supported(start: Start) -> None:
    host = start(PLUGIN)
    host.llm.script(*[call("echo")] * 4, say("", call("echo"), usage=LONG), "done")
    with pytest.raises(NotSupported, match="compress a conversation that is too long"):
        host.chat("first question")
    assert [one.what for one in host.unsupported] == []


def test_disabled_compression_is_supported(start: Start) -> None:
    host = start(PLUGIN)
    Home(host.home).update_config({"compression": {"enabled": False}})
    host.llm.script(*[call("echo")] * 4, say("", call("echo"), usage=LONG), "done")
    assert host.chat("first question").reply == "done"


def test_request_longer_than_context_is_not_supported(start: Start) -> None:
    host = start(PLUGIN)
    host.llm.script(fail(400, "maximum context length is 100 tokens"))
    with pytest.raises(NotSupported, match=r"recover from a request that failed with .*maximum context length"):
        host.chat("first question")


def test_compression_before_turn_is_not_supported(start: Start) -> None:
    host = start(ENGINE)
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script("one")
    with pytest.raises(NotSupported, match="compress a history before a turn"):
        host.chat("first question")
