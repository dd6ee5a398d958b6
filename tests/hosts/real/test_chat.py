"""Turns of the agent on the real host of each release, without a network."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator

import pytest

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import Host, HostExited
from hermes_sdk.hosts.real.host import RealHost
from hermes_sdk.llm import call, fail, say

pytestmark = pytest.mark.real_host

Opener = Callable[..., Host]

RELEASES = ["0.19.0", "0.13.0"]
OTHERS = ["0.18.2", "0.18.1", "0.18.0", "0.17.0", "0.16.0", "0.15.2", "0.15.1", "0.15.0", "0.14.0"]

TURN = ["on_session_start", "pre_llm_call", "pre_tool_call", "post_tool_call", "post_llm_call", "on_session_end"]

NOTES = """
    import json, pathlib
    SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    def add(args, **more):
        return json.dumps({"sum": args["a"] + args["b"]})
    def hear(**more):
        return {"context": "Recalled"} if more["user_message"] == "add" else None
    def broken(**more):
        raise KeyError("lost")
    def last(**more):
        with pathlib.Path(HOME, "last").open("a") as file:
            file.write(more["session_id"] + "\\n")
    def register(ctx):
        global HOME
        HOME = pathlib.Path(__file__).parents[2]
        ctx.register_tool("add", "notes", {"name": "add", "description": "Adds.", "parameters": SCHEMA}, add)
        ctx.register_hook("pre_llm_call", hear)
        ctx.register_hook("post_llm_call", broken)
        ctx.register_hook("on_session_finalize", last)
        for name in ("on_session_start", "pre_tool_call", "post_tool_call", "on_session_end", "on_session_reset"):
            ctx.register_hook(name, lambda **more: None)
"""


@pytest.fixture
def start(real_python: Callable[[str], object]) -> Iterator[Opener]:
    """Return a function that opens a host with one plugin; the fixture closes the host."""
    opened: list[tuple[Host, Home]] = []

    def opener(body: str, release: str = "0.19.0", config: object = None, **options: object) -> Host:
        real_python(release)
        home = Home.temporary()
        folder = home.plugins_dir / "notes"
        folder.mkdir()
        (folder / "plugin.yaml").write_text("name: notes\nkind: standalone\n")
        (folder / "__init__.py").write_text(textwrap.dedent(body))
        home.enable("notes")
        home.update_config(config or {})  # type: ignore[arg-type]
        opened.append((RealHost(home, release, **options), home))  # type: ignore[arg-type]
        return opened[-1][0]

    yield opener
    for host, home in opened:
        host.close()
        home.close()


def tool(body: str) -> str:
    """Return a plugin whose tool ``act`` runs some code and returns the variable ``result``."""
    lines = textwrap.indent(textwrap.dedent(body), "    ")
    return f"""
def register(ctx):
    schema = {{"name": "act", "description": "Acts.", "parameters": {{"type": "object", "properties": {{}}}}}}
    ctx.register_tool("act", "notes", schema, lambda args, **more: act(ctx))
def act(ctx):
    result = "done"
{lines}
    return result
