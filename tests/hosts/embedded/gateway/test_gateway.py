"""Embedded gateways in tests."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import HostExited, NotSupported
from hermes_sdk.llm import call, say

from .gateways import Start, open_gateway, start_host

TOOL = """
ctx.register_tool("wait", "set", {"name": "wait", "parameters": {"type": "object", "properties": {}}}, %s)
"""
COMPRESSING = """
from agent.context_engine import ContextEngine
class Engine(ContextEngine):
    name = "mine"
    def update_from_response(self, usage): self.last_prompt_tokens = usage["prompt_tokens"]
    def update_model(self, *args, **kwargs): pass
    def should_compress(self, prompt_tokens=None): return (prompt_tokens or 0) > 100_000
    def compress(self, messages, current_tokens=None, **kwargs): return messages[:1]
ctx.register_context_engine(Engine())
"""


def test_chat_is_answered_with_history(start: Start) -> None:
    gateway = open_gateway(start)
    gateway.llm.script("hello back", lambda request: str([one["content"] for one in request.messages[1:]]))
    chat = gateway.dm("u1")
    assert chat.receives("hello")[-1].text == "hello back"
    assert chat.receives("again")[0].text.endswith("'hello back', 'again']")
    assert [(one.reply_to, one.metadata) for one in chat.sent[1:]] == [
        ("m1", {"notify": True}),
        ("m2", {"notify": True}),
    ]


def test_concurrent_chats_keep_order_and_are_separate(start: Start) -> None:
    gateway = open_gateway(start)
    chats = [gateway.dm(f"u{number}") for number in range(40)]
    for turn in range(5):
        gateway.llm.script(*[lambda request: f"re {request.user_text.splitlines()[0]}" for _ in chats])
        for number, chat in enumerate(chats):
            chat.says(f"{number}/{turn}")
        gateway.settle(60)
    answers = [[one.text for one in chat.sent if one.text.startswith("re ")] for chat in chats]
    assert answers == [[f"re {number}/{turn}" for turn in range(5)] for number in range(40)]


def test_unanswered_question_is_not_supported_when_turn_is_stopped(start: Start) -> None:
    host = start_host(start)
    Home(host.home).update_config({"platform_toolsets": {"echo": ["clarify"]}})
    gateway = host.gateway()
    gateway.llm.script(call("clarify", question="q", choices=["a", "b"]))
    gateway.dm("u1").receives("hello", until="q")
    with pytest.raises(NotSupported, match="stop a turn that waits for an answer to `clarify`"):
        gateway.dm("u1").receives("/stop")


def test_command_with_unmodelled_text_is_not_supported(start: Start) -> None:
    gateway = open_gateway(start)
    with pytest.raises(NotSupported, match="support /insights in a chat"):
        gateway.dm("u1").receives("/insights")


def test_event_hook_for_compression_is_not_supported(start: Start) -> None:
    hook = {"HOOK.yaml": "name: h\nevents: ['session:*']\n", "handler.py": "def handle(event, context): pass\n"}
    files = {f"../../hooks/h/{name}": text for name, text in hook.items()}
    host = start_host(start, COMPRESSING + TOOL % "lambda args, **kwargs: 'done'", files=files)
    Home(host.home).update_config({"context": {"engine": "mine"}})
    gateway = host.gateway()
    gateway.llm.script(say("", call("wait"), usage={"prompt_tokens": 160_000, "completion_tokens": 1}), "spare")
    with pytest.raises(NotSupported, match="call an event hook for session:compress"):
        gateway.dm("u1").receives("hello")


def test_undo_is_not_supported(start: Start) -> None:
    gateway = open_gateway(start)
    gateway.llm.script("a reply")
    chat = gateway.dm("u1")
    for text in ("hello", "/undo"):
        chat.receives(text)
    with pytest.raises(NotSupported, match="undo the last exchange of a chat"):
        chat.receives("/approve")


def test_background_task_of_chat_is_not_supported(start: Start) -> None:
    host = start_host(start)
    Home(host.home).update_config({"platform_toolsets": {"echo": ["delegation"]}})
    gateway = host.gateway()
    gateway.llm.script(call("delegate_task", goal="part"))
    with pytest.raises(NotSupported, match="run delegated tasks concurrently with a chat's turn"):
        gateway.dm("u1").receives("hello")


def test_short_context_is_not_supported_in_chat(start: Start) -> None:
    host = start_host(start)
    Home(host.home).update_config({"model": {"context_length": 9_000}})
    with pytest.raises(NotSupported, match="report that the model's context is too short"):
        host.gateway().dm("u1").receives("hello")


def test_rate_limit_with_reset_time_is_not_supported(start: Start) -> None:
    gateway = open_gateway(start, release="0.22.2")
    gateway.llm.script("HTTP 429: it resets in 4hr")
    with pytest.raises(NotSupported, match="when the provider accepts requests again"):
        gateway.dm("u1").receives("hello")


def test_turns_of_different_chats_run_concurrently(start: Start) -> None:
    gateway = open_gateway(start)
    both = threading.Barrier(2, timeout=5)

    def meet(request) -> str:
        both.wait()
        return "met"

    gateway.llm.script(meet, meet)
    chats = [gateway.dm("u1"), gateway.dm("u2")]
    for chat in chats:
        chat.says("hello")
    gateway.settle()
    assert [chat.sent[-1].text for chat in chats] == ["met", "met"]


def test_timeout_names_busy_chat(start: Start) -> None:
    gateway = open_gateway(start)
    go_on = threading.Event()
    gateway.llm.script(lambda request: str(go_on.wait(10)))
    with pytest.raises(HermesSdkError, match=r"These chats are still busy after 0\.2 s: agent:main:echo:dm:u1"):
        gateway.dm("u1").receives("hello", time_limit=0.2)
    go_on.set()
    gateway.settle()


def test_blocked_event_loop_is_reported(start: Start) -> None:
    gateway = open_gateway(start, adapter="async def on_processing_start(self, event): import time; time.sleep(1)")
    gateway.llm.script("late")
    with pytest.raises(HermesSdkError, match="something blocks its event loop"):
        gateway.dm("u1").receives("hello", time_limit=0.2)
    gateway.settle()


def test_message_fails_when_script_has_no_answer(start: Start) -> None:
    gateway = open_gateway(start)
    with pytest.raises(HermesSdkError, match="no answer"):
        gateway.dm("u1").receives("hello")


def test_unmodelled_features_are_reported(start: Start) -> None:
    gateway = open_gateway(start)
    with pytest.raises(NotSupported, match="/retry in a chat"):
        gateway.dm("u1").receives("/retry")


def test_unknown_platform_is_rejected(start: Start) -> None:
    gateway = open_gateway(start)
    with pytest.raises(HermesSdkError, match="the platform 'other' is not connected"):
        gateway.dm("u1", platform="other").receives("hello")


def test_plugin_that_exits_in_turn_ends_gateway(start: Start) -> None:
    gateway = open_gateway(start, "import sys\n" + TOOL.strip() % "lambda args, **kw: sys.exit(3)")
    gateway.llm.script(call("wait"))
    with pytest.raises(HostExited) as ended:
        gateway.dm("u1").receives("hello")
    assert ended.value.status == 3


def test_second_stop_and_close_do_nothing(start: Start) -> None:
    gateway = open_gateway(start)
    gateway.stop()
    gateway.stop()
    assert gateway.platforms == []
    assert not [one for one in threading.enumerate() if one.name == "gateway"]


def test_busy_gateway_ends_on_close(start: Start) -> None:
    gateway = open_gateway(start)
    begun = threading.Event()

    def hang(request) -> str:
        begun.set()
        threading.Event().wait(0.3)
        return "nobody waits"

    gateway.llm.script(hang)
    chat = gateway.dm("u1")
    chat.says("hello")
    begun.wait(5)
    gateway.stop()
    assert chat.sent[-1].text == "⚠️ Gateway shutting down — Your current task will be interrupted."


def test_messages_from_adapter_are_answered(start: Start) -> None:
    gateway = open_gateway(
        start,
        adapter="""
        async def send(self, chat_id, content, reply_to=None, metadata=None):
            if content == "one":
                source = self.build_source("c2", user_id="u2")
                await self.handle_message(MessageEvent(text="more", source=source, message_id="x"))
            return SendResult(True)
        """,
    )
    gateway.llm.script("one", "two")
    gateway.dm("u1").receives("hello")
    assert [one.text for one in gateway.sent if one.chat_id == "c2"][-1] == "two"


def test_message_ids_are_numbered_across_chats(start: Start) -> None:
    gateway, numbers = open_gateway(start), count(1)
    gateway.llm.script(*["."] * 4)
    for user in ("u1", "u2", "u1", "u2"):
        assert gateway.dm(user).receives("hi")[-1].reply_to == f"m{next(numbers)}"


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"platforms": {"echo": {"enabled": True}}},
        {"echo": {"enabled": True}},
        {"gateway": {"platforms": {"echo": {"enabled": True}}}},
    ],
)
def test_channel_can_be_enabled_by_several_settings(config, start: Start) -> None:
    host = start_host(start)
    Home(host.home).update_config(config)
    host.gateway()
    assert [one.message for one in host.log if one.message.endswith("echo connected")] == ["✓ echo connected"]
