"""Hooks at the start and the end of sessions, turns and subagents. They only observe."""

from typing import Any, NotRequired, Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "OnSessionEndArguments",
    "OnSessionEndCallback",
    "OnSessionFinalizeArguments",
    "OnSessionFinalizeCallback",
    "OnSessionResetArguments",
    "OnSessionResetCallback",
    "OnSessionStartArguments",
    "OnSessionStartCallback",
    "SubagentStartArguments",
    "SubagentStartCallback",
    "SubagentStopArguments",
    "SubagentStopCallback",
]


class OnSessionStartArguments(HookArguments):
    """When the system prompt is built: at the first turn of a session, and on a resume with another model.

    Attributes:
        session_id: Identifies the session.
        model: The model's name.
        platform: ``cli``, the gateway's platform, or ``subagent``.
    """

    session_id: str
    model: str
    platform: str


class OnSessionStartCallback(Protocol):
    """A callback of ``on_session_start``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnSessionStartArguments]) -> None: ...


class OnSessionEndArguments(HookArguments):
    """At the end of every turn, not of the session; not after a permanent failure of the provider.

    Attributes:
        session_id: Identifies the session.
        completed: Whether the turn was completed.
        interrupted: Whether the user interrupted it.
        model: The model's name.
        platform: ``cli``, the gateway's platform, or ``subagent``.
        task_id: Identifies the run; absent if the process exits during a turn. Since 0.16.0.
        turn_id: Identifies the turn; absent like ``task_id``. Since 0.16.0.
        api_request_id: The interrupted request, in a one-shot run only. Since 0.16.0.
        reason: Why a turn ended early: ``keyboard_interrupt`` or ``shutdown``. Since 0.16.0.
        failed: Whether the turn failed; absent like ``task_id``. Since 0.19.1.
        turn_exit_reason: Why the turn ended, for diagnosis; absent like ``task_id``. Since 0.19.1.
    """

    session_id: str
    completed: bool
    interrupted: bool
    model: str
    platform: str
    task_id: NotRequired[str]
    turn_id: NotRequired[str]
    api_request_id: NotRequired[str]
    reason: NotRequired[str]
    failed: NotRequired[bool]
    turn_exit_reason: NotRequired[str]


class OnSessionEndCallback(Protocol):
    """A callback of ``on_session_end``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnSessionEndArguments]) -> None: ...


class _SessionBoundaryArguments(HookArguments):
    """Arguments that the hooks at the boundary of a session share.

    Attributes:
        session_id: Identifies the session; None if there was none yet.
        platform: ``cli``, ``tui`` or the gateway's platform; ``gateway`` at the gateway's shutdown.
        reason: ``shutdown``, ``session_boundary``, ``new_session`` or ``session_expired``. Since 0.16.0.
        old_session_id: The session left behind; gateway only. Since 0.16.0.
        new_session_id: The session that follows; gateway only. Since 0.16.0.
    """

    session_id: str | None
    platform: str
    reason: NotRequired[str]
    old_session_id: NotRequired[str | None]
    new_session_id: NotRequired[str | None]


class OnSessionFinalizeArguments(_SessionBoundaryArguments):
    """At the real end of a session: exit, ``/new``, expiry, or the gateway's shutdown. Never for subagents."""


class OnSessionFinalizeCallback(Protocol):
    """A callback of ``on_session_finalize``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnSessionFinalizeArguments]) -> None: ...


class OnSessionResetArguments(_SessionBoundaryArguments):
    """After ``/new``, for the new session. The terminal interface fires it at every start of a session."""


class OnSessionResetCallback(Protocol):
    """A callback of ``on_session_reset``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnSessionResetArguments]) -> None: ...


class SubagentStartArguments(HookArguments):
    """After a subagent was created, before it runs. Since 0.16.0.

    Attributes:
        parent_session_id: The session that delegates.
        parent_turn_id: The turn that delegates.
        parent_subagent_id: The subagent that delegates; None at the top level.
        child_session_id: The subagent's session.
        child_subagent_id: Identifies the subagent.
        child_role: ``leaf`` or ``orchestrator``.
        child_goal: Its task.
    """

    parent_session_id: str
    parent_turn_id: str
    parent_subagent_id: str | None
    child_session_id: str
    child_subagent_id: str
    child_role: str
    child_goal: str


class SubagentStartCallback(Protocol):
    """A callback of ``subagent_start``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[SubagentStartArguments]) -> None: ...


class SubagentStopArguments(HookArguments):
    """After a subagent finished. A one-shot run can end before background delegation fires it.

    Attributes:
        parent_session_id: The session that delegates.
        parent_turn_id: The turn that delegates. Since 0.16.0.
        child_session_id: The subagent's session. Since 0.16.0.
        child_role: ``leaf`` or ``orchestrator``.
        child_summary: Its report.
        child_status: ``completed``, ``failed``, ``interrupted``, ``error`` or ``timeout``.
        duration_ms: Run time, in whole milliseconds.
        tool_call_history: The subagent's tool calls: ``tool_name``, ``tool_input`` (shortened), ``input_bytes``,
            ``output_bytes`` and ``status``. Since 0.19.1.
    """

    parent_session_id: str
    parent_turn_id: str
    child_session_id: str | None
    child_role: str | None
    child_summary: str | None
    child_status: str
    duration_ms: int
    tool_call_history: list[dict[str, Any]]


class SubagentStopCallback(Protocol):
    """A callback of ``subagent_stop``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[SubagentStopArguments]) -> None: ...
