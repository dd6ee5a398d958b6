"""Arguments and return values of hosts, except log records and reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from hermes_sdk.documents import parse_json
from hermes_sdk.hosts.interface.errors import REFUSAL

ALLOW_ALL = {"GATEWAY_ALLOW_ALL_USERS": "true"}
"""The variable that allows all users to write, unless a list of allowed users is set, which takes precedence."""

ChatKind = Literal["dm", "group", "channel", "thread"]

OnSwallowed = Callable[[str, BaseException], None]
"""Called with the place, such as ``hook post_tool_call``, and a plugin's exception that the host swallows."""


@dataclass(frozen=True)
class ToolResult:
    """Result of a tool call, as the model receives it.

    Attributes:
        value: The host's result: text, or the mapping of a multimodal result.
    """

    value: Any

    @property
    def text(self) -> str:
        """The result as text, or as JSON if it is not a string."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, default=repr)

    @property
    def json(self) -> Any:
        """The parsed result; raises ValueError if it is not JSON."""
        return parse_json(self.text)

    @property
    def error(self) -> str | None:
        """The text of ``error`` in a JSON object, otherwise None."""
        try:
            parsed = self.json
        except ValueError:
            return None
        error = parsed.get("error") if isinstance(parsed, dict) else None
        return str(error) if error else None

    @property
    def status(self) -> Literal["ok", "error"]:
        """``error`` by the host's rule, otherwise ``ok``."""
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
        where: The running callback, such as ``hook post_tool_call`` or ``tool calculate``.
        error: The exception as ``Type: message``.
        traceback: The formatted traceback.
    """

    where: str
    error: str
    traceback: str

    def matches(self, pattern: str) -> bool:
        """Return whether a regular expression matches anywhere in ``where: Type: message``."""
        return re.search(pattern, f"{self.where}: {self.error}") is not None


@dataclass(frozen=True)
class Unsupported:
    """Use of a feature that the embedded host does not model.

    Attributes:
        what: A verb phrase such as ``model gateway.session_context``.
        where: The plugin's line that used it as ``file:line``; empty if no plugin code was running.
        fix: An alternative to running on the real host; empty if there is none.
    """

    what: str
    where: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{REFUSAL}{self.what}" + (f" ({self.where})." if self.where else ".")

    def matches(self, pattern: str) -> bool:
        """Return whether a regular expression matches anywhere in the text of this object."""
        return re.search(pattern, str(self)) is not None


class RawTurn(TypedDict):
    """Data of a turn, as JSON values.

    Attributes:
        reply: The reply to the user.
        completed: Whether the model ended the turn.
        interrupted: Whether the turn was interrupted.
        error: The reason for a failure, or None.
        messages: The history after the turn, in the host's format.
        start: The number of messages before the turn.
        events: The recorded events of the turn; see `recording.Recording`.
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
        args: The arguments as the model sent them; ``{}`` without a JSON object.
        result: The result as the model received it.
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
        arguments: The keyword arguments before the callback ran, as JSON values.
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
        """Return the hook calls among recorded events."""
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
        reply: The reply to the user, or None.
        tool_calls: The model's tool calls, in order.
        hooks: The hook calls, in order.
        completed: Whether the model ended the turn.
        interrupted: Whether the turn was interrupted.
        error: The reason for a failure, or None.
        messages: The history after the turn, in the host's format.
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
            tool_calls=_collect_tool_calls(raw["messages"][raw["start"] :]),
            hooks=HookCalls.among(raw["events"]),
            completed=raw["completed"],
            interrupted=raw["interrupted"],
            error=raw["error"],
            messages=raw["messages"],
        )


def _collect_tool_calls(messages: Sequence[Mapping[str, Any]]) -> tuple[TurnToolCall, ...]:
    results = {one.get("tool_call_id"): one.get("content") for one in messages if one.get("role") == "tool"}
    return tuple(
        TurnToolCall(
            call["id"],
            call["function"]["name"],
            _parse_object(call["function"]["arguments"]),
            ToolResult(results.get(call["id"], "")),
        )
        for message in messages
        for call in message.get("tool_calls") or ()
    )


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


class Message(TypedDict, total=False):
    """A message from a user, as JSON values; the adapter's defaults replace empty and missing fields."""

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
        error: The reason for a failure, or None.
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
    """Recording of a command in memory.

    Attributes:
        status: The exit status; 128 plus the signal number if a signal ended the command.
        about: Facts about the host: ``host`` with its ``release``, ``home``, ``cwd``, ``plugins``, ``bundled`` (the
            keys and names of its own plugins) and ``config``, the text of ``config.yaml`` at its start; ``toolsets`` by
            platform; ``typed``, the names of the host's own commands that were typed in a terminal. Empty if the host
            loaded no plugins.
        events: The recorded events, ordered by their start, as in `Recording.events`. Events of the kind ``message``
            also have ``key``, the session of the message, ``busy``, the sessions that were busy when it arrived, and
            ``continued`` and ``paired`` for the session and the user; ``beyond`` among their arguments lists the
            properties that a scenario cannot express.
        problems: Descriptions of events that could not be recorded.
    """

    status: int = 0
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    problems: list[str] = field(default_factory=list[str])
