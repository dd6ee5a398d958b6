"""Events of the gateway, for ``handle(event_type, context)`` in ``handler.py`` next to a ``HOOK.yaml``.

The host calls the function, or awaits it, on the event loop of the gateway for each event that ``HOOK.yaml`` lists by
its full name or as ``command:*`` (or ``agent:*``, …; with both it is called twice). An exception is printed and
ignored; the return value is used only for ``command:…``.
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
"""The events of the gateway, besides ``command:<name>``. Other names are silently accepted and never fired."""


class GatewayStartupContext(TypedDict):
    """``gateway:startup``: the gateway runs.

    Attributes:
        platforms: Names of the connected platforms.
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
    """Context of the end and the reset of a session.

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
    """``agent:start``: the agent starts to process a message.

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
        tools: Those tools with ``name``, ``result`` and ``arguments``.
    """

    platform: str
    user_id: str | None
    session_id: str
    iteration: int
    tool_names: list[str]
    tools: list[Any]


class SessionCompressContext(TypedDict):
    """``session:compress``: a conversation was compressed. Since 0.17.0.

    Attributes:
        platform: The name of the platform, such as ``telegram``, or empty.
        session_id: Identifies the session from now on.
        old_session_id: Previous id of the session; empty if the id stays the same.
        in_place: Whether the id stays the same. Since 0.18.0.
        compression_count: Number of compressions of the session.
        runtime: ``codex_app_server`` if that compressed it. Since 0.18.1.
        thread_id: The thread in that runtime. Since 0.18.1.
        turn_id: The turn in that runtime. Since 0.18.1.
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
        args: The text after the command.
        raw_args: Same as ``args``.
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
"""Context of any event; which one depends on the event's name."""


class DenyCommand(TypedDict):
    """Do not run the command.

    Attributes:
        decision: Always ``deny``.
        message: Reply to the sender; by default, that a hook blocked the command.
    """

    decision: Literal["deny"]
    message: NotRequired[str]


class HandleCommand(TypedDict):
    """Do not run the command: the handler has handled it.

    Attributes:
        decision: Always ``handled``.
        message: Reply to the sender; none by default.
    """

    decision: Literal["handled"]
    message: NotRequired[str]


class RewriteCommand(TypedDict):
    """Run another command instead, for which no further event is fired.

    Attributes:
        decision: Always ``rewrite``.
        command_name: Name of the other command; without it, the decision is ignored.
        raw_args: Arguments of the other command.
    """

    decision: Literal["rewrite"]
    command_name: str
    raw_args: NotRequired[str]


class AllowCommand(TypedDict):
    """Leave the decision to the other handlers, like None.

    Attributes:
        decision: Always ``allow``.
    """

    decision: Literal["allow"]


CommandDecision = DenyCommand | HandleCommand | RewriteCommand | AllowCommand
"""Return value of a handler of ``command:…``. The first one other than ``allow`` wins."""

_Result = CommandDecision | UncheckedMapping | None


class GatewayEventHandler(Protocol):
    """The function ``handle``, which may be a coroutine function.

    Annotate its second parameter with the context of the event, or with `GatewayEventContext` when it handles several.
    """

    def __call__(self, event_type: str, context: Any, /) -> _Result | Awaitable[_Result]: ...
