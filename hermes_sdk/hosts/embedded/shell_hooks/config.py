"""The shell hooks of a configuration: which entries count, and what is wrong with the others (statements I1 to I3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.errors import UsageError

TOOL_EVENTS = frozenset({"pre_tool_call", "post_tool_call"})
"""The hooks whose commands may have a matcher."""

_TIMEOUT = 60
_LONGEST_TIMEOUT = 300


@dataclass(frozen=True)
class ShellHook:
    """One command that listens.

    Attributes:
        event: The hook.
        command: What runs, as words for the operating system; no shell reads it.
        matcher: The tools that it is for, as a regular expression that fits the whole name; None for all.
        timeout: Seconds until it is killed.
        pattern: The compiled matcher; None where it is no regular expression and stands for itself.
    """

    event: str
    command: str
    matcher: str | None
    timeout: int
    pattern: re.Pattern[str] | None

    def matches(self, tool: Any) -> bool:
        """Tell whether it is for a call of this tool, or for the event of a hook that is about no call."""
        if self.matcher is None:
            return True
        if self.pattern is None or tool is None:
            return bool(tool == self.matcher)
        return self.pattern.fullmatch(tool) is not None


def configured(config: Mapping[str, Any], contract: Contract) -> tuple[list[ShellHook], list[str]]:
    """Read the section ``hooks`` of a configuration as a release does.

    Returns:
        What counts, in the order of the file, and the warnings of the host about what does not.

    Raises:
        UsageError: A number is too large; the host then has no shell hook at all.
    """
    section = config.get("hooks")
    found: list[ShellHook] = []
    warnings: list[str] = []
    for event, entries in section.items() if isinstance(section, dict) else ():
        if event == "output_spill" and contract.behaviour.context_spill:
            continue
        if event not in contract.hooks:
            warnings.append(_unknown(event, contract))
        elif isinstance(entries, list):
            for index, entry in enumerate(entries):
                hook = _entry(event, f"hooks.{event}[{index}]", entry, warnings)
                if hook is not None:
                    found.append(hook)
        elif entries is not None:
            warnings.append(f"hooks.{event} must be a list of hook definitions; got {type(entries).__name__}")
    return found, warnings


def _unknown(event: Any, contract: Contract) -> str:
    from difflib import get_close_matches

    close = get_close_matches(str(event), contract.hooks, n=1, cutoff=0.6)
    if close:
        return f"unknown hook event {event!r} in hooks: config — did you mean {close[0]!r}?"
    return f"unknown hook event {event!r} in hooks: config (valid: {', '.join(sorted(contract.hooks))})"


def _entry(event: str, where: str, entry: Any, warnings: list[str]) -> ShellHook | None:
    if not isinstance(entry, dict):
        warnings.append(f"{where} must be a mapping with a 'command' key; got {type(entry).__name__}")
        return None
    command = entry.get("command")
    if not isinstance(command, str) or not command.strip():
        warnings.append(f"{where} is missing a non-empty 'command' field")
        return None
    matcher = _matcher(event, where, entry.get("matcher"), warnings)
    try:
        timeout = _timeout(where, entry.get("timeout", _TIMEOUT), warnings)
        pattern = _pattern(matcher, warnings)
    except OverflowError as error:
        raise UsageError(
            f"{where}: {error}, so that the host registers no shell hook", fix="Write a smaller number."
        ) from error
    return ShellHook(event, command.strip(), matcher, timeout, pattern)


def _matcher(event: str, where: str, matcher: Any, warnings: list[str]) -> str | None:
    if matcher is not None and not isinstance(matcher, str):
        warnings.append(f"{where}.matcher must be a string regex; ignoring")
        return None
    if matcher is not None and event not in TOOL_EVENTS:
        warnings.append(
            f"{where}.matcher={matcher!r} will be ignored at runtime — the matcher field is only honored for"
            f" pre_tool_call / post_tool_call.  The hook will fire on every {event} event."
        )
        return None
    return (matcher or "").strip() or None


def _timeout(where: str, given: Any, warnings: list[str]) -> int:
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


def _pattern(matcher: str | None, warnings: list[str]) -> re.Pattern[str] | None:
    if matcher is None:
        return None
    try:
        return re.compile(matcher)
    except re.error as error:
        warnings.append(f"shell hook matcher {matcher!r} is invalid ({error}) — treating as literal equality")
        return None
