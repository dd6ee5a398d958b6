"""Gateway cases: a platform with a recording adapter, and comparable events."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from textwrap import dedent, indent
from typing import Any

from conformance.case import Files, case, plugin

from hermes_sdk.hosts.interface import ALLOW_ALL, Host
from hermes_sdk.traces import Trace, expected_differences

_HEAD = """
import asyncio, json, os
from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, MessageType, SendResult
from hermes_cli.plugins import VALID_HOOKS

SEEN = []

class Adapter(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("echo"))
        self.count = 0
        SEEN.append(["config", config.enabled, config.extra, repr(config.home_channel)])
    async def connect(self, **more):
        self._mark_connected()
        return True
    async def disconnect(self):
        self._mark_disconnected()
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self.count += 1
        return SendResult(True, f"out{self.count}")
    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}
"""

_REGISTER = '''
def register(ctx):
    entry = {
        "name": "echo",
        "label": "Echo",
        "adapter_factory": Adapter,
        "check_fn": lambda: True,
        "allowed_users_env": "ECHO_ALLOWED_USERS",
        "allow_all_env": "ECHO_ALLOW_ALL_USERS",
    }
    ctx.register_command("seen", lambda arguments: json.dumps(SEEN))
    def watch(**returns):
        """Register a callback for every hook of the release; some return something."""
        for name in sorted(VALID_HOOKS):
            ctx.register_hook(name, lambda name=name, **kwargs: returns.get(name))
    def tool(name, handler, toolset="set"):
        schema = {"name": name, "description": name, "parameters": {"type": "object", "properties": {}}}
        ctx.register_tool(name, toolset, schema, handler)
'''


def platform(register: str = "", *, adapter: str = "") -> Files:
    """Return the files of plugin ``p`` with the platform ``echo``.

    Args:
        register: Lines of ``register``; they can change ``entry``, the arguments of `ctx.register_platform`, and
            call ``watch`` and ``tool``.
        adapter: Lines of the adapter class.

    `recorder.read_notes` returns the values that the plugin adds to ``SEEN``.
    """
    body = indent(dedent(adapter), "    ") if adapter.strip() else ""
    lines = indent(dedent(register), "    ")
    return plugin(f"{_HEAD}{body}{_REGISTER}{lines}\n    ctx.register_platform(**entry)\n", name="p", kind="platform")


def hook(events: Sequence[str], body: str = "", *, name: str = "h", folder: str = "") -> Files:
    """Return the files of an event hook whose function ``handle`` has this body."""
    lines = indent(dedent(body or "pass"), "    ")
    manifest = json.dumps({"name": name, "description": name, "events": events})
    return hook_files(folder or name, manifest, f"import asyncio, json\ndef handle(event_type, context):\n{lines}\n")


def hook_files(folder: str, manifest: str, handler: str) -> Files:
    """Return the files of a directory in ``hooks``."""
    return {f"hooks/{folder}/HOOK.yaml": manifest, f"hooks/{folder}/handler.py": dedent(handler)}


def gateway_case(
    statement: str,
    register: str = "",
    *,
    adapter: str = "",
    files: Files | None = None,
    config: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    **more: Any,
) -> Callable[[Callable[[Host], Any]], Callable[[Host], Any]]:
    """Register a case with the plugin of `platform`; all users are allowed unless the environment says otherwise."""
    return case(
        statement,
        plugins={"p": platform(register, adapter=adapter)},
        enable=["p"],
        files=files,
        config=config,
        environment={**ALLOW_ALL, **(environment or {})},
        record=True,
        **more,
    )


def write_messages(host: Host, *texts: str, user: str = "u1") -> Any:
    """Send texts of a user to the gateway, stop it and return its events."""
    gateway = host.gateway()
    chat = gateway.dm(user)
    for text in texts:
        chat.receives(text)
    gateway.stop()
    return list_events(host)


def list_events(host: Host) -> dict[str, Any]:
    """Return all events by thread, and logged warnings.

    Typing notifications are omitted, because their number is random.
    """
    about = {"host": host.kind, "release": host.release, "scenario": ""}
    lanes: dict[str, list[Any]] = {}
    for event in Trace.of(host.events, **about).normalise({str(host.home): "<home>"}).events:
        if event["kind"] not in ("register", "log") and event["name"] not in ("send_typing", "stop_typing"):
            lanes.setdefault(event["thread"], []).append(_show_event(event))
    logged = [re.sub(r"\d+\.\d+s\b", "<seconds>", f"{one.level} {one.message}") for one in host.log if _warns(one)]
    return {**lanes, "logged": logged}


def _show_event(event: Mapping[str, Any]) -> list[Any]:
    ended = [{key: event[key]} for key in ("returned", "raised") if key in event]
    return [event["kind"], event["name"], _comparable(event.get("arguments")), *_comparable(ended)]


def _comparable(value: Any) -> Any:
    """Return a value without the expected differences between hosts."""
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        excepted = {key for key in value for rule in expected_differences() if rule.covers(key, value)}
        return {key: _comparable(one) for key, one in value.items() if key not in excepted}
    return value


_OWN_AFFAIRS = (
    # Plugins do not notice how the host stores transcripts.
    "Persisted transcript lagged live cached history",
    "Normal final-send NOT suppressed",
    # This warning appears on slow machines.
    "Turn-machinery warm-up still running",
    # The redistribution 0.22.2.post1 cannot run group chats because of a bug.
    "Group Chat worker failed to start",
    "Supervised task hosted_room_worker died",
)


def _warns(record: Any) -> bool:
    ours = record.logger.startswith(("gateway", "hermes_plugins")) and not record.message.startswith(_OWN_AFFAIRS)
    return ours and record.level in ("WARNING", "ERROR")
