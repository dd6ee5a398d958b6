"""What a turn was, as a test sees it: the reply, the tool calls, and the calls that reached a hook of a plugin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from hermes_sdk.hosts.interface.results import ToolResult


class RawTurn(TypedDict):
    """What a host knows of a turn, in values that JSON can carry.

    Attributes:
        reply: The text that the user gets.
        completed: Whether the model ended the turn by itself.
        interrupted: Whether it was stopped from outside.
        error: Why it failed, or None.
        messages: The session's history after the turn, in the host's own form.
        start: How many messages there were before the turn.
        events: What the callbacks of plugins saw, see `recording.Recording`.
    """

    reply: str | None
    completed: bool
    interrupted: bool
    error: str | None
    messages: list[dict[str, Any]]
    start: int
    events: list[dict[str, Any]]


@dataclass(frozen=True)
class TurnToolCall:
    """One tool call that the model made in a turn.

    Attributes:
        id: The model's id of the call.
        name: The tool.
        args: The arguments as the model sent them; ``{}`` when they were no JSON object.
        result: What the model received.
    """

    id: str
    name: str
    args: dict[str, Any]
    result: ToolResult


@dataclass(frozen=True)
class HookCall:
    """One call that reached a callback of a plugin.

    Attributes:
        name: The hook.
        arguments: A copy of its keyword arguments as values that JSON can carry, made before the callback ran.
        returned: What the callback returned, in the same form; None also when it raised.
    """

    name: str
    arguments: dict[str, Any]
    returned: Any


class HookCalls(tuple[HookCall, ...]):
    """Hook calls in the order in which they happened."""

    __slots__ = ()

    @classmethod
    def among(cls, events: Iterable[Mapping[str, Any]]) -> HookCalls:
        """Pick the hook calls out of recorded events."""
        hooks = (event for event in events if event["kind"] == "hook")
        return cls(HookCall(one["name"], one["arguments"], one.get("returned")) for one in hooks)

    @property
    def names(self) -> list[str]:
        """The names of the hooks."""
        return [one.name for one in self]

    def of(self, name: str) -> list[HookCall]:
        """The calls of one hook."""
        return [one for one in self if one.name == name]


@dataclass(frozen=True)
class Turn:
    """One turn of a session: what the user said led to this.

    Attributes:
        reply: The text that the user gets; None when there is none.
        tool_calls: The model's tool calls, in order.
        hooks: The calls that reached a hook of a plugin, in order.
        completed: Whether the model ended the turn by itself.
        interrupted: Whether it was stopped from outside.
        error: Why it failed, or None.
        messages: The session's history after the turn, in the host's own form.
    """

    reply: str | None
    tool_calls: tuple[TurnToolCall, ...]
    hooks: HookCalls
    completed: bool
    interrupted: bool
    error: str | None
    messages: list[dict[str, Any]]

    @classmethod
    def of(cls, raw: RawTurn) -> Turn:
        """Make a turn of what a host knows about it."""
        return cls(
            reply=raw["reply"],
            tool_calls=_tool_calls(raw["messages"][raw["start"] :]),
            hooks=HookCalls.among(raw["events"]),
            completed=raw["completed"],
            interrupted=raw["interrupted"],
            error=raw["error"],
            messages=raw["messages"],
        )


def _tool_calls(messages: Sequence[Mapping[str, Any]]) -> tuple[TurnToolCall, ...]:
    results = {one.get("tool_call_id"): one.get("content") for one in messages if one.get("role") == "tool"}
    return tuple(
        TurnToolCall(
            call["id"],
            call["function"]["name"],
            _object(call["function"]["arguments"]),
            ToolResult(results.get(call["id"], "")),
        )
        for message in messages
        for call in message.get("tool_calls") or ()
    )


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
