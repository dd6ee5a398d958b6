"""Context engines that this host does not support."""

from __future__ import annotations

import pytest
from hosts.embedded.conftest import Start

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import NotSupported
from hermes_sdk.llm import call, say

ENGINE = """
from agent.context_engine import ContextEngine
class Engine(ContextEngine):
    name = "mine"
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return False
    def compress(self, messages, current_tokens=None, **kwargs): return messages
    def select_context(self, request_messages, **kwargs): return request_messages
def register(ctx): ctx.register_context_engine(Engine())
"""


def test_engine_methods_of_later_hosts_are_not_supported(start: Start) -> None:
    host = start(ENGINE, release="0.20.2")
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script("one")
    with pytest.raises(NotSupported, match="call select_context of the context engine 'mine'"):
        host.chat("first question")


def test_engine_of_older_host_can_have_any_methods(start: Start) -> None:
    host = start(ENGINE)
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script("one")
    assert host.chat("first question").reply == "one"


RESETTING = (
    ENGINE.partition("    def select_context")[0]
    + """
    def on_session_reset(self): raise ValueError("no")
def register(ctx): ctx.register_context_engine(Engine())
"""
)


def test_exception_in_reset_of_engine_is_swallowed(start: Start) -> None:
    host = start(RESETTING)
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script("one", "two")
    host.chat("first question")
    host.command("/new")
    assert host.chat("second question").reply == "two"
    assert [one.error for one in host.swallowed] == ["ValueError: no"]


SHORT = """
class Answering(Engine):
    threshold_tokens = context_length = 200_000
    def update_model(self, *args, **kwargs): pass
    def clone_for_agent(self): return self
    %s
def register(ctx):
    schema = {"name": "echo", "description": "d", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("echo", "p", schema, lambda args, **kwargs: "{}")
    ctx.register_context_engine(Answering())
"""


@pytest.mark.parametrize(
    ("answers", "refused"),
    [
        ("def prune_tool_results_only(self, messages, **_): return messages[:], 1", "prune the results of tools"),
        (
            "protect_first_n = protect_last_n = -1\n    def should_compress_preflight(self, messages): return True",
            "compress a history before a turn",
        ),
    ],
)
def test_unmodelled_requests_of_engine_are_not_supported(start: Start, answers: str, refused: str) -> None:
    host = start(ENGINE.partition("    def select_context")[0] + SHORT % answers, release="0.22.2")
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script(call("echo"), "one")
    with pytest.raises(NotSupported, match=refused):
        host.chat("first question")


def test_compression_without_last_reply_is_not_supported_when_host_restores_it(start: Start) -> None:
    answers = """def should_compress(self, prompt_tokens=None): return (prompt_tokens or 0) > 100_000
    def compress(self, messages, current_tokens=None, **kwargs): return messages[-1:]"""
    host = start(ENGINE.partition("    def select_context")[0] + SHORT % answers, release="0.22.2")
    Home(host.home).update_config({"context": {"engine": "mine"}})
    host.llm.script(say("one", usage={"prompt_tokens": 160_000, "completion_tokens": 1}), "two")
    assert host.chat("first question").reply == "one"
    with pytest.raises(NotSupported, match="restore the last reply, which a context engine dropped"):
        host.chat("second question")


def test_engine_that_does_not_compress_too_long_request_is_not_supported(start: Start) -> None:
    host = start(ENGINE.partition("    def select_context")[0] + SHORT % "", release="0.22.2")
    Home(host.home).update_config({"context": {"engine": "mine"}, "compression": {"enabled": False}})
    host.llm.script(say("one", usage={"prompt_tokens": 250_000, "completion_tokens": 1}), "two")
    assert host.chat("first question").reply == "one"
    with pytest.raises(NotSupported, match="warn that a conversation is too long, and not compressed"):
        host.chat("second question")


RAISES = "def should_compress(self, prompt_tokens=None): raise ValueError('no')"


@pytest.mark.parametrize("release", ["0.19.0", "0.22.2"])
def test_engine_that_raises_at_request_limit_is_not_supported(start: Start, release: str) -> None:
    host = start(ENGINE.partition("    def select_context")[0] + SHORT % RAISES, release=release)
    Home(host.home).update_config({"context": {"engine": "mine"}, "agent": {"max_turns": 2}})
    host.llm.script(call("echo"), "one")
    with pytest.raises(NotSupported, match="end a turn whose context engine raised at its limit of requests"):
        host.chat("first question")
    assert len(host.llm.requests) == 1


def test_command_of_engine_outside_plugins_is_not_supported(start: Start) -> None:
    host = start("def register(ctx): pass\n", release="0.22.2")
    folder = host.home / "plugins" / "mine"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "# ContextEngine\ndef register(ctx): ctx.register_command('told', str)\n", encoding="utf-8"
    )
    Home(host.home).update_config({"context": {"engine": "mine"}})
    with pytest.raises(NotSupported, match="register the command 'told' of a context engine that is not a plugin"):
        host.chat("first question")
