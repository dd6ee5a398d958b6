"""Hooks of the kanban board. They only observe."""

from typing import Any, Protocol, Unpack

from hermes_sdk.api.hooks.base import HookArguments

__all__ = [
    "KanbanTaskBlockedArguments",
    "KanbanTaskBlockedCallback",
    "KanbanTaskClaimedArguments",
    "KanbanTaskClaimedCallback",
    "KanbanTaskCompletedArguments",
    "KanbanTaskCompletedCallback",
    "OnKanbanDispatchTickArguments",
    "OnKanbanDispatchTickCallback",
    "OnKanbanTaskUpdatedArguments",
    "OnKanbanTaskUpdatedCallback",
    "OnKanbanWorkerExitedArguments",
    "OnKanbanWorkerExitedCallback",
    "OnKanbanWorkerSpawnedArguments",
    "OnKanbanWorkerSpawnedCallback",
    "OnKanbanWorkerStaleClaimArguments",
    "OnKanbanWorkerStaleClaimCallback",
]


class KanbanTaskClaimedArguments(HookArguments):
    """After a kanban task was claimed. Since 0.18.0.

    Not fired by ``hermes kanban …``, which loads no plugins.

    Attributes:
        task_id: Identifies the kanban task.
        board: Its board, or None.
        assignee: Assignee of the task, or None.
        run_id: The number of the run, or None.
        profile_name: The active profile.
    """

    task_id: str
    board: str | None
    assignee: str | None
    run_id: int | None
    profile_name: str


class KanbanTaskClaimedCallback(Protocol):
    """A callback of ``kanban_task_claimed``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[KanbanTaskClaimedArguments]) -> None: ...


class KanbanTaskCompletedArguments(KanbanTaskClaimedArguments):
    """After a kanban task was completed. Since 0.18.0.

    Attributes:
        summary: Summary of the result, or None.
    """

    summary: str | None


class KanbanTaskCompletedCallback(Protocol):
    """A callback of ``kanban_task_completed``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[KanbanTaskCompletedArguments]) -> None: ...


class KanbanTaskBlockedArguments(KanbanTaskClaimedArguments):
    """After a kanban task was blocked. Since 0.18.0.

    For a task that waits for another one, within the database transaction.

    Attributes:
        reason: Reason for the block, or None.
    """

    reason: str | None


class KanbanTaskBlockedCallback(Protocol):
    """A callback of ``kanban_task_blocked``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[KanbanTaskBlockedArguments]) -> None: ...


class OnKanbanTaskUpdatedArguments(KanbanTaskClaimedArguments):
    """After fields of a kanban task were changed, in the process that changed them. Since 0.20.1.

    Attributes:
        changed_fields: The names of the fields.
    """

    changed_fields: list[str]


class OnKanbanTaskUpdatedCallback(Protocol):
    """A callback of ``on_kanban_task_updated``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnKanbanTaskUpdatedArguments]) -> None: ...


class OnKanbanWorkerSpawnedArguments(KanbanTaskClaimedArguments):
    """After the dispatcher started a worker for a kanban task, while it holds the lock of the board. Since 0.20.1.

    Attributes:
        worker_pid: Process id of the worker, or None.
        workspace_path: Working directory of the worker.
    """

    worker_pid: int | None
    workspace_path: str


class OnKanbanWorkerSpawnedCallback(Protocol):
    """A callback of ``on_kanban_worker_spawned``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnKanbanWorkerSpawnedArguments]) -> None: ...


class OnKanbanWorkerExitedArguments(KanbanTaskClaimedArguments):
    """When the dispatcher finds that the worker of a kanban task is gone. Since 0.20.1.

    Attributes:
        worker_pid: Its former process id, or None.
        exit_kind: How it ended, if known.
        exit_code: Its exit status, or None.
        outcome: ``crashed`` or ``rate_limited``.
        retry_status: The column of the board that the task goes back to.
    """

    worker_pid: int | None
    exit_kind: str
    exit_code: int | None
    outcome: str
    retry_status: str


class OnKanbanWorkerExitedCallback(Protocol):
    """A callback of ``on_kanban_worker_exited``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnKanbanWorkerExitedArguments]) -> None: ...


class OnKanbanWorkerStaleClaimArguments(KanbanTaskClaimedArguments):
    """After the dispatcher reclaimed a kanban task from a worker whose claim expired. Since 0.20.1.

    Attributes:
        worker_pid: Process id of the worker, or None.
        heartbeat_stale: Whether the worker had stopped reporting progress.
        retry_status: The column of the board that the task goes back to.
    """

    worker_pid: int | None
    heartbeat_stale: bool
    retry_status: str


class OnKanbanWorkerStaleClaimCallback(Protocol):
    """A callback of ``on_kanban_worker_stale_claim``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnKanbanWorkerStaleClaimArguments]) -> None: ...


class OnKanbanDispatchTickArguments(HookArguments):
    """After each round of the dispatcher; a gateway with the default configuration runs one. Since 0.20.1.

    Attributes:
        board: The board, or None.
        profile_name: The active profile.
        dry_run: Whether this was a dry run.
        outcome: ``ok``, ``idle``, or ``skipped_locked`` when another dispatcher held the lock.
        result: The host's internal object for the round.
    """

    board: str | None
    profile_name: str
    dry_run: bool
    outcome: str
    result: Any


class OnKanbanDispatchTickCallback(Protocol):
    """A callback of ``on_kanban_dispatch_tick``. Its return value is ignored."""

    def __call__(self, **kwargs: Unpack[OnKanbanDispatchTickArguments]) -> None: ...
