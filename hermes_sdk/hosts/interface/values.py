"""The values that a host takes and returns, besides its log and its report of a plugin."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.interface.errors import REFUSAL

ALLOW_ALL = {"GATEWAY_ALLOW_ALL_USERS": "true"}
"""The variable that lets everybody write: where no list of allowed users is set, which it does not overrule."""

ChatKind = Literal["dm", "group", "channel", "thread"]

OnSwallowed = Callable[[str, BaseException], None]
"""Called with a place such as ``hook post_tool_call`` and the exception whenever a host hides one of a plugin."""


@dataclass(frozen=True)
class ToolResult:
    """Result of a tool call, as the model receives it.

    Attributes:
        value: The result as the host passes it on: text, or the mapping of a multimodal result.
    """

    value: Any

    @property
    def text(self) -> str:
        """The result as text: as JSON if it is not a string."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, default=repr)

    @property
    def json(self) -> Any:
        """The parsed JSON result; raises ValueError if it is not valid JSON."""
        return parse_json(self.text)

    @property
    def error(self) -> str | None:
        """The text in ``error`` if the result is an object that has one, otherwise None."""
        try:
            parsed = self.json
        except ValueError:
            return None
        found = parsed.get("error") if isinstance(parsed, dict) else None
        return str(found) if found else None

    @property
    def status(self) -> Literal["ok", "error"]:
        """``error`` if the host's rule sees an error in the result, otherwise ``ok``."""
        return "error" if self.error else "ok"


@dataclass(frozen=True)
class CliResult:
    """The result of ``hermes <command>``."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Swallowed:
    """A plugin's exception that the host swallowed.

    Attributes:
        where: What was running, such as ``hook post_tool_call`` or ``tool calculate``.
        error: The exception as ``Type: message``.
        traceback: Its traceback, as Python prints it.
    """

    where: str
    error: str
    traceback: str

    def matches(self, pattern: str) -> bool:
        """Return whether ``where: Type: message`` matches a regular expression anywhere."""
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
        return f"{REFUSAL}{self.what}" + (f" ({self.where})." if self.where else ".")

    def matches(self, pattern: str) -> bool:
        """Return whether a regular expression is found in the text of this object."""
        return re.search(pattern, str(self)) is not None


class RawTurn(TypedDict):
    """Facts of a turn, in values that JSON can carry.

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
    """A tool call of the model in a turn.

    Attributes:
        id: The model's id of the call.
        name: The tool.
        args: The arguments as the model sent them; ``{}`` if they were not a JSON object.
        result: What the model received.
    """

    id: str
    name: str
    args: dict[str, Any]
    result: ToolResult


@dataclass(frozen=True)
class HookCall:
    """A call of a plugin's hook callback.

    Attributes:
        name: The hook's name.
        arguments: Its keyword arguments before the callback ran, as JSON values.
        returned: The return value, as a JSON value; None if the callback raised.
    """

    name: str
    arguments: dict[str, Any]
    returned: Any


class HookCalls(tuple[HookCall, ...]):
    """Hook calls, in order."""

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
        """Return the calls of one hook."""
        return [one for one in self if one.name == name]


@dataclass(frozen=True)
class Turn:
    """One turn of a session.

    Attributes:
        reply: The text that the user gets, or None.
        tool_calls: The model's tool calls, in order.
        hooks: The hook calls, in order.
        completed: Whether the model ended the turn by itself.
        interrupted: Whether it was stopped from outside.
        error: Why it failed, or None.
        messages: The session's history after the turn, in the host's form.
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
        """Create a turn from a host's raw data."""
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


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that the gateway passed to an adapter's ``send``.

    Attributes:
        platform: The name of the adapter's platform.
        chat_id: The platform's id of the chat.
        text: The text.
        reply_to: The id of the message that it answers, or None.
        metadata: The gateway's metadata, or None.
        success: ``SendResult.success``; False if ``send`` raised.
        message_id: The adapter's id of the message, or None.
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


@dataclass
class Observed:
    """Messages of a recorded command, in memory.

    Attributes:
        status: Its exit status; 128 and the number of the signal that ended it.
        about: What the host says of itself: ``host`` with its ``release``, ``home``, ``cwd``, ``plugins``, ``bundled``
            (the keys and names of its own plugins) and ``config``, the text of ``config.yaml`` at its start;
            ``toolsets`` by platform; ``typed``, the names of the host's own commands that were typed in a terminal.
            Empty when it loaded no plugins.
        events: What was recorded, in the order in which it began, as in `Recording.events`. Those of the kind
            ``message`` also have ``key``, the session of the message, ``busy``, the sessions that were busy when it
            arrived, and whether the session was ``continued`` and the user ``paired``; ``beyond`` among their arguments
            lists what a scenario cannot say of them.
        problems: What could not be recorded.
    """

    status: int = 0
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    problems: list[str] = field(default_factory=list[str])
