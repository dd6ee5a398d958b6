"""Hooks for events in chats and shared rooms other than messages: commands, events of platforms, stops."""

from typing import Any, Protocol, Unpack

from hermes_sdk.api.base import OpenArguments
from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "AgentLoopStoppedArguments",
    "AgentLoopStoppedCallback",
    "GatewayPlatformEventArguments",
    "GatewayPlatformEventCallback",
    "OnRoomMemberActivityArguments",
    "OnRoomMemberActivityCallback",
    "PreCommandArguments",
    "PreCommandCallback",
]


class PreCommandArguments(HookArguments):
    """Before a slash command of the host or of a plugin runs. Since 0.20.1.

    Not fired for the commands that the gateway answers while an agent is running.

    Attributes:
        surface: ``cli`` or ``gateway``.
        command: Canonical name of the command, without the slash.
        alias_used: The name that the user typed.
        args_raw: The text after the name.
        session_key: Identifies the chat, or None.
        platform: The gateway's platform, or None.
    """

    surface: str
    command: str
    alias_used: str
    args_raw: str
    session_key: str | None
    platform: str | None


class PreCommandCallback(Protocol):
    """A callback of ``pre_command``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[PreCommandArguments]) -> None: ...


class GatewayPlatformEventArguments(OpenArguments):
    """When a platform reports something that is not a message, from an authorised user. Since 0.20.1.

    Attributes:
        platform: Such as ``telegram``.
        event_type: Name of the event, which the platform's adapter defines.
        payload: Details of the event, which differ between platforms.
    """

    platform: str
    event_type: str
    payload: dict[str, Any]


class GatewayPlatformEventCallback(Protocol):
    """A callback of ``gateway_platform_event``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[GatewayPlatformEventArguments]) -> None: ...


class AgentLoopStoppedArguments(HookArguments):
    """When a user stops a running turn with ``/stop`` or ``/new``. Since 0.21.3.

    Attributes:
        session_key: Identifies the chat.
        platform: The gateway's platform, or ``tui``.
        reason: Why the turn was interrupted, such as ``user_stop``.
        invalidation_reason: Why the turn's results are discarded, such as ``session_interrupt``.
    """

    session_key: str
    platform: str
    reason: str
    invalidation_reason: str


class AgentLoopStoppedCallback(Protocol):
    """A callback of ``agent_loop_stopped``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[AgentLoopStoppedArguments]) -> None: ...


class OnRoomMemberActivityArguments(HookArguments):
    """While an agent works for a shared room: tool calls, text and questions. Since 0.21.3.

    Attributes:
        room_id: Identifies the room, or None.
        thread_id: Identifies the thread, or None.
        member_id: The member that the agent is, or None.
        turn_id: Identifies the turn, or None.
        task_id: The room's task, or None.
        execution_generation: Which attempt at the task this is, or None.
        kind: Kind of event, such as ``tool.started``, ``message.delta`` or ``request.opened``.
        seq: The number of the event, or None.
        payload: Details of the event.
    """

    room_id: str | None
    thread_id: str | None
    member_id: str | None
    turn_id: str | None
    task_id: str | None
    execution_generation: int | None
    kind: str
    seq: int | None
    payload: dict[str, Any]


class OnRoomMemberActivityCallback(Protocol):
    """A callback of ``on_room_member_activity``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnRoomMemberActivityArguments]) -> None: ...