"""


@pytest.mark.parametrize("release", [*RELEASES, *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS)])
def test_host_runs_two_sessions(release: str, start: Opener) -> None:
    host = start(NOTES, release)
    host.llm.script(call("add", a=1, b="2"), say("three"), "again", "new")
    turn = host.chat("add")
    assert (turn.reply, turn.completed, turn.interrupted, turn.error) == ("three", True, False, None)
    assert [(one.name, one.args, one.result.json) for one in turn.tool_calls] == [
        ("add", {"a": 1, "b": "2"}, {"sum": 3})
    ]
    assert turn.hooks.names == TURN
    assert turn.hooks.of("post_tool_call")[0].arguments["args"] == {"a": 1, "b": 2}
    assert host.llm.requests[0].user_text == "add\n\nRecalled"
    assert host.llm.requests[0].tools == ["add"]

    assert len(host.chat("more").messages) == 6
    assert host.command("/new") == "(^_^)v New session started!"
    assert host.chat("new").hooks.names[:2] == ["on_session_start", "pre_llm_call"]
    assert [message["role"] for message in host.llm.requests[-1].messages] == ["system", "user"]

    (end,) = host.finish()
    assert (end.name, end.arguments["platform"]) == ("on_session_finalize", "cli")
    assert end.arguments.get("reason", "none before 0.16") == (
        "shutdown" if "reason" in end.arguments else "none before 0.16"
    )
    assert host.finish() == ()
    first, second = (host.home / "last").read_text().split()
    assert first != second == end.arguments["session_id"]

    assert [one.where for one in host.swallowed] == ["hook post_llm_call"] * 3
    assert any("API call" in record.message for record in host.log)
    assert (host.llm.problems(), host.llm.unused(), host.llm.aux.requests) == ([], [], [])


def test_failed_requests_are_retried_without_delay(start: Opener) -> None:
    host = start(NOTES.replace("on_session_reset", "api_request_error"))
    host.llm.script(fail(500, "boom"), fail(429, "slow down"), "at last", fail(401, "who are you"))
    host.expect_swallowed(match="lost")
    turn = host.chat("hello")
    assert turn.reply == "at last"
    waits = [record.message for record in host.log if record.message.startswith("Retrying API call")]
    assert [wait.split()[4] for wait in waits] == ["0.0s", "0.0s"]
    errors = turn.hooks.of("api_request_error")
    assert [error.arguments["status_code"] for error in errors] == [500, 429]
    turn = host.chat("again")
    assert (turn.completed, "who are you" in (turn.error or "")) == (False, True)
    assert turn.hooks.names == ["pre_llm_call", "api_request_error"]


def test_offered_tools_come_from_plugin_and_configuration(start: Opener) -> None:
    host = start("def register(ctx): pass\n")
    host.llm.script("yes")
    assert host.chat("hello").reply == "yes"
    assert host.llm.requests[0].tools == []
    host = start(NOTES, config={"platform_toolsets": {"cli": ["todo"]}, "agent": {"max_turns": 1}})
    host.llm.script(call("todo", todos=[]))
    # The request has no tools and does not stream, so it does not belong to the agent loop.
    host.llm.aux.script("enough")
    assert str(host.chat("hello").reply).startswith("enough")
    assert host.llm.requests[0].tools == ["add", "todo"]
    assert "maximum" in host.llm.aux.requests[0].user_text


def test_ctx_llm_uses_auxiliary_lane(start: Opener) -> None:
    host = start(tool('result = ctx.llm.complete([{"role": "user", "content": "judge"}]).text'))
    host.llm.script(call("act"), "fine")
    host.llm.aux.script(say("guilty", usage={"prompt_tokens": 1, "completion_tokens": 1}))
    assert host.chat("hello").tool_calls[0].result.text == "guilty"
    assert host.llm.aux.requests[0].user_text == "judge"


@pytest.mark.parametrize("release", ["0.19.0", pytest.param("0.18.2", marks=pytest.mark.slow)])
def test_delegated_task_ends_within_turn_on_stateless_host(release: str, start: Opener) -> None:
    body = NOTES.replace('"on_session_reset"', '"subagent_stop"')
    host = start(body, release, {"platform_toolsets": {"cli": ["delegation"]}}, stateless=True)
    host.llm.script(call("delegate_task", goal="subtask", context="x"), "from the child", "done")
    turn = host.chat("delegate")
    assert turn.reply == "done"
    assert turn.hooks.of("subagent_stop")[0].arguments["child_summary"] == "from the child"
    assert "from the child" in turn.tool_calls[0].result.text


MEMORY = """
    import pathlib
    from agent.memory_provider import MemoryProvider
    class Provider(MemoryProvider):
        name = "notes"
        def is_available(self): return True
        def initialize(self, session_id, **more): pass
        def get_tool_schemas(self): return []
        def prefetch(self, query, **more): return "Remembered"
        def sync_turn(self, *args, **more): write("sync")
        def on_session_end(self, messages): write(f"end {len(messages)}")
        def shutdown(self): write("shutdown")
    def write(text):
        with (pathlib.Path(__file__).parent / "calls").open("a") as file:
            file.write(text + "\\n")
    def register(ctx):
        ctx.register_memory_provider(Provider())
"""


@pytest.mark.parametrize("release", RELEASES)
def test_memory_provider_is_called_for_turn_and_end(release: str, start: Opener) -> None:
    host = start(MEMORY, release, {"memory": {"provider": "notes"}})
    host.llm.script("yes")
    host.chat("hello")
    calls = host.home / "plugins" / "notes" / "calls"
    assert calls.read_text() == "sync\n"
    assert "Remembered" in host.llm.requests[0].user_text
    host.close()
    assert calls.read_text().split("\n") == ["sync", "end 2", "shutdown", ""]


HANGS = """
import time
def hang(**more):
    if more.get("user_message") != "hello":
        time.sleep(60)
def register(ctx):
    schema = {"name": "act", "description": "Acts.", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("act", "notes", schema, lambda args, **more: hang())
    ctx.register_hook("HOOK", hang)
"""


@pytest.mark.parametrize(("hook", "who"), [("pre_llm_call", "hook pre_llm_call"), ("post_llm_call", "tool act")])
def test_timeout_names_callback_and_line(hook: str, who: str, start: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    host = start(HANGS.replace("HOOK", hook))
    host.llm.script("hello", call("act"))
    host.chat("hello")
    monkeypatch.setattr("hermes_sdk.hosts.real.host.TIME_LIMIT", 2.0)
    with pytest.raises(HermesSdkError) as caught:
        host.chat("hang")
    stood = rf"{who} at {host.home}/plugins/notes/__init__.py:5 timed out after 2 s, and the host was stopped"
    assert re.match(stood, str(caught.value))
    with pytest.raises(HermesSdkError, match="closed"):
        host.chat("hello")


def test_timeout_of_blocked_interpreter_contains_stack(start: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    host = start(tool("import re\nre.match('(a+)+$', 'a' * 40 + 'b')"))
    monkeypatch.setattr("hermes_sdk.hosts.real.host.TIME_LIMIT", 1.0)
    with pytest.raises(HermesSdkError, match=r'(?s)tool act timed out after 1 s.*notes/__init__.py", line 8 in act'):
        host.call_tool("act")


def test_plugin_that_exits_in_turn_ends_only_host(start: Opener) -> None:
    host = start(tool("raise SystemExit(3)"))
    host.llm.script(call("act"), "never")
    with pytest.raises(HostExited, match="exit status 3"):
        host.chat("hello")
    assert host.finish() == ()
    host.close()
