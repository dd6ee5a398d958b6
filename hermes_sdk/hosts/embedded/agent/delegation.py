"""``delegate_task``: child sessions that work on parts of a turn's task (D24)."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.agent.session import Session, TurnIds
from hermes_sdk.hosts.embedded.agent.workers import Workers
from hermes_sdk.hosts.embedded.builtins import BUILTINS
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.interface import RawTurn

_SHORTEST_GOAL = 10
_PLACEHOLDER = re.compile(r"todo|task\s*\d+")
_MARKER = re.compile(r"<[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)+>|\{[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)+\}")
_ADDRESSES = frozenset({"endpoint", "url", "urls"})
_TARGETS = _ADDRESSES | {
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
"""Arguments with the target of a tool call."""
_PLATFORM = "subagent"
_MAX_CHILDREN = 3
_MAX_CHILDREN_MORE = 10
_MAX_DEPTH = 1
_WITHHELD_FROM_CHILDREN = frozenset({"clarify", "cronjob", "cronjob_manage", "execute_code", "memory", "send_message"})
_DISPATCHED = "Subagent is running in the background. Its result arrives as a message when it is done."
_TRANSCRIPTS = "The files above are transcripts that grow while the subagents work."
Chat = Callable[[Session, str, str], RawTurn]
"""Runs a turn of a session, given the user's text and the id of the task."""


def list_tasks(args: Mapping[str, Any], most: int, state: HostState) -> tuple[list[Any], str]:
    """Return the tasks of a call, and an error message that is empty if they are valid.

    Raises:
        NotSupported: The call uses an option that is not modelled.
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
    """Return an error message about the goals of a batch; empty if they are valid."""
    alone = len(tasks) < 2
    if alone and not state.behaviour.failed_children_told:
        return "Batch mode requires at least 2 tasks. Pass a single task as `goal`."
    for number, task in enumerate(tasks):
        goal = str(task["goal"]).strip()
        if _PLACEHOLDER.fullmatch(" ".join(goal.lower().split())):
            return f"Task {number} has a placeholder goal ({goal!r}). Describe what the subagent should do."
        if marker := _MARKER.search(goal):
            return f"Task {number} goal contains an unexpanded template marker ({marker[0]!r}). Fill in its value."
        if len(goal) < _SHORTEST_GOAL and not alone:
            return f"Task {number} goal is too short ({goal!r}). Describe the goal in more words."
    return ""


def trace_tools(messages: list[dict[str, Any]], *, detailed: bool) -> list[dict[str, Any]]:
    """Describe each tool call in the messages of a child; `detailed` adds a summary of its arguments."""
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
        "status": "error" if _is_error(result) else "ok",
    }


def _summarise(arguments: str) -> dict[str, Any]:
    try:
        parsed = json.loads(arguments)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        return {"argument_keys": [], "targets": {}}
    places = {name.lower(): _shorten(name.lower(), value) for name, value in parsed.items() if name.lower() in _TARGETS}
    return {
        "argument_keys": sorted(name[:128] for name in parsed)[:64],
        "targets": {name: place for name, place in places.items() if place is not None},
    }


def _shorten(name: str, value: Any) -> Any:
    """Shorten a target; URLs lose their user info, query and fragment."""
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


def _is_error(result: str) -> bool:
    """Return whether the host classifies a result as an error."""
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


def build_tool_history(trace: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Build the ``tool_call_history`` of a child for hooks."""
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


def delegate(chat: Chat, parent: Session, ids: TurnIds, args: Mapping[str, Any]) -> str:
    """Return the result of a ``delegate_task`` call in a turn of the parent.

    Contains the results of the tasks if the host runs them within the turn; otherwise a notice, and the tasks run after
    the turn.
    """
    BUILTINS["delegate_task"].require_modelled(args, parent.runtime.state)
    usual = _MAX_CHILDREN_MORE if parent.behaviour.delegation_extended else _MAX_CHILDREN
    most = parent.settings.number("delegation", "max_concurrent_children", usual)
    tasks, wrong = list_tasks(args, most, parent.runtime.state)
    if wrong:
        return json.dumps({"error": wrong}, ensure_ascii=False)
    delegation = Delegation(chat, parent, ids, tasks, str(args.get("role") or "leaf"))
    if parent.runtime.state.stateless:
        return json.dumps(delegation.run(), ensure_ascii=False)
    if parent.origin:
        raise parent.runtime.state.unsupported(
            "run delegated tasks concurrently with a chat's turn",
            fix="Use `hermes.chat` for the turn, or run this on the real host (--hermes-host=real).",
        )
    parent.background.append(delegation.run)
    return json.dumps(delegation.make_notice(), ensure_ascii=False)


@dataclass
class Child:
    """A delegated task and its session; `duration` is in seconds."""

    goal: str
    role: str
    """``leaf``, or ``orchestrator`` for a child that may delegate tasks itself."""
    session: Session
    id: str
    transcript: str
    duration: float = 0.0


