"""One run of a shell hook: what it reads, how it runs, what its answer means (statements I4 to I7)."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.shell_hooks.config import ShellHook

_OWN_FIELDS = frozenset({"tool_name", "args", "session_id", "parent_session_id"})
_DEFAULT_MESSAGE = "Blocked by shell hook."


@dataclass(frozen=True)
class Run:
    """How one run of a command ended.

    Attributes:
        status: The exit status, negative for a signal; None when it did not end by itself or did not start.
        stdout: What it printed.
        stderr: What it printed to standard error.
        seconds: How long it took.
        timed_out: Whether it was killed at its time limit.
        error: Why it could not run; None when it could.
    """

    status: int | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    timed_out: bool = False
    error: str | None = None


def payload(event: str, arguments: Mapping[str, Any]) -> str:
    """Make the JSON that a command reads from the arguments of the hook; what JSON cannot hold becomes text."""
    args = arguments.get("args")
    try:
        cwd = os.getcwd()  # noqa: PTH109
    except OSError:
        cwd = ""
    content = {
        "hook_event_name": event,
        "tool_name": arguments.get("tool_name"),
        "tool_input": args if isinstance(args, dict) else None,
        "session_id": arguments.get("session_id") or arguments.get("parent_session_id") or "",
        "cwd": cwd,
        "extra": {name: value for name, value in arguments.items() if name not in _OWN_FIELDS},
    }
    return json.dumps(content, ensure_ascii=False, default=str)


def run(hook: ShellHook, text: str) -> Run:
    """Run the command of a hook in the present directory and environment, with a text to read.

    At its time limit the command is killed together with what it started; the host leaves the latter running.
    """
    import subprocess

    from hermes_sdk.hosts.in_worker.forks import kill_group

    try:
        words = shlex.split(os.path.expanduser(hook.command))  # noqa: PTH111
    except ValueError as error:
        return Run(error=f"command {hook.command!r} cannot be parsed: {error}")
    pipe = subprocess.PIPE
    started = time.monotonic()
    try:
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", process_group=0) as child:
            try:
                stdout, stderr = child.communicate(text, hook.timeout)
            except BaseException:
                kill_group(child.pid)
                raise
    except subprocess.TimeoutExpired:
        return Run(timed_out=True, seconds=round(time.monotonic() - started, 3))
    except FileNotFoundError:
        return Run(error="command not found")
    except PermissionError:
        return Run(error="command not executable")
    except (OSError, ValueError) as error:
        return Run(error=str(error))
    return Run(child.returncode, stdout, stderr, round(time.monotonic() - started, 3))


def parsed(event: str, stdout: str, contract: Contract) -> tuple[dict[str, Any] | None, str]:
    """Turn what a command printed into what a callback of the hook would return.

    Returns:
        The answer, None when there is none, and what is wrong with the output; empty when nothing is.
    """
    stdout = stdout.strip()
    if not stdout:
        return None, ""
    try:
        content = json.loads(stdout)
    except (ValueError, RecursionError):
        return None, f"shell hook stdout was not valid JSON (event={event}): {stdout[:200]}"
    return (_answer(event, content, contract) if isinstance(content, dict) else None), ""


def _answer(event: str, content: dict[str, Any], contract: Contract) -> dict[str, Any] | None:
    if event == "pre_tool_call":
        return _block(content, contract)
    if event == "pre_verify":
        action = str(content.get("action") or content.get("decision") or "").strip().lower()
        message = content.get("message") or content.get("reason")
        goes_on = action in ("continue", "block") and isinstance(message, str) and message.strip()
        return {"action": "continue", "message": goes_on} if goes_on else None
    context = content.get("context")
    return {"context": context} if isinstance(context, str) and context.strip() else None


def _block(content: dict[str, Any], contract: Contract) -> dict[str, Any] | None:
    if content.get("action") == "block":
        message = content.get("message") or content.get("reason")
    elif content.get("decision") == "block":
        message = content.get("reason") or content.get("message")
    else:
        return None
    if isinstance(message, str) and message:
        return {"action": "block", "message": message}
    return {"action": "block", "message": _DEFAULT_MESSAGE} if contract.behaviour.shell_block_default_message else None
