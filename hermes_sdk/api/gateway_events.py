"""Events of the gateway, for ``handle(event_type, context)`` in ``handler.py`` beside a ``HOOK.yaml``.

The host calls the function, or awaits it, on the event loop of the gateway for each event that ``HOOK.yaml`` lists by
its full name or as ``command:*`` (or ``agent:*``, …; with both it is called twice). An exception is printed and
ignored; the return value counts only for ``command:…``.
"""

from collections.abc import Awaitable
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from hermes_sdk.api.base import UncheckedMapping

__all__ = [
    "AgentEndContext",
    "AgentStartContext",
    "AgentStepContext",
    "AllowCommand",
    "CommandContext",
    "CommandDecision",
    "DenyCommand",
    "GatewayEventContext",
    "GatewayEventHandler",
    "GatewayEventName",
    "GatewayStartupContext",
    "HandleCommand",
    "RewriteCommand",
    "SessionCompressContext",
    "SessionEndContext",
    "SessionResetContext",
    "SessionStartContext",
]

GatewayEventName = Literal[
    "agent:end",
    "agent:start",
    "agent:step",
    "gateway:startup",
    "session:compress",
    "session:end",
    "session:reset",
    "session:start",
]
"""The events of the gateway, besides ``command:<name>``. Another name is accepted in silence and never fired."""


class GatewayStartupContext(TypedDict):
    """``gateway:startup``: the gateway runs.

    Attributes:
        platforms: The platforms that it connects.
    """

    platforms: list[str]


class SessionStartContext(TypedDict):
    """``session:start``: the first message of a session.

    Attributes:
        platform: The name of the platform, such as ``telegram``.
        user_id: The platform's id of the sender.
        session_id: Identifies the session.
        session_key: Identifies the chat, with its platform and type.
    """

    platform: str
    user_id: str | None
    session_id: str
    session_key: str


class _SessionContext(TypedDict):
    """What the end of a session and the new beginning share.

    Attributes:
        platform: The name of the platform, such as ``telegram``.
        user_id: The platform's id of the sender.
        session_key: Identifies the chat, with its platform and type.
    """

    platform: str
    user_id: str | None
    session_key: str


class SessionEndContext(_SessionContext):
    """``session:end``: ``/new`` or ``/reset`` ends a session."""


class SessionResetContext(_SessionContext):
    """``session:reset``: another session begins after ``/new`` or ``/reset``."""


class AgentStartContext(TypedDict):
    """``agent:start``: the agent begins to work on a message.

    Attributes:
        platform: The name of the platform, such as ``telegram``.
        user_id: The platform's id of the sender.
        chat_id: The platform's id of the chat, or empty.
        thread_id: The platform's id of the thread in it, or empty. Since 0.17.0.
        chat_type: Such as ``dm`` or ``group``, or empty. Since 0.17.0.
        session_id: Identifies the session.
        message: The first 500 characters of the message.
    """

    platform: str
    user_id: str | None
    chat_id: str
    thread_id: str
    chat_type: str
    session_id: str
    message: str


class AgentEndContext(AgentStartContext):
    """``agent:end``: the agent has answered.

    Attributes:
        response: The first 500 characters of the answer.
        model: The model's name. Since 0.20.1.
        provider: The provider's name. Since 0.20.1.
    """

    response: str
    model: str
    provider: str


class AgentStepContext(TypedDict):
    """``agent:step``: a request to the model begins.

    Attributes:
        platform: The name of the platform, such as ``telegram``.
        user_id: The platform's id of the sender.
        session_id: Identifies the session.
        iteration: The number of the request within the turn, from 1.
        tool_names: The tools that ran since the previous request; empty at first.
        tools: The same with ``name``, ``result`` and ``arguments``.
    """

    platform: str
    user_id: str | None
    session_id: str
    iteration: int
    tool_names: list[str]
    tools: list[Any]


class SessionCompressContext(TypedDict):
    """``session:compress``: a conversation was shortened. Since 0.17.0.

    Attributes:
        platform: The name of the platform, such as ``telegram``, or empty.
        session_id: Identifies the session from now on.
        old_session_id: Identified it before; empty when it stays the same.
        in_place: Whether it stays the same. Since 0.18.0.
        compression_count: How often it was shortened.
        runtime: ``codex_app_server`` where that did it. Since 0.18.1.
        thread_id: The platform's id of the thread there. Since 0.18.1.
        turn_id: The turn there. Since 0.18.1.
    """

    platform: str
    session_id: str
    old_session_id: str
    in_place: bool
    compression_count: int
    runtime: NotRequired[str]
    thread_id: NotRequired[str | None]
    turn_id: NotRequired[str | None]


class CommandContext(TypedDict):
    """``command:<name>``: a user sent a slash command of the host or of a plugin.

    Not fired for ``/new``, ``/stop`` and ``/reset`` while the agent of the chat is running.

    Attributes:
        platform: The name of the platform, such as ``telegram``, or empty.
        user_id: The platform's id of the sender.
        command: The command's own name.
        raw_command: The name as it was typed, which may be an alias.
        args: What follows it.
        raw_args: The same.
    """

    platform: str
    user_id: str | None
    command: str
    raw_command: str
    args: str
    raw_args: str


GatewayEventContext = (
    GatewayStartupContext
    | SessionStartContext
    | SessionEndContext
    | SessionResetContext
    | AgentStartContext
    | AgentEndContext
    | AgentStepContext
    | SessionCompressContext
    | CommandContext
)
"""The context of an event; the event's name tells which one."""


class DenyCommand(TypedDict):
    """Do not run the command.

    Attributes:
        decision: Always ``deny``.
        message: What the sender reads; by default that a hook blocked it.
    """

    decision: Literal["deny"]
    message: NotRequired[str]


class HandleCommand(TypedDict):
    """Do not run the command, because the handler has done it.

    Attributes:
        decision: Always ``handled``.
        message: What the sender reads; by default nothing.
    """

    decision: Literal["handled"]
    message: NotRequired[str]


class RewriteCommand(TypedDict):
    """Run another command instead, for which no further event is fired.

    Attributes:
        decision: Always ``rewrite``.
        command_name: The other command; without it the decision does not count.
        raw_args: What follows it.
    """

    decision: Literal["rewrite"]
    command_name: str
    raw_args: NotRequired[str]


class AllowCommand(TypedDict):
    """Leave it to the other handlers, as None does.

    Attributes:
        decision: Always ``allow``.
    """

    decision: Literal["allow"]


CommandDecision = DenyCommand | HandleCommand | RewriteCommand | AllowCommand
"""What a handler of ``command:…`` may return; the first that is not ``allow`` counts."""

_Result = CommandDecision | UncheckedMapping | None


class GatewayEventHandler(Protocol):
    """The function ``handle``, which may be a coroutine function.

    Annotate its second parameter with the context of the event, or with `GatewayEventContext` when it handles several.
    """

    def __call__(self, event_type: str, context: Any, /) -> _Result | Awaitable[_Result]: ...
