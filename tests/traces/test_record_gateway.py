"""Recording the gateway and the terminal of the user's own host: what users wrote replays, and what cannot is named."""

import json
import os
import pty
import re
import select
import socket
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from traces.machine import SDK, Machine

from hermes_sdk.errors import UsageError
from hermes_sdk.llm import call, interrupt, say
from hermes_sdk.traces import Replay, read_recording, replay
from hermes_sdk.traces.codegen import generate_test

RELEASES = ("0.19.0", "0.22.2")
PLUGIN = '''
import asyncio, json, os, signal, threading
from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult


class Adapter(BasePlatformAdapter):
    """Takes messages from a socket, as JSON Lines, where there is one."""

    def __init__(self, config):
        super().__init__(config, Platform("lines"))
        self._count, self._writer = 0, None

    async def connect(self, **more):
        if path := os.environ.get("LINES_SOCKET"):
            self._server = await asyncio.start_unix_server(self._serve, path)
        self._mark_connected()
        return True

    async def _serve(self, reader, writer):
        self._writer = writer
        async for line in reader:
            told = json.loads(line)
            if told == "stop":
                os.kill(os.getpid(), signal.SIGINT)
            elif told == "settle":
                while self._active_sessions or WORKING:
                    await asyncio.sleep(0.005)
                self._tell("settled")
            else:
                text, number, stops = told.pop("text"), told.pop("id"), told.pop("stops")
                while stops and not any(hasattr(agent, "interrupt") for agent in GATEWAYS[0]._running_agents.values()):
                    await asyncio.sleep(0.005)
                source = self.build_source(**told)
                await self.handle_message(MessageEvent(text=text, source=source, message_id=number, raw_message=told))

    def _tell(self, value):
        if self._writer:
            self._writer.write(json.dumps(value).encode() + b"\\n")

    async def disconnect(self):
        self._mark_disconnected()

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self._count += 1
        self._tell({"chat_id": chat_id, "content": content})
        return SendResult(success=True, message_id=f"out{self._count}")

    async def send_typing(self, chat_id, metadata=None):
        pass

    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}


def look_up(args, **more):
    return json.dumps({"for": args["text"].upper()})


GATEWAYS, WORKING = [], set()


def watch(gateway, **more):
    """Count the threads of the gateway: a turn that was stopped ends after its chat is idle."""
    if GATEWAYS or "LINES_SOCKET" not in os.environ:
        return
    GATEWAYS.append(gateway)
    run = gateway._run_in_executor_with_context

    async def counted(function, *args):
        def work():
            WORKING.add(threading.get_ident())
            try:
                return function(*args)
            finally:
                WORKING.discard(threading.get_ident())

        return await run(work)

    gateway._run_in_executor_with_context = counted


HOOKS = ("pre_llm_call", "on_session_start", "on_session_end", "on_session_finalize",
         "on_session_reset", "pre_approval_request", "post_approval_response", "post_tool_call")


def register(ctx):
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    schema = {"name": "look_up", "description": "Looks.", "parameters": parameters}
    ctx.register_tool("look_up", "notes", schema, look_up)
    ctx.register_hook("pre_gateway_dispatch", watch)
    for hook in HOOKS:
        ctx.register_hook(hook, lambda **more: None)
    ctx.register_platform(
        name="lines", label="Lines", adapter_factory=Adapter, check_fn=lambda: True,
        allowed_users_env="LINES_ALLOWED_USERS", allow_all_env="LINES_ALLOW_ALL",
    )
'''
CONFIG = """approvals: {mode: manual}
display: {tool_progress: all}
platforms: {lines: {enabled: true}}
telemetry: {shared_metrics: {enabled: false, send: false, offer_version: 2}}
"""
ANN = {"chat_id": "c1", "user_id": "u1", "user_name": "Ann", "chat_type": "dm"}
BOB = {"chat_id": "c2", "user_id": "u2", "user_name": "Bob", "chat_type": "dm"}


class Chats:
    """The platform's side of a gateway that is recorded."""

    def __init__(self, machine: Machine, trace: Path) -> None:
        address = machine.path / "s"
        address.unlink(missing_ok=True)
        command = [SDK, "record", "-o", trace, "--", machine.program, "gateway", "run"]
        self._log = machine.path / "log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*map(str, command)],
                env={**machine.variables, "LINES_SOCKET": str(address)},
                cwd=machine.path / "work",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._socket = socket.socket(socket.AF_UNIX)
        self._connect(str(address))
        # A text that never comes fails the test.
        self._socket.settimeout(60)
        self._lines = self._socket.makefile("rw")
        self._count = 0

    def _connect(self, address: str) -> None:
        while self._process.poll() is None:
            with suppress(OSError):
                return self._socket.connect(address)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0.02)
        pytest.fail(self._log.read_text())

    def write(self, text: str, source: Mapping[str, str] = ANN, *, stops: bool = False) -> None:
        """Write a message, once there is an agent that it can stop if it is meant to: some time after its request."""
        self._count += 1
        self._put({"text": text, "id": f"x{self._count}", "stops": stops, **source})

    def say(self, text: str, expected: str, **source: str) -> None:
        """Write a message, and wait for a text and until the chats are idle."""
        self.ask(text, expected, **source)
        self._put("settle")
        while self._get() != "settled":
            pass

    def ask(self, text: str, expected: str, **source: str) -> None:
        """Write a message, and wait only for a text."""
        self.write(text, {**ANN, **source})
        while True:
            told = self._get()
            if isinstance(told, dict) and expected in told["content"]:
                return

    def stop(self) -> str:
        """Stop the gateway, and return what was printed."""
        self._put("stop")
        assert self._process.wait() == 0
        self._socket.close()
        return self._log.read_text()

    def _put(self, value: Any) -> None:
        print(json.dumps(value), file=self._lines, flush=True)

    def _get(self) -> Any:
        line = self._lines.readline()
        assert line, self._log.read_text()
        return json.loads(line)


