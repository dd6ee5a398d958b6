"""Recordings of the gateway and the terminal of the user's own host, and obstacles to their replay."""

import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from traces.chats import BOB, CONFIG, PLUGIN, Chats
from traces.machine import SDK, Machine
from traces.terminal import Terminal

from hermes_sdk.errors import UsageError
from hermes_sdk.llm import call, interrupt, say
from hermes_sdk.traces import Replay, read_recording, replay
from hermes_sdk.traces.codegen import generate_test

RELEASES = ("0.19.0", "0.22.2")


@pytest.fixture(params=RELEASES)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Machine]:
    made = Machine(tmp_path, request.param, {"lines": PLUGIN}, CONFIG)
    made.model.on_interrupt = lambda: None
    (made.home / ".env").write_text("LINES_ALLOWED_USERS=u1,u2\n")
    yield made
    made.server.close()


def _open_chats(machine: Machine, trace: Path) -> Chats:
    return Chats(machine, [SDK, "record", "-o", trace, "--", machine.program, "gateway", "run"])


def _replay(trace: Path, **how: Any) -> Replay:
    return replay(read_recording(trace), trace, **how)


def _change(machine: Machine, old: str, new: str) -> None:
    file = machine.work / "lines" / "__init__.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.mark.slow
def test_gateway_session_with_two_chats_and_approval_replays(machine: Machine) -> None:
    trace = machine.work / "bug.trace"
    command = call("terminal", command="rm -rf ./nothing-here")
    machine.model.script(
        *(say("", machine.call("look_up", text="tea")), "There is tea.", "Hello, Bob."),
        *(say("", command), "Meanwhile.", "removed", "a new session"),
    )
    chats = _open_chats(machine, trace)
    chats.say("find tea", "There is tea.")
    chats.say("hi", "Hello, Bob.", **BOB)
    chats.ask("remove it", "approv")
    chats.ask("let me in", "", chat_id="c9", user_id="stranger")
    chats.ask("and me", "Meanwhile.", **BOB)
    chats.say("/approve", "removed")
    chats.say("/new", "")
    chats.say("/approve", "")
    chats.say("hello again", "a new session")
    chats.stop()

    recorded = read_recording(trace)
    assert recorded.problems == ()
    assert recorded.recording is not None
    texts = [(one["chat_id"], one["text"], one.get("wait_send")) for one in recorded.recording["messages"]]
    assert texts == [
        ("c1", "find tea", None),
        ("c2", "hi", None),
        ("c1", "remove it", "/approve"),
        ("c9", "let me in", None),
        ("c2", "and me", None),
        ("c1", "/approve", None),
        ("c1", "/new", None),
        ("c1", "/approve", None),
        ("c1", "hello again", None),
    ]
    assert recorded.recording["env"] == {"LINES_ALLOWED_USERS": "u1,u2"}
    for host in ("embedded", "real"):
        again = _replay(trace, host=host)
        assert again.is_equal, again.reason

    _change(machine, ".upper()", ".title()")
    number = next(event["order"] for event in recorded.events if event["kind"] == "tool")
    found = _replay(trace).reason
    assert found.startswith(f'at event {number}: tool look_up returned "{{\\"for\\": \\"TEA\\"}}", now ')


@pytest.mark.slow
def test_session_with_messages_that_stop_agent_replays(machine: Machine) -> None:
    trace = machine.work / "bug.trace"
    chats: Chats

    def write(text: str) -> Callable[[object], Any]:
        def step(_: object) -> Any:
            chats.write(text, stops=True)
            return interrupt()

        return step

    machine.model.script("one", write("/stop"), "two", write("something else"), "three")
    chats = _open_chats(machine, trace)
    chats.say("first", "one")
    chats.say("second", "topped")
    chats.say("third", "two")
    chats.say("fourth", "three")
    chats.stop()
    for host in ("embedded", "real"):
        again = _replay(trace, host=host)
        assert again.is_equal, again.reason


@pytest.mark.slow
def test_earlier_session_is_reported_and_new_one_replays(machine: Machine) -> None:
    machine.model.script("hello", "welcome back", "a new session")
    chats = _open_chats(machine, machine.work / "1.trace")
    chats.say("hi", "hello")
    chats.stop()

    second = machine.work / "2.trace"
    chats = _open_chats(machine, second)
    chats.say("hi again", "welcome back")
    chats.say("/new", "")
    chats.say("/approve", "")
    told = chats.stop()
    problem = "message 1 belongs to an earlier session. Write `/new` in that chat before you record."
    assert f"hermes-sdk: cannot be replayed: {problem}" in told
    with pytest.raises(UsageError, match=re.escape(f"the recording cannot be replayed: {problem}")):
        _replay(second)

    third = machine.work / "3.trace"
    chats = _open_chats(machine, third)
    chats.say("from here", "a new session")
    chats.stop()
    again = _replay(third)
    assert again.is_equal, again.reason


@pytest.mark.slow
def test_terminal_session_with_new_command_replays(machine: Machine) -> None:
    trace = machine.work / "bug.trace"
    machine.model.script(say("", machine.call("look_up", text="tea")), "There is tea.", "a new session")
    terminal = Terminal(machine, [SDK, "record", "-o", trace, "--", machine.program, "chat"])
    terminal.wait("❯")
    terminal.type("find tea")
    terminal.wait("There is tea.")
    terminal.type("/new now")
    terminal.wait("session")
    terminal.type("hello again")
    terminal.wait("a new session")
    terminal.type("/exit")
    assert terminal.end() == 0

    recorded = read_recording(trace)
    assert recorded.problems == ()
    assert recorded.recording is not None
    assert recorded.recording["turns"] == ["find tea", "/new", "hello again"]
    assert '    hermes.command("/new")\n' in generate_test(recorded)
    for host in ("embedded", "real"):
        again = _replay(trace, host=host)
        assert again.is_equal, again.reason

    _change(machine, "for hook in HOOKS:", "for hook in HOOKS[:4]:")
    assert "register register_hook is missing from the replay" in _replay(trace).reason
