"""``memory``: facts that are stored across sessions in two files of the Hermes home."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.builtins import patched_memory
from hermes_sdk.hosts.embedded.builtins.memory_store import STORES, MalformedCall, RejectedCall, Store
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, array, record, refuse, string, tool

FAILURES_IN_A_TURN = 3
STATE = "memory"


def check_memory_requirements(context: ToolContext) -> bool:
    """Return whether the tool is offered; some releases offer it even if it is disabled."""
    return _is_enabled(context) or not context.behaviour.memory_offered_when_enabled


_ACTION = ["add", "patch", "replace", "remove"]


@tool(
    "Keep facts for later sessions: about the user, or notes of your own.",
    action=string("What to do.", enum=_ACTION),
    target=string("Which facts.", enum=["memory", "user"], required=True),
    content=string("The entry to add, or what to put in place of another or of a part of one."),
    old_text=string("A part of the entry to patch, to replace or to remove."),
    new_text=string("What `content` is called too."),
    check=check_memory_requirements,
    operations=array(
        record(
            action=string(enum=_ACTION, required=True),
            content=string("The entry."),
            old_text=string("A part of the entry to change."),
            new_text=string("Another name of `content`."),
        ),
        "Several changes, of which all are made or none.",
    ),
)
def memory(args: dict[str, Any], context: ToolContext) -> str:
    """Change the entries of a memory target."""
    if not context.session_id or not _is_enabled(context):
        error = "Memory is not available. It may be disabled in config or this environment."
        return refuse(error, success=False)
    patched = context.behaviour.memory_patched
    target = args.get("target") or "memory"
    if patched and (reason := patched_memory.find_fault(args, context)):
        return answer(success=False, **reason)
    if target not in STORES and context.behaviour.memory_offered_when_enabled:
        return answer(success=False, error=f"Invalid memory target '{target}'. Use 'memory' or 'user'.")
    if target not in STORES:
        return refuse(f"Invalid target '{target}'. Use 'memory' or 'user'.", success=False)
    store = patched_memory.PatchedStore(target, context) if patched else Store(target, context)
    try:
        if isinstance(store, patched_memory.PatchedStore):
            message = patched_memory.change(args, store, context.state.wording)
        else:
            message = _change(args, store)
    except MalformedCall as malformed:
        return refuse(str(malformed), success=False)
    except RejectedCall as refused:
        if refused.counts and (times := _count_failure(context)) > FAILURES_IN_A_TURN:
            error = f"Memory consolidation failed {times} times this turn. Leave the memory alone for now, and reply."
            return answer(success=False, done=True, error=error)
        return answer(**refused.result)
    context.session_state.pop(STATE, None)
    return store.report(message)


def _is_enabled(context: ToolContext) -> bool:
    switches = context.section("memory")
    return bool(switches.get("memory_enabled", True) or switches.get("user_profile_enabled", True))


def _count_failure(context: ToolContext) -> int:
    """Count the failures of this turn since the last change."""
    turn, times = context.session_state.get(STATE, ("", 0))
    times = times + 1 if turn == context.turn_id else 1
    context.session_state[STATE] = (context.turn_id, times)
    return times


def _change(args: dict[str, Any], store: Store) -> str:
    """Apply the change that a call requests, and return the message for the model."""
    action, operations = args.get("action", ""), args.get("operations")
    content, old = str(args.get("content") or ""), str(args.get("old_text") or "")
    if operations:
        if not isinstance(operations, list):
            raise MalformedCall("operations must be a list of {action, content?, old_text?} objects.")
        return store.apply(operations)
    if action in ("replace", "remove") and not old:
        raise store.refuse_missing_text(action)
    if action in ("add", "replace") and not content:
        article = "Content" if action == "add" else "content"
        raise MalformedCall(f"{article} is required for '{action}' action.")
    if action == "add":
        return store.add(content)
    if action == "replace":
        return store.replace(old, content)
    if action == "remove":
        return store.remove(old)
    raise MalformedCall(f"Unknown action '{action or None}'. Use: add, replace, remove")
