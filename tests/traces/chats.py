"""Chats of a recorded gateway, on the platform of a plugin."""

import json
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from traces.machine import Machine

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
"""
ANN = {"chat_id": "c1", "user_id": "u1", "user_name": "Ann", "chat_type": "dm"}
BOB = {"chat_id": "c2", "user_id": "u2", "user_name": "Bob", "chat_type": "dm"}


class Chats:
    """The platform's side of a recorded gateway."""

    def __init__(self, machine: Machine, command: Sequence[object]) -> None:
        address = machine.path / "s"
        address.unlink(missing_ok=True)
        self._log = machine.path / "log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*map(str, command)],
                env={**machine.variables, "LINES_SOCKET": str(address)},
                cwd=machine.work,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._socket = socket.socket(socket.AF_UNIX)
        self._connect(str(address))
        # If a text does not arrive in time, the test fails.
        self._socket.settimeout(180)
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
        """Write a message; with `stops`, the platform delivers it as soon as an agent runs that it can stop."""
        self._count += 1
        self._put({"text": text, "id": f"x{self._count}", "stops": stops, **source})

    def say(self, text: str, expected: str, **source: str) -> None:
        """Write a message, and wait until the gateway sends a text and all chats are idle."""
        self.ask(text, expected, **source)
        self._put("settle")
        while self._get() != "settled":
            pass

    def ask(self, text: str, expected: str, **source: str) -> None:
        """Write a message, and wait until the gateway sends a text."""
        self.write(text, {**ANN, **source})
        while True:
            told = self._get()
            if isinstance(told, dict) and expected in told["content"]:
                return

    def stop(self) -> str:
        """Stop the gateway, and return its output."""
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
