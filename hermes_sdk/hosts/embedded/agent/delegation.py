"""``delegate_task``: sessions that a turn starts for parts of its work (D24)."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent.session import Session
from hermes_sdk.hosts.embedded.agent.workers import Workers

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.turn import Turn

PLATFORM = "subagent"

_MAX_CHILDREN = 3
_MAX_DEPTH = 1
_ROLES = frozenset({"leaf", "orchestrator"})
_KEPT_FROM_CHILDREN = frozenset({"clarify", "cronjob", "execute_code", "memory", "send_message"})
_RAN_AT_ONCE = (
    "background=true is not available in this session — it cannot receive a detached subagent result after the turn"
    " ends (a one-shot runner such as `hermes -z` or a cron job, or a stateless HTTP endpoint). The subagent(s) ran"
    " SYNCHRONOUSLY and the result is included above."
)
_RAN_AT_ONCE_ON_ENDPOINT = (
    "background=true is not available on this endpoint (stateless HTTP API — no channel to deliver a detached subagent"
    " result after the turn ends), so the subagent(s) ran SYNCHRONOUSLY and the result is included above."
)
_DISPATCHED = (
    "Subagent is running in the background. You and the user can keep working; its full result re-enters the"
    " conversation as a new message when it finishes. Do not wait or poll — just continue."
)
_TRANSCRIPTS = (
    "Each subagent streams a human-readable transcript of its operations to the file listed above (append-only, one"
    " per task). Read or `tail -f` these paths at any time to watch a child work while it runs."
)


@dataclass
class Child:
    """A delegated task and the session that works on it.

    Attributes:
        goal: What it is to do.
        role: ``leaf``, or ``orchestrator`` for one that may delegate in turn.
        session: Its session.
        id: The id of the subagent, which is also that of its task.
        transcript: Where its transcript is said to be.
        duration: Seconds that it took.
    """

    goal: str
    role: str
    session: Session
    id: str
    transcript: str
    duration: float = 0.0


def delegate(turn: Turn, args: Mapping[str, Any]) -> str:
    """Answer a call of ``delegate_task``.

    Args:
        turn: The turn that delegates.
        args: The arguments of the call.

    Returns:
        The results when the host runs them within the turn, else the notice that they are on their way: they then run
        when the turn has ended.
    """
    tasks, wrong = _tasks(args, turn.session.runtime.config)
    if wrong:
        return json.dumps({"error": wrong}, ensure_ascii=False)
    group = f"deleg_{uuid.uuid4().hex[:8]}"
    folder = turn.session.runtime.state.home.path / "cache" / "delegation" / "live" / group
    children = [
        _child(turn, task, str(args.get("role") or "leaf"), number, f"{folder}/task-{number}.log")
        for number, task in enumerate(tasks)
    ]
    if turn.session.runtime.state.stateless or not turn.session.runtime.behaviour.delegates_in_background:
        return json.dumps(_worked(turn, children), ensure_ascii=False)
    turn.session.later.append(lambda: _worked(turn, children))
    paths = [child.transcript for child in children]
    told = {"live_transcripts": paths, "live_transcripts_hint": _TRANSCRIPTS} if _has_transcripts(turn) else {}
    notice = {
        "status": "dispatched",
        "mode": "background",
        "count": len(children),
        "delegation_id": group,
        "goals": [child.goal for child in children],
        "note": _DISPATCHED,
        **told,
    }
    return json.dumps(notice, ensure_ascii=False)


def _tasks(args: Mapping[str, Any], config: Mapping[str, Any]) -> tuple[list[Any], str]:
    """The tasks of a call, or what is wrong with them."""
    tasks, goal = args.get("tasks"), args.get("goal")
    most = _setting(config, "max_concurrent_children", _MAX_CHILDREN)
    listed: list[Any] = tasks if isinstance(tasks, list) else []
    if not listed:
        if not isinstance(goal, str) or not goal.strip():
            return [], "Provide either 'goal' (single task) or 'tasks' (batch)."
        listed = [{"goal": goal, "context": args.get("context")}]
    if len(listed) > most:
        return [], (
            f"Too many tasks: {len(listed)} provided, but max_concurrent_children is {most}. Either reduce the task"
            " count, split into multiple delegate_task calls, or increase delegation.max_concurrent_children in"
            " config.yaml."
        )
    for number, task in enumerate(listed):
        if not isinstance(task, dict):
            return [], f"Task {number} must be an object, got {type(task).__name__}."
        if not str(task.get("goal") or "").strip():
            return [], f"Task {number} is missing a 'goal'."
    return listed, ""


def _child(turn: Turn, task: Mapping[str, Any], role: str, number: int, transcript: str) -> Child:
    parent = turn.session
    role = str(task.get("role") or role).lower()
    depth = _setting(parent.runtime.config, "max_spawn_depth", _MAX_DEPTH)
    may_delegate = role == "orchestrator" and parent.depth + 1 < depth
    kept = _KEPT_FROM_CHILDREN if may_delegate else _KEPT_FROM_CHILDREN | {"delegate_task"}
    platform = PLATFORM if parent.runtime.behaviour.subagent_platform else parent.platform
    session = Session(parent.runtime, platform, parent, without=kept)
    session.notes = [f"Your task: {task['goal']}", *([f"Context: {task['context']}"] if task.get("context") else [])]
    child = Child(
        goal=str(task["goal"]),
        role="orchestrator" if may_delegate else "leaf",
        session=session,
        id=f"sa-{number}-{uuid.uuid4().hex[:8]}",
        transcript=transcript,
    )
    parent.runtime.hooks.fire(
        "subagent_start",
        parent_session_id=parent.id,
        parent_turn_id=turn.id,
        parent_subagent_id=turn.task_id if parent.depth else None,
        child_session_id=session.id,
        child_subagent_id=child.id,
        child_role=child.role,
        child_goal=child.goal,
    )
    return child


def _worked(turn: Turn, children: list[Child]) -> dict[str, Any]:
    """Let the children work, one after another, each on a thread of its own, and report on all of them."""
    started = time.monotonic()
    with Workers(1) as workers:
        results = [_result(turn, number, child, workers) for number, child in enumerate(children)]
    if memory := turn.session.memory:
        for child, result in zip(children, results, strict=True):
            memory.delegated(child.goal, result["summary"] or "", child.session.id)
    for child, result in zip(children, results, strict=True):
        turn.session.runtime.hooks.fire(
            "subagent_stop",
            parent_session_id=turn.session.id,
            parent_turn_id=turn.id,
            child_session_id=child.session.id,
            child_role=child.role,
            child_summary=result["summary"],
            child_status=result["status"],
            duration_ms=int(child.duration * 1000),
        )
    report: dict[str, Any] = {
        "results": results,
        "total_duration_seconds": round(time.monotonic() - started, 2),
    }
    if _has_transcripts(turn):
        report["live_transcripts"] = [child.transcript for child in children]
        report["note"] = _RAN_AT_ONCE
    elif turn.session.runtime.behaviour.delegates_in_background:
        report["note"] = _RAN_AT_ONCE_ON_ENDPOINT
    return report


def _result(turn: Turn, number: int, child: Child, workers: Workers) -> dict[str, Any]:
    started = time.monotonic()
    done = workers.submit(child.session.chat, child.goal, child.id).result()
    child.duration = time.monotonic() - started
    session = child.session
    told = {"live_transcript": child.transcript} if _has_transcripts(turn) else {}
    return {
        "task_index": number,
        "status": "completed",
        "summary": done["reply"],
        "api_calls": session.requests,
        "duration_seconds": round(child.duration, 2),
        "model": session.runtime.model_name,
        "exit_reason": "completed" if done["completed"] else "max_iterations",
        "tokens": dict(session.tokens),
        "tool_trace": _tool_trace(done["messages"]),
        **told,
    }


def _tool_trace(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    results = {one["tool_call_id"]: str(one["content"]) for one in messages if one["role"] == "tool"}
    return [_traced(call, results.get(call["id"], "")) for one in messages for call in one.get("tool_calls", ())]


def _traced(call: Mapping[str, Any], result: str) -> dict[str, Any]:
    function = call["function"]
    return {
        "tool": function["name"],
        "args_bytes": len(function["arguments"]),
        "result_bytes": len(result),
        "status": "error" if "error" in result[:80].lower() else "ok",
    }


def _has_transcripts(turn: Turn) -> bool:
    return turn.session.runtime.behaviour.delegation_transcripts


def _setting(config: Mapping[str, Any], key: str, default: int) -> int:
    section = config.get("delegation")
    value = section.get(key) if isinstance(section, Mapping) else None
    return value if isinstance(value, int) and value > 0 else default
