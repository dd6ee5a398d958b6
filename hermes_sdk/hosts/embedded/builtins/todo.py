"""``todo``: the list of tasks that a session keeps for its model."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, answer, refusal

STATUSES = ("pending", "in_progress", "completed", "cancelled")
MOST_ITEMS = 256
LONGEST_CONTENT = 4000
CUT = "… [truncated]"
STATE = "todo"

Item = dict[str, str]


def _run(args: dict[str, Any], side: Turnside) -> str:
    if not side.session_id:
        return refusal("TodoStore not initialized")
    todos = args.get("todos")
    if isinstance(todos, str):
        try:
            todos = json.loads(todos)
        except ValueError:
            return refusal("todos must be a list of objects, got unparseable string")
    if todos is not None and not isinstance(todos, list):
        return refusal(f"todos must be a list, got {type(todos).__name__}")
    items: list[Item] = side.session_state.setdefault(STATE, [])
    if todos is not None:
        items[:] = (
            _merged(items, todos) if args.get("merge", False) else [_item(todo) for todo in _last_of_each_id(todos)]
        )
        del items[MOST_ITEMS:]
    counts = {status: sum(item["status"] == status for item in items) for status in STATUSES}
    return answer(todos=items, summary={"total": len(items), **counts})


def _merged(items: list[Item], todos: Iterable[Any]) -> list[Item]:
    """Change what is named, and add what is new at the end."""
    by_id = {item["id"]: item for item in items}
    for todo in filter(lambda todo: isinstance(todo, dict), _last_of_each_id(todos)):
        name = str(todo.get("id", "")).strip()
        known = by_id.get(name)
        if known is None:
            if name:
                by_id[name] = _item(todo)
            continue
        if todo.get("content"):
            known["content"] = _cut(str(todo["content"]).strip())
        status = str(todo.get("status") or "").strip().lower()
        if status in STATUSES:
            known["status"] = status
    return list(by_id.values())


def _last_of_each_id(todos: Iterable[Any]) -> list[Any]:
    places: dict[Any, int] = {}
    listed = list(todos)
    for place, todo in enumerate(listed):
        if not isinstance(todo, dict):
            places[place] = place
        else:
            places[str(todo.get("id", "")).strip() or "?"] = place
    return [listed[place] for place in sorted(places.values())]


def _item(todo: Any) -> Item:
    if not isinstance(todo, dict):
        return {"id": "?", "content": "(invalid item)", "status": "pending"}
    content = str(todo.get("content", "")).strip()
    status = str(todo.get("status", "pending")).strip().lower()
    return {
        "id": str(todo.get("id", "")).strip() or "?",
        "content": _cut(content) or "(no description)",
        "status": status if status in STATUSES else "pending",
    }


def _cut(content: str) -> str:
    if len(content) <= LONGEST_CONTENT:
        return content
    return content[: LONGEST_CONTENT - len(CUT)] + CUT


TOOLS = {
    "todo": Builtin(
        "Keep the list of tasks of this session: write todos to change it, leave them out to read it.",
        {
            "type": "object",
            "properties": {
                "todos": {
                    "type": "array",
                    "description": "The tasks to write.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string", "description": "What the task is called by."},
                            "content": {"type": "string", "description": "What is to be done."},
                            "status": {"type": "string", "enum": list(STATUSES), "description": "How far it is."},
                        },
                        "required": ["id", "content", "status"],
                    },
                },
                "merge": {
                    "type": "boolean",
                    "description": "Whether to change and add tasks instead of replacing the list.",
                    "default": False,
                },
            },
            "required": [],
        },
        _run,
    )
}
