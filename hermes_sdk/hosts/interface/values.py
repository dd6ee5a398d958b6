"""The values that a host takes and returns, besides its report of a plugin."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from hermes_sdk.documents import parse_json

ALLOW_ALL = {"GATEWAY_ALLOW_ALL_USERS": "true"}
"""The variable that lets everybody write: where no list of allowed users is set, which it does not overrule."""

ChatKind = Literal["dm", "group", "channel", "thread"]

OnSwallowed = Callable[[str, BaseException], None]
"""Called with a place such as ``hook post_tool_call`` and the exception whenever a host hides one of a plugin."""


@dataclass(frozen=True)
class ToolResult:
    """What the model would receive for one tool call.

    Attributes:
        value: The result as the host passes it on: text, or the mapping of a multimodal result.
    """

    value: Any

    @property
    def text(self) -> str:
        """The result as text; a value that is not text is shown as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, default=repr)

    @property
    def json(self) -> Any:
        """The result parsed as JSON; raises ValueError when it is not JSON."""
        return parse_json(self.text)

    @property
    def error(self) -> str | None:
        """The text under ``error`` when the result is an object that reports one, else None."""
        try:
            parsed = self.json
        except ValueError:
            return None
        found = parsed.get("error") if isinstance(parsed, dict) else None
        return str(found) if found else None

    @property
    def status(self) -> Literal["ok", "error"]:
        """``error`` when the result reports an error, by the host's own rule, else ``ok``."""
        return "error" if self.error else "ok"


@dataclass(frozen=True)
class CliResult:
    """How one ``hermes <command>`` ended."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class LogRecord:
    """One record that the host or a plugin logged."""

    level: str
    logger: str
    message: str


@dataclass(frozen=True)
class Swallowed:
    """An exception of the plugin that the host hides from its user.

    Attributes:
        where: What was running, such as ``hook post_tool_call`` or ``tool calculate``.
        error: The exception as ``Type: message``.
        traceback: Its traceback, as Python prints it.
    """

    where: str
    error: str
    traceback: str

    def matches(self, pattern: str) -> bool:
        """Tell whether a regular expression is found in ``where: Type: message``."""
        return re.search(pattern, f"{self.where}: {self.error}") is not None


@dataclass(frozen=True)
class Unsupported:
    """Something that was reached and that the embedded host does not model.

    Attributes:
        what: A verb phrase such as ``model gateway.session_context``.
        where: The line of the plugin that reached it as ``file:line``; empty when no code of a plugin was running.
        fix: What to do instead of running it on the real host; empty for nothing.
    """

    what: str
    where: str
    fix: str = ""

    def __str__(self) -> str:
        return f"The embedded host does not {self.what}" + (f" ({self.where})." if self.where else ".")

    def matches(self, pattern: str) -> bool:
        """Tell whether a regular expression is found in the text of this object."""
        return re.search(pattern, str(self)) is not None


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
        args: The arguments as the model sent them; ``{}`` when they were not a JSON object.
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
        value = parse_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


class Message(TypedDict, total=False):
    """One message that a user writes, in values that JSON can carry; empty or absent is the adapter's default."""

    platform: str
    text: str
    chat_id: str
    chat_name: str
    chat_type: ChatKind
    thread_id: str
    user_id: str
    user_name: str
    message_id: str


@dataclass(frozen=True)
class Sent:
    """One message that the gateway handed to the adapter's ``send``.

    Attributes:
        platform: The platform of the adapter.
        chat_id: Where it went.
        text: What was said.
        reply_to: The message that it answers, or None.
        metadata: What the gateway says about it, or None.
        success: What the adapter said of it: the field of its ``SendResult``, False also when ``send`` raised.
        message_id: The id that the adapter gave it, or None.
        error: Why it failed, or None.
    """

    platform: str
    chat_id: str
    text: str
    reply_to: str | None = None
    metadata: dict[str, Any] | None = None
    success: bool = True
    message_id: str | None = None
    error: str | None = None
