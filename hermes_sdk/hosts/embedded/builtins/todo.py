"""``todo``: the task list of a session."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, array, boolean, record, refuse, string, tool

STATUSES = ("pending", "in_progress", "completed", "cancelled")
MAX_ITEMS = 256
MAX_CONTENT = 4000
TRUNCATION_MARK = "… [truncated]"
STATE = "todo"
REVISION = "todo revision"

Item = dict[str, str]

_TODOS = array(
    record(
        id=string("What the task is called by.", required=True),
        content=string("What is to be done.", required=True),
        status=string("How far it is.", enum=list(STATUSES), required=True),
        parent=string("The task that it is a part of."),
    ),
    "The tasks to write.",
)
_MERGE = boolean("Whether to change and add tasks instead of replacing the list.", default=False)


@tool(
    "Keep the list of tasks of this session: write todos to change it, leave them out to read it.",
    todos=_TODOS,
    merge=_MERGE,
)
def todo(args: dict[str, Any], context: ToolContext) -> str:
    """Read or write the list, and return it."""
    return _update_list(args, context)


@tool(
    "Keep the list of tasks of this session: write todos to change it, leave them out to read it.",
    todos=_TODOS,
    merge=_MERGE,
)
def todo_list(args: dict[str, Any], context: ToolContext) -> str:
    """Read or write the list, like `todo`, and reject tasks without content."""
    return _update_list(args, context, checks=True)


def _update_list(args: dict[str, Any], context: ToolContext, *, checks: bool = False) -> str:
    if not context.session_id:
        return refuse("TodoStore not initialized")
    todos: Any = args.get("todos")
    if checks and todos is not None and not isinstance(todos, list):
        todos = _convert_to_list(todos)
    if isinstance(todos, str):
        try:
            todos = json.loads(todos)
        except ValueError:
            return refuse("todos must be a list of objects, got unparseable string")
    if todos is not None and not isinstance(todos, list):
        return refuse(f"todos must be a list, got {type(todos).__name__}")
    items: list[Item] = context.session_state.setdefault(STATE, [])
    before = [item.copy() for item in items]
    if checks and todos is not None and (fault := _find_fault(items, todos, bool(args.get("merge")), context)):
        return refuse(fault)
    if todos is not None:
        latest = _drop_repeated_ids(todos)
        changed = _merge(items, latest) if args.get("merge", False) else [_make_item(new) for new in latest]
        items[:] = (_put_active_first(changed) if context.behaviour.active_task_first else changed)[:MAX_ITEMS]
    revision = context.session_state.get(REVISION, 0) + (items != before)
    context.session_state[REVISION] = revision
    summary = {status: sum(item["status"] == status for item in items) for status in STATUSES}
    fields = {"revision": revision} if context.behaviour.tasks_revised else {}
    return answer(todos=items, **fields, summary={"total": len(items), **summary})


def _convert_to_list(todos: Any) -> list[Any]:
    """Convert a value that is not a list to a list."""
    with contextlib.suppress(TypeError, ValueError):
        parsed = json.loads(todos)
        if isinstance(parsed, list):
            return parsed
    return [todos]


def _find_fault(items: list[Item], todos: Sequence[Any], merge: bool, context: ToolContext) -> str | None:
    """Return an error message about the tasks, or None; a new task needs content.

    Raises:
        NotSupported: A task is part of another task.
    """
    known = {item["id"] for item in items} if merge else set()
    for new in filter(lambda new: isinstance(new, dict), _drop_repeated_ids(todos)):
        name = str(new.get("id", "")).strip()
        if new.get("parent"):
            raise context.state.unsupported("keep tasks that are parts of other tasks ('parent')")
        if not str(new.get("content", "")).strip() and name not in known and (name or not merge):
            return f"Todo item '{name or '?'}' has empty or missing content. Describe it."
    return None


def _put_active_first(items: list[Item]) -> list[Item]:
    """Move the first task in progress before the first pending task."""
    statuses = [item["status"] for item in items]
    if "in_progress" not in statuses or "pending" not in statuses:
        return items
    active, pending = statuses.index("in_progress"), statuses.index("pending")
    if active < pending:
        return items
    return [*items[:pending], items[active], *items[pending:active], *items[active + 1 :]]


def _merge(items: list[Item], todos: Sequence[Any]) -> list[Item]:
    """Update the items with known ids, and append the others."""
    by_id = {item["id"]: item for item in items}
    for new in filter(lambda new: isinstance(new, dict), todos):
        name = str(new.get("id", "")).strip()
        known = by_id.get(name)
        if known is None:
            if name:
                by_id[name] = _make_item(new)
            continue
        if new.get("content"):
            known["content"] = _truncate(str(new["content"]).strip())
        status = str(new.get("status") or "").strip().lower()
        if status in STATUSES:
            known["status"] = status
    return list(by_id.values())


def _drop_repeated_ids(todos: Sequence[Any]) -> list[Any]:
    last: dict[Any, int] = {}
    for index, new in enumerate(todos):
        key = str(new.get("id", "")).strip() or "?" if isinstance(new, dict) else index
        last[key] = index
    return [todos[index] for index in sorted(last.values())]


def _make_item(new: Any) -> Item:
    if not isinstance(new, dict):
        return {"id": "?", "content": "(invalid item)", "status": "pending"}
    content = str(new.get("content", "")).strip()
    status = str(new.get("status", "pending")).strip().lower()
    return {
        "id": str(new.get("id", "")).strip() or "?",
        "content": _truncate(content) or "(no description)",
        "status": status if status in STATUSES else "pending",
    }


def _truncate(content: str) -> str:
    if len(content) <= MAX_CONTENT:
        return content
    return content[: MAX_CONTENT - len(TRUNCATION_MARK)] + TRUNCATION_MARK
