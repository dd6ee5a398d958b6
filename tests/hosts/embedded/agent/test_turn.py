"""Turns of the embedded host: behaviour that does not need a comparison with a real host."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded import hook_payload
from hermes_sdk.hosts.embedded.agent import tool_call_repair
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.embedded.process import plugin_code
from hermes_sdk.hosts.interface import HostExited, NotSupported
from hermes_sdk.llm import Request, call, fail, interrupt, say

Start = Callable[..., EmbeddedHost]

ADDING = """
    import json
    def register(ctx):
        parameters = {"type": "object", "properties": {"a": {"type": "integer"}}}
        schema = {"name": "add", "description": "Adds.", "parameters": parameters}
        ctx.register_tool("add", "p", schema, lambda args, **kw: json.dumps({"sum": args["a"] + 1}))
        ctx.register_hook("pre_llm_call", lambda **kw: {"context": "Recalled"})
        for hook in ("on_session_start", "post_llm_call", "on_session_end", "on_session_finalize", "on_session_reset"):
            ctx.register_hook(hook, lambda **kw: None)
"""


def hooking(hook: str, body: str) -> str:
    """Return a plugin with one callback with this body."""
    return (
        f"import sys, time\ndef register(ctx): ctx.register_hook({hook!r}, callback)\ndef callback(**kw):\n    {body}\n"
    )


def test_turn_contains_tool_calls_and_hooks(start: Start) -> None:
    host = start(ADDING)
    host.llm.script(call("add", a=2), say("three"))
    turn = host.chat("What is 2 + 1?")
    assert turn.reply == "three"
    assert [(one.name, one.args, one.result.json) for one in turn.tool_calls] == [("add", {"a": 2}, {"sum": 3})]
    assert turn.hooks.names == ["on_session_start", "pre_llm_call", "post_llm_call", "on_session_end"]
    assert turn.hooks.of("post_llm_call")[0].arguments["assistant_response"] == "three"
    assert turn.hooks.of("pre_llm_call")[0].returned == {"context": "Recalled"}
    assert host.llm.requests[0].user_text == "What is 2 + 1?\n\nRecalled"
    assert host.llm.requests[0].tools == ["add"]


def test_exhausted_script_raises_with_last_request(start: Start) -> None:
    host = start(ADDING)
    host.llm.script(call("add", a=2))
    with pytest.raises(HermesSdkError, match=r"no answer for request 2(?s:.*)tool: .*\"sum\": 3"):
        host.chat("hello")


def test_function_answers_request(start: Start) -> None:
    host = start(ADDING)
    host.llm.script(lambda request: f"heard {request.user_text!r}")
    assert host.chat("hello").reply == "heard 'hello\\n\\nRecalled'"


def test_failed_turn_has_error(start: Start) -> None:
    host = start(ADDING)
    host.llm.script(fail(401, "who are you?"))
    turn = host.chat("hello")
    assert (turn.error, turn.completed, turn.hooks.names[-1]) == ("HTTP 401: who are you?", False, "pre_llm_call")


def test_turn_can_be_interrupted(start: Start) -> None:
    host = start(ADDING)
    host.llm.script(interrupt(), say("later"))
    turn = host.chat("hello")
    assert turn.interrupted
    assert turn.hooks.of("on_session_end")[0].arguments["interrupted"]
    assert not turn.hooks.of("post_llm_call")


def test_session_ends_once(start: Start) -> None:
    host = start(ADDING)
    host.llm.script(say("one"))
    host.chat("hello")
    assert host.finish().names == ["on_session_finalize"]
    assert host.finish().names == []


def test_close_ends_session(start: Start) -> None:
    host = start(hooking("on_session_finalize", "sys.modules['ended'] = kw['reason']"))
    host.llm.script(say("one"))
    host.chat("hello")
    host.close()
    import sys

    assert sys.modules.pop("ended") == "shutdown"


def test_timeout_names_callback_and_line(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_code, "TIME_LIMIT", 0.05)
    host = start(hooking("pre_llm_call", "while True: time.monotonic()"))
    host.llm.script(say("never"))
    with pytest.raises(
        HermesSdkError, match=r"^hook pre_llm_call at .*plugins/p/__init__\.py:4 timed out after 0\.05 s"
    ):
        host.chat("hello")


def test_timeout_outside_turn_names_tool(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_code, "TIME_LIMIT", 0.05)
    host = start("""
        import time
        def forever(args, **kw):
            try:
                while True: time.monotonic()
            except Exception:
                return "caught"
        def register(ctx):
            ctx.register_tool("wait", "p", {"name": "wait", "description": "", "parameters": {}}, forever)
    """)
    with pytest.raises(HermesSdkError, match=r"tool wait.*__init__\.py:5 timed out after"):
        host.call_tool("wait")


def test_slow_function_of_script_is_stopped(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(request: Request) -> str:
        while True:
            pass

    monkeypatch.setattr(plugin_code, "TIME_LIMIT", 0.05)
    host = start(ADDING)
    host.llm.script(forever)
    with pytest.raises(HermesSdkError, match=r"^the turn timed out after 0\.05 s and was stopped"):
        host.chat("hello")


def test_chat_requires_text(start: Start) -> None:
    host = start(ADDING)
    with pytest.raises(UsageError, match=r"^chat: text must be str, not None"):
        host.chat(None)  # type: ignore[arg-type]
    assert host.llm.requests == []


def test_timeout_does_not_apply_after_turn(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    host = start(ADDING)
    host.llm.script(say("one"), say("two"))
    host.chat("hello")  # Imports the modules that later turns use.
    monkeypatch.setattr(plugin_code, "TIME_LIMIT", 0.05)
    host.chat("hello")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        pass


@pytest.mark.parametrize("hook", ["pre_llm_call", "post_llm_call", "on_session_end"])
def test_callback_that_exits_ends_only_host(start: Start, hook: str) -> None:
    host = start(hooking(hook, "sys.exit(7)"))
    host.llm.script(say("one"))
    with pytest.raises(HostExited) as ended:
        host.chat("hello")
    assert ended.value.status == 7
    assert "the turn ended the host" in str(ended.value)


def test_coroutine_returned_by_hook_is_reported(start: Start) -> None:
    host = start("""
        def register(ctx):
            async def late(**kw): return {"context": "never"}
            ctx.register_hook("pre_llm_call", late)
    """)
    host.llm.script(say("one"))
    host.chat("hello")
    assert host.llm.requests[0].user_text == "hello"
    assert [one.error for one in host.swallowed] == [
        "RuntimeWarning: coroutine 'register.<locals>.late' was never awaited"
    ]


def test_background_delegation_ends_with_turn(start: Start) -> None:
    host = start(
        """
        def register(ctx):
            for hook in ("subagent_start", "subagent_stop", "on_session_end"):
                ctx.register_hook(hook, lambda **kw: None)
        """,
    )
    Home(host.home).update_config({"platform_toolsets": {"cli": ["delegation"]}})
    host.llm.script(call("delegate_task", goal="part"), say("on its way"), say("part is done"))
    turn = host.chat("hello")
    assert turn.reply == "on its way"
    assert turn.tool_calls[0].result.json["status"] == "dispatched"
    assert turn.hooks.names == ["subagent_start", "on_session_end", "on_session_end", "subagent_stop"]
    assert turn.hooks.of("subagent_stop")[0].arguments["child_summary"] == "part is done"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_valid_json_arguments_are_unchanged(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    assert tool_call_repair.repair_arguments(text, in_order=False) == text


@given(st.text(alphabet='{}[]",: \na1\\', max_size=30))
def test_repaired_arguments_are_json_or_none(text: str) -> None:
    made = tool_call_repair.repair_arguments(text, in_order=False)
    if made is not None and made.strip():
        json.loads(made)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4), st.integers(0, 19))
def test_truncated_arguments_are_completed_or_rejected(value: dict[str, Any], cut: int) -> None:
    text = json.dumps(value)
    made = tool_call_repair.repair_arguments(text[: len(text) - cut], in_order=False)
    assert made is None or not made.strip() or json.loads(made) is not None or made == "null"


@given(JSON, st.integers(1_000, 3_000))
def test_hook_payload_is_limited_and_contains_no_secrets(value: Any, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HERMES_PLUGIN_PAYLOAD_MAX_CHARS", str(limit))
        shown = hook_payload.reduce_payload(
            {"body": value, "long": "x" * 5_000, "api_key": "secret", "X-Api-Key": "secret"}
        )
    text = json.dumps(shown, ensure_ascii=False)
    assert "secret" not in text
    assert shown.get("_truncated") or len(text) <= limit
    assert not shown.get("_truncated") or len(shown["preview"]) <= limit


@given(st.text(max_size=20), st.lists(st.sampled_from(["read_file", "todo", "web_search"]), unique=True))
def test_tool_name_is_repaired_only_to_offered_tool(name: str, valid: list[str]) -> None:
    found = tool_call_repair.repair_name(name, valid)
    assert found is None or found in valid


def test_parallel_tools_that_hang_are_abandoned(start: Start) -> None:
    # The callback itself triggers the timeout: on a busy machine, a real one could expire before the callback runs.
    host = start("""
        import os, signal, threading
        released, over = threading.Event(), []
        def hang(**kw):
            os.kill(os.getpid(), signal.SIGALRM)
            released.wait(20)
            over.append("waited for")
        def register(ctx):
            ctx.register_middleware("tool_execution", hang)
    """)
    Home(host.home).update_config({"platform_toolsets": {"cli": ["file"]}})
    host.llm.script(say("", call("read_file", path="a"), call("read_file", path="b")))
    with pytest.raises(HermesSdkError, match=r"^middleware tool_execution at .*:[56] timed out after"):
        host.chat("hello")
    plugin = sys.modules["hermes_plugins.p"]
    assert plugin.over == []
    plugin.released.set()


def test_memory_provider_that_exits_in_thread_does_not_end_turn(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    host = start(
        """
        import sys
        from agent.memory_provider import MemoryProvider
        saved = []
        class Memo(MemoryProvider):
            name = "p"
            def is_available(self): return True
            def initialize(self, session_id, **kwargs): pass
            def get_tool_schemas(self): return []
            def sync_turn(self, user_content, assistant_content, **kwargs):
                saved.append(user_content)
                sys.exit(3)
            def on_turn_start(self, turn_number, message, **kwargs): print(saved)
        def register(ctx): ctx.register_memory_provider(Memo())
        """,
        manifest="name: p\nkind: exclusive\n",
    )
    Home(host.home).update_config({"memory": {"provider": "p"}})
    host.llm.script(say("one"), say("two"), say("three"))
    assert [host.chat(text).reply for text in ("hello", "again", "bye")] == ["one", "two", "three"]
    assert capsys.readouterr().out == "[]\n['hello']\n['hello', 'again']\n"


def test_request_limit_after_empty_answer_is_not_supported_when_host_explains_it(start: Start) -> None:
    host = start(release="0.22.2")
    Home(host.home).update_config({"agent": {"max_turns": 1}})
    host.llm.script(say(""))
    with pytest.raises(NotSupported, match="after an empty answer"):
        host.chat("hello")
