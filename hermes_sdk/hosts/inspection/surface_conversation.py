"""The standard conversation, which shows the hooks that fire on a surface."""

from __future__ import annotations

import time

from hermes_sdk.hosts.interface import HookCalls, Host, Surface, SurfaceName
from hermes_sdk.hosts.interface.surfaces import PLATFORM
from hermes_sdk.llm import Answer, Request, call, fail, say

_TOOLSETS = ("delegation", "file", "terminal")

_GOAL = "Say hello."

_BACKGROUND_LIMIT = 5.0
"""Seconds to wait for a delegated task that runs in the background."""


def converse(host: Host, surface: SurfaceName, *, delegates: bool = True) -> HookCalls:
    """Run the standard conversation on a surface of a new host, and return the hook calls.

    In one turn, the model is rate-limited once, runs a command, writes a file, delegates a task and answers. Then the
    user begins a new session, if the surface supports that, and the session ends.

    Args:
        host: A host whose agent has not taken a turn.
        delegates: Whether the model delegates a task, which the embedded host does not support in a gateway.
    """
    toolsets = sorted({*_TOOLSETS, *host.toolsets})
    offer = {"platform_toolsets": dict.fromkeys(("cli", "cron", PLATFORM), toolsets)}
    # Without this setting, a gateway asks for confirmation before a new session.
    host.configure(config={**offer, "approvals": {"destructive_slash_confirm": False}})
    _script(host, delegates=delegates)
    opened = host.on(surface)
    opened.chat("Hello")
    _wait_for_task(opened)
    if surface == "gateway":
        opened.chat("/new")
    elif surface in ("cli", "isolated"):
        host.command("/new")
    opened.end()
    return opened.hooks


def _script(host: Host, *, delegates: bool) -> None:
    # The gateway's working directory is the user's home, so the path is absolute.
    note = str(host.home / "work" / "note.txt")
    delegation = [call("delegate_task", goal=_GOAL)] if delegates else []
    steps = iter(
        [
            fail(429, "too many requests"),
            call("terminal", command="echo hello"),
            call("write_file", path=note, content="hello\n"),
            *delegation,
        ]
    )

    def answer(request: Request) -> Answer:
        host.llm.script(answer)
        first = next((one for one in request.messages if one.get("role") == "user"), {})
        return say("hello") if _GOAL in str(first.get("content")) else next(steps, say("done"))

    def answer_aux(_: Request) -> Answer:
        host.llm.aux.script(answer_aux)
        return say("ok")

    host.llm.script(answer)
    host.llm.aux.script(answer_aux)


def _wait_for_task(opened: Surface) -> None:
    """Wait for the delegated task, which some surfaces run in the background."""
    deadline = time.monotonic() + _BACKGROUND_LIMIT
    while time.monotonic() < deadline:
        names = opened.hooks.names
        if "subagent_start" not in names or "subagent_stop" in names:
            return
        time.sleep(0.02)