class Delegation:
    """The delegated tasks of one call; creating it starts their sessions."""

    def __init__(self, chat: Chat, parent: Session, ids: TurnIds, tasks: list[Any], role: str) -> None:
        self._chat = chat
        self._parent = parent
        self._ids = ids
        self._hooks = parent.runtime.hooks
        self._behaviour = parent.behaviour
        self._id = f"deleg_{uuid.uuid4().hex[:8]}"
        self._children = [self._start_child(task, role, number) for number, task in enumerate(tasks)]

    def _require_free_toolsets(self, withheld: frozenset[str]) -> None:
        """Refuse plugin tools in the toolset of a tool withheld from children: Hermes may withhold the entire toolset.

        Raises:
            NotSupported: The parent has such a tool.
        """
        state, registry = self._parent.runtime.state, self._parent.runtime.registrations.tools
        toolsets = {state.contract.tools[name] for name in withheld if name in state.contract.tools}
        for name in sorted(self._parent.tool_names & registry.entries.keys()):
            if registry.is_of_plugin(name) and (toolset := registry.entries[name].toolset) in toolsets:
                raise state.unsupported(
                    f"delegate a task beside the tool {name!r} of a plugin in the toolset {toolset!r}"
                )

    def _start_child(self, task: Mapping[str, Any], role: str, number: int) -> Child:
        parent = self._parent
        role = str(task.get("role") or role).lower()
        depth = parent.settings.number("delegation", "max_spawn_depth", _MAX_DEPTH)
        may_delegate = role == "orchestrator" and parent.depth + 1 < depth
        withheld = _WITHHELD_FROM_CHILDREN - ({"execute_code"} if self._behaviour.delegation_extended else set())
        without = withheld if may_delegate else withheld | {"delegate_task"}
        self._require_free_toolsets(withheld | {"delegate_task"})
        session = self._open_session(without)
        session.notes = [f"Your task: {task['goal']}"]
        if task.get("context"):
            session.notes.append(f"Context: {task['context']}")
        folder = parent.runtime.state.home.path / "cache" / "delegation" / "live" / self._id
        child = Child(
            goal=str(task["goal"]),
            role="orchestrator" if may_delegate else "leaf",
            session=session,
            id=f"sa-{number}-{uuid.uuid4().hex[:8]}",
            transcript=f"{folder}/task-{number}.log",
        )
        self._hooks.fire(
            "subagent_start",
            parent_session_id=parent.id,
            parent_turn_id=self._ids.turn_id,
            parent_subagent_id=self._ids.task_id if parent.depth else None,
            child_session_id=session.id,
            child_subagent_id=child.id,
            child_role=child.role,
            child_goal=child.goal,
        )
        return child

    def _open_session(self, without: frozenset[str]) -> Session:
        """Open a child session without some of the parent's tools.

        Raises:
            NotSupported: The child's context engine raises.
        """
        parent = self._parent
        try:
            return Session(parent.runtime, _PLATFORM, parent=parent, without=without)
        except HermesSdkError:
            raise
        except Exception as error:
            raise parent.runtime.state.unsupported("delegate a task whose session cannot begin") from error

    def make_notice(self) -> dict[str, Any]:
        """Build the result of a call whose tasks run after the turn."""
        return {
            "status": "dispatched",
            "mode": "background",
            "count": len(self._children),
            "delegation_id": self._id,
            "goals": [child.goal for child in self._children],
            "note": _DISPATCHED,
            "live_transcripts": [child.transcript for child in self._children],
            "live_transcripts_hint": _TRANSCRIPTS,
        }

    def run(self) -> dict[str, Any]:
        """Run the children one after another on a worker thread, and return their results."""
        started = time.monotonic()
        with Workers(1) as workers:
            results = [self._run_child(number, child, workers) for number, child in enumerate(self._children)]
        if memory := self._parent.memory:
            for child, result in zip(self._children, results, strict=True):
                memory.report_delegation(child.goal, result["summary"] or "", child.session.id)
        for child, result in zip(self._children, results, strict=True):
            self._hooks.fire(
                "subagent_stop",
                parent_session_id=self._parent.id,
                parent_turn_id=self._ids.turn_id,
                child_session_id=child.session.id,
                child_role=child.role,
                child_summary=result["summary"],
                child_status=result["status"],
                tool_call_history=build_tool_history(result["tool_trace"]),
                duration_ms=int(child.duration * 1000),
            )
        return {
            "results": results,
            "total_duration_seconds": round(time.monotonic() - started, 2),
            "live_transcripts": [child.transcript for child in self._children],
            "note": self._parent.runtime.state.wording("delegate_task.ran_at_once"),
        }

    def _run_turn(self, child: Child) -> RawTurn:
        session = child.session
        turn = self._chat(session, child.goal, child.id)
        if session.engine and self._behaviour.child_engines_ended:
            session.engine.close(session.id, session.history)
        return turn

    def _run_child(self, number: int, child: Child, workers: Workers) -> dict[str, Any]:
        session = child.session
        started = time.monotonic()
        turn = workers.submit(self._run_turn, child).result()
        child.duration = time.monotonic() - started
        detailed = self._behaviour.delegation_extended
        is_failed = turn["error"] is not None and self._behaviour.failed_children_told
        ended = "error" if is_failed else "completed" if turn["completed"] else "max_iterations"
        result: dict[str, Any] = {
            "task_index": number,
            "status": "failed" if is_failed else "completed",
            "summary": turn["reply"],
            "api_calls": session.requests,
            "duration_seconds": round(child.duration, 2),
            "model": session.settings.model,
            "exit_reason": ended,
            **({"truncated": ended == "max_iterations"} if detailed else {}),
            "tokens": dict(session.tokens),
            "tool_trace": trace_tools(turn["messages"], detailed=detailed),
            # The scripted model has no price.
            **({"cost_usd": 0.0, "cost_status": "unknown"} if detailed else {}),
        }
        if is_failed:
            result["error"] = turn["error"]
            result |= {"failure_reason": session.failure_reason} if session.failure_reason else {}
        result["live_transcript"] = child.transcript
        return result
