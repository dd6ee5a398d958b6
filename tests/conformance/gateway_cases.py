"""What cases about the gateway share: a platform whose adapter only remembers, and how what happened is shown."""

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
    """A plugin ``p`` that brings the platform ``echo``.

    Args:
        register: Lines of its ``register``: they can change ``entry``, what `ctx.register_platform` gets, and call
            ``watch`` and ``tool``.
        adapter: Lines of the class of its adapter.

    `recorder.read_notes` returns what is added to ``SEEN``.
    """
    body = indent(dedent(adapter), "    ") if adapter.strip() else ""
    lines = indent(dedent(register), "    ")
    return plugin(f"{_HEAD}{body}{_REGISTER}{lines}\n    ctx.register_platform(**entry)\n", name="p", kind="platform")


def hook(events: Sequence[str], body: str = "", *, name: str = "h", folder: str = "") -> Files:
    """The files of an event hook; its handler is a function ``handle`` with this body."""
    lines = indent(dedent(body or "pass"), "    ")
    manifest = json.dumps({"name": name, "description": name, "events": events})
    return hook_files(folder or name, manifest, f"import asyncio, json\ndef handle(event_type, context):\n{lines}\n")


def hook_files(folder: str, manifest: str, handler: str) -> Files:
    """The files of a directory of ``hooks``."""
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
    """Make a case with the plugin of `platform`; everybody may write unless the environment says otherwise."""
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
    """What happens when a user writes these texts, one after another, and the gateway stops."""
    gateway = host.gateway()
    chat = gateway.dm(user)
    for text in texts:
        chat.receives(text)
    gateway.stop()
    return list_events(host)


def list_events(host: Host) -> dict[str, Any]:
    """Everything that happened, thread by thread, and what was printed and logged as a warning.

    How often an adapter is told to show that somebody types is chance, and left out.
    """
    about = {"host": host.kind, "release": host.release, "scenario": ""}
    lanes: dict[str, list[Any]] = {}
    for event in Trace.of(host.events, **about).normalise({str(host.home): "<home>"}).events:
        if event["kind"] not in ("register", "log") and event["name"] not in ("send_typing", "stop_typing"):
            lanes.setdefault(event["thread"], []).append(_shown(event))
    logged = [re.sub(r"\d+\.\d+s\b", "<seconds>", f"{one.level} {one.message}") for one in host.log if _warns(one)]
    return {**lanes, "logged": logged}


def _shown(event: Mapping[str, Any]) -> list[Any]:
    ended = [{key: event[key]} for key in ("returned", "raised") if key in event]
    return [event["kind"], event["name"], _comparable(event.get("arguments")), *_comparable(ended)]


def _comparable(value: Any) -> Any:
    """A value without that in which the hosts may differ."""
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        excepted = {key for key in value for rule in expected_differences() if rule.covers(key, value)}
        return {key: _comparable(one) for key, one in value.items() if key not in excepted}
    return value


_OWN_AFFAIRS = (
    # How the host keeps what was said is no behaviour towards plugins.
    "Persisted transcript lagged live cached history",
    "Normal final-send NOT suppressed",
    # Appears on a slow machine.
    "Turn-machinery warm-up still running",
    # A fault of the redistribution 0.22.2.post1, where nothing can hold a group chat.
    "Group Chat worker failed to start",
    "Supervised task hosted_room_worker died",
)


def _warns(record: Any) -> bool:
    ours = record.logger.startswith(("gateway", "hermes_plugins")) and not record.message.startswith(_OWN_AFFAIRS)
    return ours and record.level in ("WARNING", "ERROR")
