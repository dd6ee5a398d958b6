"""Hooks of the kanban board. They observe."""

from typing import Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments


class KanbanTaskClaimedArguments(HookArguments):
    """After a kanban task was claimed. Since 0.18.0.

    Fired only in a process that has loaded plugins: ``hermes kanban …`` has not.

    Attributes:
        task_id: The kanban task.
        board: Its board, or None.
        assignee: Who works on it, or None.
        run_id: The number of the run, or None.
        profile_name: The active profile.
    """

    task_id: str
    board: str | None
    assignee: str | None
    run_id: int | None
    profile_name: str


class KanbanTaskClaimedCallback(Protocol):
    """A callback of ``kanban_task_claimed``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[KanbanTaskClaimedArguments]) -> None: ...


class KanbanTaskCompletedArguments(KanbanTaskClaimedArguments):
    """After a kanban task was completed. Since 0.18.0.

    Attributes:
        summary: What was done, or None.
    """

    summary: str | None


class KanbanTaskCompletedCallback(Protocol):
    """A callback of ``kanban_task_completed``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[KanbanTaskCompletedArguments]) -> None: ...


class KanbanTaskBlockedArguments(KanbanTaskClaimedArguments):
    """After a kanban task was blocked. Since 0.18.0.

    For a task that waits for another it is fired inside the database transaction that says so.

    Attributes:
        reason: Why, or None.
    """

    reason: str | None


class KanbanTaskBlockedCallback(Protocol):
    """A callback of ``kanban_task_blocked``. Looks on; what it returns is ignored."""

    def __call__(self, **kwargs: Unpack[KanbanTaskBlockedArguments]) -> None: ...
