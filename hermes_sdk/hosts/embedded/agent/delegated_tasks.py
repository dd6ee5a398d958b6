"""Arguments of ``delegate_task``, and the tools of a child in its answer (D24)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from hermes_sdk.hosts.embedded.state import HostState

_SHORTEST_GOAL = 10
_PLACEHOLDER = re.compile(r"todo|task\s*\d+")
_MARKER = re.compile(r"<[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)+>|\{[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)+\}")
_ADDRESSES = frozenset({"endpoint", "url", "urls"})
_PLACES = _ADDRESSES | {
    "cwd",
    "destination_path",
    "directory",
    "dst",
    "file_path",
    "new_path",
    "old_path",
    "path",
    "source_path",
    "src",
    "target_path",
}
"""Arguments that name what a tool works on."""


def list_tasks(args: Mapping[str, Any], most: int, state: HostState) -> tuple[list[Any], str]:
    """Return the tasks of a call, and an error message that is empty if they are valid.

    Raises:
        NotSupported: The call asks for something that is not modelled.
    """
    checked = state.behaviour.delegation_extended
    for unmodelled in ("action", "output_schema", "images") if checked else ():
        if args.get(unmodelled) not in (None, "spawn"):
            raise state.unsupported(f"model delegate_task with {unmodelled!r}")
    tasks, goal = args.get("tasks"), args.get("goal")
    listed: list[Any] = tasks if isinstance(tasks, list) else []
    if not listed:
        if not isinstance(goal, str) or not goal.strip():
            return [], state.wording("delegate_task.nothing")
        return [{"goal": goal, "context": args.get("context")}], ""
    if len(listed) > most:
        return [], (
            f"Too many tasks: {len(listed)} provided, but max_concurrent_children is {most}. Delegate"
            " fewer tasks or raise the limit."
        )
    for number, task in enumerate(listed):
        if not isinstance(task, dict):
            return [], f"Task {number} must be an object, got {type(task).__name__}."
        if not str(task.get("goal") or "").strip():
            return [], f"Task {number} is missing a 'goal'."
    return listed, _check_goals(listed, state) if checked else ""


def _check_goals(tasks: list[Any], state: HostState) -> str:
    """Return what is wrong with the goals of several tasks; empty if nothing is."""
    alone = len(tasks) < 2
    if alone and not state.behaviour.failed_children_told:
        return "Batch mode requires at least 2 tasks. Pass a single task as `goal`."
    for number, task in enumerate(tasks):
        goal = str(task["goal"]).strip()
        if _PLACEHOLDER.fullmatch(" ".join(goal.lower().split())):
            return f"Task {number} has a placeholder goal ({goal!r}). Say what the subagent is to do."
        if marker := _MARKER.search(goal):
            return f"Task {number} goal contains an unexpanded template marker ({marker[0]!r}). Fill in its value."
        if len(goal) < _SHORTEST_GOAL and not alone:
            return f"Task {number} goal is too short ({goal!r}). Describe the goal in more words."
    return ""


def trace_tools(messages: list[dict[str, Any]], *, detailed: bool) -> list[dict[str, Any]]:
    """Describe each tool call in the messages of a child; by release with the names of its arguments."""
    results = {one["tool_call_id"]: str(one["content"]) for one in messages if one["role"] == "tool"}
    calls = [call for one in messages for call in one.get("tool_calls", ())]
    return [_trace_call(call, results.get(call["id"], ""), detailed) for call in calls]


def _trace_call(call: Mapping[str, Any], result: str, detailed: bool) -> dict[str, Any]:
    function = call["function"]
    return {
        "tool": function["name"],
        "args_bytes": len(function["arguments"]),
        **({"input_summary": _summarise(function["arguments"])} if detailed else {}),
        "result_bytes": len(result),
        "status": "error" if _tells_error(result) else "ok",
    }


def _summarise(arguments: str) -> dict[str, Any]:
    try:
        parsed = json.loads(arguments)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        return {"argument_keys": [], "targets": {}}
    places = {name.lower(): _shorten(name.lower(), value) for name, value in parsed.items() if name.lower() in _PLACES}
    return {
        "argument_keys": sorted(name[:128] for name in parsed)[:64],
        "targets": {name: place for name, place in places.items() if place is not None},
    }


def _shorten(name: str, value: Any) -> Any:
    """Shorten what an argument names; an address loses its user, its query and its fragment."""
    if isinstance(value, list):
        return [one for one in (_shorten(name, one) for one in value[:16]) if one is not None] or None
    if not isinstance(value, str) or not value:
        return None
    short = value[:1024]
    if name not in _ADDRESSES:
        return short
    try:
        address = urlsplit(short)
        if not address.scheme or not address.netloc:
            return short
        port = "" if address.port is None else f":{address.port}"
    except ValueError:
        return None
    if not address.hostname:
        return None
    host = f"[{address.hostname}]" if ":" in address.hostname else address.hostname
    return urlunsplit((address.scheme, host + port, address.path, "", ""))


def _tells_error(result: str) -> bool:
    """Return whether the host takes a result for an error."""
    if result.lstrip().startswith("{"):
        try:
            parsed = json.loads(result)
        except ValueError:
            parsed = {}
        failures = {"error", "failed", "failure", "timeout"}
        if parsed.get("error") or str(parsed.get("status") or "").strip().lower() in failures:
            return True
    first = next(iter(result.splitlines()), "").strip().lower()
    return first.startswith(("error:", "failed:", "traceback ", "exception:"))


def make_history(trace: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tell hooks of the tools that a child used."""
    return [
        {
            "tool_name": call["tool"],
            "tool_input": call["input_summary"],
            "input_bytes": call["args_bytes"],
            "output_bytes": call["result_bytes"],
            "status": call["status"],
        }
        for call in trace
        if "input_summary" in call
    ]