@pytest.fixture(params=RELEASES)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Machine]:
    made = Machine(tmp_path, request.param, "lines", PLUGIN, CONFIG)
    made.model.on_interrupt = lambda: None
    (made.home / ".env").write_text("LINES_ALLOWED_USERS=u1,u2\n")
    yield made
    made.server.close()


def _replay(trace: Path, **how: Any) -> Replay:
    return replay(read_recording(trace), trace, **how)


def _change(machine: Machine, old: str, new: str) -> None:
    file = machine.plugin / "__init__.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.mark.slow
def test_a_gateway_session_of_two_chats_with_an_approval_replays(machine: Machine) -> None:
    trace = machine.path / "out" / "bug.trace"
    command = call("terminal", command="rm -rf ./nothing-here")
    machine.model.script(
        *(say("", call("look_up", text="tea")), "There is tea.", "Hello, Bob."),
        *(say("", command), "Meanwhile.", "removed", "a new session"),
    )
    chats = Chats(machine, trace)
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
def test_messages_that_stop_the_agent_replay(machine: Machine) -> None:
    trace = machine.path / "out" / "bug.trace"
    chats: Chats

    def write(text: str) -> Callable[[object], Any]:
        def step(_: object) -> Any:
            chats.write(text, stops=True)
            return interrupt()

        return step

    machine.model.script("one", write("/stop"), "two", write("something else"), "three")
    chats = Chats(machine, trace)
    chats.say("first", "one")
    chats.say("second", "topped")
    chats.say("third", "two")
    chats.say("fourth", "three")
    chats.stop()
    for host in ("embedded", "real"):
        again = _replay(trace, host=host)
        assert again.is_equal, again.reason


@pytest.mark.slow
def test_an_earlier_session_is_named_and_one_after_new_replays(machine: Machine) -> None:
    machine.model.script("hello", "welcome back", "a new session")
    chats = Chats(machine, machine.path / "1.trace")
    chats.say("hi", "hello")
    chats.stop()

    second = machine.path / "2.trace"
    chats = Chats(machine, second)
    chats.say("hi again", "welcome back")
    chats.say("/new", "")
    chats.say("/approve", "")
    told = chats.stop()
    problem = "message 1 belongs to an earlier session. Write `/new` in that chat before you record."
    assert f"hermes-sdk: cannot be replayed: {problem}" in told
    with pytest.raises(UsageError, match=re.escape(f"the recording cannot be replayed: {problem}")):
        _replay(second)

    third = machine.path / "3.trace"
    chats = Chats(machine, third)
    chats.say("from here", "a new session")
    chats.stop()
    again = _replay(third)
    assert again.is_equal, again.reason


class Terminal:
    """The terminal of a command that is recorded."""

    def __init__(self, machine: Machine, command: Sequence[object]) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [*map(str, command)],
            env={**machine.variables, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
            cwd=machine.path / "work",
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def wait(self, text: str) -> None:
        """Wait until a text is printed."""
        seen = b""
        while text.encode() not in seen:
            data = self._read()
            assert data, seen.decode(errors="replace")
            if b"\x1b[6n" in data:  # The terminal is asked where its cursor is.
                os.write(self._ours, b"\x1b[1;1R")
            seen += data

    def type(self, text: str) -> None:
        """Type a line; a return right after other keys would be part of a pasted text."""
        os.write(self._ours, text.encode())
        self.wait(text)
        while select.select([self._ours], [], [], 0.1)[0]:
            self._read()
        os.write(self._ours, b"\r")

    def end(self) -> int:
        """Wait for the end, and return the exit status."""
        while self._read():
            pass
        os.close(self._ours)
        return self._process.wait()

    def _read(self) -> bytes:
        try:
            return os.read(self._ours, 65536)
        except OSError:
            return b""


@pytest.mark.slow
def test_a_session_in_the_terminal_with_new_replays(machine: Machine) -> None:
    trace = machine.path / "out" / "bug.trace"
    machine.model.script(say("", call("look_up", text="tea")), "There is tea.", "a new session")
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
