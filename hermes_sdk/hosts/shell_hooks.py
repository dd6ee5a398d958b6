"""Shell hooks: the commands in a configuration, and their execution (I1 to I5)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.errors import UsageError

_TOOL_EVENTS = frozenset({"pre_tool_call", "post_tool_call"})
"""The hooks whose commands may have a matcher."""

BLOCKING_EVENTS = frozenset({"pre_tool_call"})
"""The hooks whose commands can block by their exit status or by a failure."""

_NO_ANSWER = frozenset({"transform_api_error_classification"})
"""The hooks that the host reserves for Python plugins, because commands cannot express their return values."""

_TIMEOUT = 60
_LONGEST_TIMEOUT = 300

_SAMPLES: Mapping[str, Any] = {
    "args": {"command": "echo hello"},
    "child_status": "completed",
    "duration_ms": 42,
    "is_first_turn": True,
    "parent_session_id": "parent-sess",
    "platform": "cli",
    "result": '{"output": "hello"}',
    "session_id": "test-session",
    "status": "ok",
    "task_id": "test-task",
    "tool_call_id": "test-call",
    "tool_name": "terminal",
    "user_message": "What is the weather?",
}
"""Sample values of arguments that commands commonly use; the contract provides those of other arguments."""

_OWN_FIELDS = frozenset({"tool_name", "args", "session_id", "parent_session_id"})


@dataclass(frozen=True)
class ShellHook:
    """A command for a hook, which is run without a shell and killed after `timeout` seconds.

    Attributes:
        matcher: A regular expression for the full name of the tool; None for all tools.
        pattern: The compiled matcher; None if the matcher is not valid, in which case it is compared literally.
        fail_closed: Whether the call is blocked if the command fails.
    """

    event: str
    command: str
    matcher: str | None
    timeout: int
    pattern: re.Pattern[str] | None
    fail_closed: bool = False

    def matches(self, tool: Any) -> bool:
        """Return whether the command runs for a call of this tool, or, if `tool` is None, without a tool call."""
        if self.matcher is None:
            return True
        if self.pattern is None or tool is None:
            return bool(tool == self.matcher)
        return self.pattern.fullmatch(tool) is not None


@dataclass(frozen=True)
class Run:
    """Result of one run of a command.

    Attributes:
        status: The exit status, negative for a signal; None if the command timed out or could not start.
        error: Why the command could not start, or None.
    """

    status: int | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    timed_out: bool = False
    error: str | None = None


def read_hooks(config: Mapping[str, Any], contract: Contract) -> tuple[list[ShellHook], list[str]]:
    """Read the section ``hooks`` of a configuration as a release does.

    Returns:
        The valid hooks, in the order of the file, and the host's warnings about invalid entries.

    Raises:
        UsageError: A number is too large; the host then does not register any shell hook.
    """
    section = config.get("hooks")
    found: list[ShellHook] = []
    warnings: list[str] = []
    for event, entries in section.items() if isinstance(section, dict) else ():
        if event in _reserved_names(contract):
            continue
        if event not in contract.hooks:
            warnings.append(_format_unknown_event(event, contract))
        elif event in _NO_ANSWER:
            warnings.append(
                f"hook event {event!r} is Python-plugin-only: shell hooks cannot return its directive, so this"
                " registration is refused rather than silently ignored"
            )
        elif isinstance(entries, list):
            for index, entry in enumerate(entries):
                hook = _read_entry(event, f"hooks.{event}[{index}]", entry, contract, warnings)
                if hook is not None:
                    found.append(hook)
        elif entries is not None:
            warnings.append(f"hooks.{event} must be a list of hook definitions; got {type(entries).__name__}")
    return found, warnings


def _reserved_names(contract: Contract) -> frozenset[str]:
    """Return the keys of the section ``hooks`` that are settings of other features."""
    behaviour = contract.behaviour
    names = {"output_spill": behaviour.context_spill, "outbound": behaviour.outbound_webhooks}
    return frozenset(name for name, is_reserved in names.items() if is_reserved)


def _format_unknown_event(event: Any, contract: Contract) -> str:
    from difflib import get_close_matches

    close = get_close_matches(str(event), contract.hooks, n=1, cutoff=0.6)
    if close:
        return f"unknown hook event {event!r} in hooks: config — did you mean {close[0]!r}?"
    return f"unknown hook event {event!r} in hooks: config (valid: {', '.join(sorted(contract.hooks))})"


def _read_entry(event: str, where: str, entry: Any, contract: Contract, warnings: list[str]) -> ShellHook | None:
    if not isinstance(entry, dict):
        warnings.append(f"{where} must be a mapping with a 'command' key; got {type(entry).__name__}")
        return None
    command = entry.get("command")
    if not isinstance(command, str) or not command.strip():
        warnings.append(f"{where} is missing a non-empty 'command' field")
        return None
    matcher = _read_matcher(event, where, entry.get("matcher"), warnings)
    try:
        timeout = _read_timeout(where, entry.get("timeout", _TIMEOUT), warnings)
        fail_closed = contract.behaviour.shell_hooks_fail_closed and _read_fail_closed(event, where, entry, warnings)
        pattern = _compile_matcher(matcher, warnings)
    except OverflowError as error:
        raise UsageError(
            f"{where}: {error}, so Hermes registers no shell hooks", fix="Use a smaller number."
        ) from error
    return ShellHook(event, command.strip(), matcher, timeout, pattern, fail_closed)


def _read_matcher(event: str, where: str, matcher: Any, warnings: list[str]) -> str | None:
    if matcher is not None and not isinstance(matcher, str):
        warnings.append(f"{where}.matcher must be a string regex; ignoring")
        return None
    if matcher is not None and event not in _TOOL_EVENTS:
        warnings.append(
            f"{where}.matcher={matcher!r} will be ignored at runtime — the matcher field is only honored for"
            f" pre_tool_call / post_tool_call.  The hook will fire on every {event} event."
        )
        return None
    return (matcher or "").strip() or None


def _read_timeout(where: str, given: Any, warnings: list[str]) -> int:
    try:
        timeout = int(given)
    except (TypeError, ValueError):
        warnings.append(f"{where}.timeout must be an int (got {given!r}); using default {_TIMEOUT}s")
        return _TIMEOUT
    if timeout < 1:
        warnings.append(f"{where}.timeout must be >=1; using default {_TIMEOUT}s")
        return _TIMEOUT
    if timeout > _LONGEST_TIMEOUT:
        warnings.append(f"{where}.timeout={timeout}s exceeds max {_LONGEST_TIMEOUT}s; clamping")
        return _LONGEST_TIMEOUT
    return timeout


def _read_fail_closed(event: str, where: str, entry: Mapping[str, Any], warnings: list[str]) -> bool:
    given = entry.get("fail_closed", entry.get("failClosed", False))
    if not isinstance(given, bool):
        warnings.append(f"{where}.fail_closed must be a boolean (got {given!r}); using default false (fail open)")
        return False
    if given and event not in BLOCKING_EVENTS:
        warnings.append(
            f"{where}.fail_closed=true will be ignored at runtime — fail_closed only applies to blocking-capable events"
            f" ({', '.join(sorted(BLOCKING_EVENTS))}).  The hook will fail open on {event} like any other hook."
        )
        return False
    return given


def _compile_matcher(matcher: str | None, warnings: list[str]) -> re.Pattern[str] | None:
    if matcher is None:
        return None
    try:
        return re.compile(matcher)
    except re.error as error:
        warnings.append(f"shell hook matcher {matcher!r} is invalid ({error}) — treating as literal equality")
        return None


def encode_payload(event: str, arguments: Mapping[str, Any], contract: Contract) -> str:
    """Encode the arguments of a hook as JSON for a command; values that JSON cannot represent become text."""
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
        **({"profile": "default"} if contract.behaviour.shell_hooks_told_profile else {}),
        "extra": {name: value for name, value in arguments.items() if name not in _OWN_FIELDS},
    }
    return json.dumps(content, ensure_ascii=False, default=str)


def sample_payload(event: str, contract: Contract, overrides: Mapping[str, Any]) -> str:
    """Encode sample arguments of a hook for a trial run of a command.

    Args:
        overrides: Arguments that override or extend the sample.
    """
    from hermes_sdk.contract.hook_arguments import complete_arguments

    arguments = {name: _SAMPLES.get(name, value) for name, value in complete_arguments(contract, event, {}).items()}
    return encode_payload(event, {**arguments, **contract.injected_hook_arguments, **overrides}, contract)


def run_command(hook: ShellHook, text: str, *, strict: bool) -> Run:
    """Run the command of a hook in the current directory and environment, with a text on standard input.

    After its timeout, the command and its child processes are killed; older hosts leave the children running. With
    `strict`, output that is not UTF-8 is an error; otherwise, invalid bytes are replaced by U+FFFD.
    """
    import subprocess

    from hermes_sdk.hosts.processes.forks import interrupts_deferred, kill_group

    def end(kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            kill_group(child.pid)

    try:
        words = shlex.split(os.path.expanduser(hook.command))  # noqa: PTH111
    except ValueError as error:
        return Run(error=f"command {hook.command!r} cannot be parsed: {error}")
    pipe, started = subprocess.PIPE, time.monotonic()
    errors = "strict" if strict else "replace"
    try:
        with contextlib.ExitStack() as stack:
            with interrupts_deferred():
                child = stack.enter_context(
                    subprocess.Popen(
                        words, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", errors=errors, process_group=0
                    )
                )
                stack.push(end)
            stdout, stderr = child.communicate(text, hook.timeout)
    except subprocess.TimeoutExpired:
        return Run(timed_out=True, seconds=round(time.monotonic() - started, 3))
    except FileNotFoundError:
        return Run(error="command not found")
    except PermissionError:
        return Run(error="command not executable")
    except (OSError, ValueError) as error:
        return Run(error=str(error))
    return Run(child.returncode, stdout, stderr, round(time.monotonic() - started, 3))
