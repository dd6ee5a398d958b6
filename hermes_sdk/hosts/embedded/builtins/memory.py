"""``memory``: facts that are kept across sessions, in two files of the home."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.declaration import array, record, string, tool
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, refuse

SEPARATOR = "\n§\n"
STORES = {"memory": ("MEMORY.md", "memory_char_limit", 2200), "user": ("USER.md", "user_char_limit", 1375)}
"""Target -> its file, the setting for its limit in characters, and the default limit."""
FAILURES_IN_A_TURN = 3
STATE = "memory"


class Refused(Exception):
    """A call that changes nothing; `counts`: it counts towards the limit of failures in a turn."""

    def __init__(self, error: str, *, counts: bool = False, **more: Any) -> None:
        super().__init__(error)
        self.result = {"success": False, "error": error, **more}
        self.counts = counts


class Malformed(Exception):
    """A call with missing or invalid arguments."""


class Store:
    """The entries of one target, ``memory`` or ``user``, as they are on disk.

    A method that changes the entries returns the message for the model.
    """

    def __init__(self, target: str, context: ToolContext) -> None:
        name, setting, default = STORES[target]
        limit = context.section("memory").get(setting)
        self._target = target
        self._behaviour = context.behaviour
        self._state = context.state
        self._removed = ""
        self._wording = context.state.wording
        self._file: Path = context.state.home.path / "memories" / name
        self._limit = limit if isinstance(limit, int) else default
        text = self._file.read_text(encoding="utf-8") if self._file.exists() else ""
        self.entries = [entry.strip() for entry in text.split(SEPARATOR) if entry.strip()]

    @property
    def usage(self) -> str:
        """The number of characters in use and the limit."""
        return f"{len(SEPARATOR.join(self.entries)):,}/{self._limit:,}"

    def add(self, content: str) -> str:
        """Add an entry."""
        content = content.strip()
        if not content:
            raise Refused("Content cannot be empty.")
        if content in self.entries:
            return "Entry already exists (no duplicate added)."
        after = [*self.entries, content]
        if len(SEPARATOR.join(after)) > self._limit:
            if self._behaviour.memory_patched:
                raise self._state.unsupported("word why the memory is full")
            raise self._refuse_overflow(self._wording("memory.full", usage=self.usage, size=len(content)))
        self._write(after)
        return "Entry added."

    def replace(self, old_text: str, content: str) -> str:
        """Replace the entry that contains a text."""
        index = self._find(old_text.strip(), "replace")
        if not content.strip():
            raise Refused("new_content cannot be empty. Use 'remove' to delete entries.")
        after = [*self.entries[:index], content.strip(), *self.entries[index + 1 :]]
        size = len(SEPARATOR.join(after))
        if size > self._limit:
            begin = f"Replacement would put memory at {size:,}/{self._limit:,} chars. Shorten the new content"
            if not self._behaviour.memory_batches:
                raise Refused(f"{begin} or remove other entries first.")
            raise self._refuse_overflow(
                f"{begin}, or 'remove' other stale or less important entries to make room (see current_entries below),"
                " then retry — all in this turn."
            )
        self._write(after)
        return "Entry replaced."

    def remove(self, old_text: str) -> str:
        """Remove the entry that contains a text."""
        index = self._find(old_text.strip(), "remove")
        self._removed = self.entries[index]
        self._write([*self.entries[:index], *self.entries[index + 1 :]])
        return "Entry removed."

    def apply(self, operations: Sequence[Any]) -> str:
        """Apply all operations, or none if one of them fails."""
        after = list(self.entries)
        for number, operation in enumerate(operations, start=1):
            self._apply(operation or {}, number, after)
        size = len(SEPARATOR.join(after))
        if size > self._limit:
            raise self._refuse_overflow(
                f"After applying all {len(operations)} operations, memory would be at {size:,}/{self._limit:,} chars --"
                " over the limit. Remove or shorten more entries in the same batch (see current_entries below), then"
                " retry."
            )
        self._write(after)
        return f"Applied {len(operations)} operation(s)."

    def _apply(self, operation: dict[str, Any], number: int, entries: list[str]) -> None:
        action = operation.get("action")
        content, old = ((operation.get(key) or "").strip() for key in ("content", "old_text"))
        where = f"Operation {number} ({action or 'unknown'})"
        if action not in ("add", "replace", "remove"):
            raise self._refuse_batch(f"{where}: unknown action. Use add, replace, or remove.")
        if action != "add" and not old:
            raise self._refuse_batch(f"{where}: old_text is required.")
        if action == "add" and not content:
            raise self._refuse_batch(f"{where}: content is required.")
        if action == "replace" and not content:
            raise self._refuse_batch(f"{where}: content is required (use action='remove' to delete).")
        if action == "add":
            entries.extend([content] if content not in entries else [])
            return
        matches = [index for index, entry in enumerate(entries) if old in entry]
        if not matches:
            raise self._refuse_batch(f"{where}: no entry matched '{old}'.")
        if len({entries[index] for index in matches}) > 1:
            raise self._refuse_batch(f"{where}: '{old}' matched multiple distinct entries -- be more specific.")
        entries[matches[0] : matches[0] + 1] = [content] if action == "replace" else []

    def _find(self, old_text: str, action: str) -> int:
        if not old_text:
            raise Refused("old_text cannot be empty.")
        matches = [index for index, entry in enumerate(self.entries) if old_text in entry]
        found = [self.entries[index] for index in matches]
        if not matches and self._behaviour.memory_consolidates:
            advice = self._wording("memory.no_match", action=action)
            raise Refused(f"No entry matched '{old_text}'. {advice}", counts=True, current_entries=self.entries)
        if not matches:
            raise Refused(f"No entry matched '{old_text}'.")
        if len(set(found)) > 1:
            previews = [entry[:80] + ("..." if len(entry) > 80 else "") for entry in found]
            raise Refused(f"Multiple entries matched '{old_text}'. Be more specific.", matches=previews)
        return matches[0]

    def refuse_missing_text(self, action: str) -> Refused:
        """Build the refusal of a call that does not say which entry to change."""
        return Refused(
            f"'{action}' needs old_text -- a short unique substring of the entry to {action}. None was provided."
            f" Reissue the {action} with old_text set to part of one of the current_entries below.",
            current_entries=self.entries,
            usage=self.usage,
        )

    def _refuse_overflow(self, error: str) -> Refused:
        return Refused(error, counts=True, current_entries=self.entries, usage=self.usage)

    def _refuse_batch(self, error: str) -> Refused:
        return self._refuse_overflow(f"{error} No operations were applied (batch is all-or-nothing).")

    def _write(self, entries: list[str]) -> None:
        self.entries = entries
        self._file.parent.mkdir(exist_ok=True)
        self._file.with_name(f"{self._file.name}.lock").touch()
        self._file.write_text(SEPARATOR.join(entries), encoding="utf-8")

    def report(self, message: str) -> str:
        """Write the result of a change."""
        size = len(SEPARATOR.join(self.entries))
        percent = min(100, size * 100 // self._limit) if self._limit > 0 else 0
        ends = self._behaviour.memory_batches
        return answer(
            success=True,
            **({"done": True} if ends else {}),
            target=self._target,
            **({} if ends else {"entries": self.entries}),
            usage=f"{percent}% — {self.usage} chars",
            entry_count=len(self.entries),
            message=message,
            **({"removed_entry": self._removed} if self._removed and self._behaviour.memory_patched else {}),
            **({"note": "Write saved. This update is complete — do not repeat it."} if ends else {}),
        )


def check_memory_requirements(context: ToolContext) -> bool:
    """Tell whether the tool is offered; early releases offer it also when it is switched off."""
    return _is_enabled(context) or not context.behaviour.memory_patched


_ACTION = ["add", "replace", "remove"]


@tool(
    "Keep facts for later sessions: about the user, or notes of your own.",
    action=string("What to do.", enum=_ACTION),
    target=string("Which facts.", enum=["memory", "user"], required=True),
    content=string("The entry to add, or to put in place of another."),
    old_text=string("A part of the entry to replace or to remove."),
    check=check_memory_requirements,
    operations=array(
        record(
            action=string(enum=_ACTION, required=True),
            content=string("The entry."),
            old_text=string("A part of the entry that is meant."),
        ),
        "Several changes, of which all are made or none.",
    ),
)
def memory(args: dict[str, Any], context: ToolContext) -> str:
    """Change the entries of a target."""
    if not context.session_id or not _is_enabled(context):
        error = "Memory is not available. It may be disabled in config or this environment."
        return refuse(error, success=False)
    if context.behaviour.memory_patched and (refused := _refuse_former(args, context)):
        return refused
    target = args.get("target") or "memory"
    if target not in STORES:
        return refuse(f"Invalid target '{target}'. Use 'memory' or 'user'.", success=False)
    store = Store(target, context)
    try:
        message = _change(args, store, context)
    except Malformed as malformed:
        return refuse(str(malformed), success=False)
    except Refused as refused:
        counts = refused.counts and context.behaviour.memory_consolidates
        if counts and (times := _count_failure(context)) > FAILURES_IN_A_TURN:
            error = (
                f"Memory consolidation failed {times} times this turn. Stop retrying memory calls — leave memory"
                " unchanged for now and continue with your reply to the user. The fact can be saved in a later turn."
            )
            return answer(success=False, done=True, error=error)
        return answer(**refused.result)
    context.session_state.pop(STATE, None)
    return store.report(message)


def _is_enabled(context: ToolContext) -> bool:
    switches = context.section("memory")
    return bool(switches.get("memory_enabled", True) or switches.get("user_profile_enabled", True))


def _refuse_former(args: dict[str, Any], context: ToolContext) -> str | None:
    """Refuse a call that earlier releases took, or return None.

    Raises:
        NotSupported: The call patches an entry, or makes several changes.
    """
    if args.get("operations") or args.get("action") == "patch":
        raise context.state.unsupported("patch the entries of the memory, or change several of them together")
    if args.get("action") == "replace":
        return refuse(context.state.wording("memory.replace"), success=False)
    if not args.get("target"):
        return answer(success=False, error=context.state.wording("memory.target"))
    if args["target"] not in STORES:
        return answer(success=False, error=f"Invalid memory target '{args['target']}'. Use 'memory' or 'user'.")
    return None


def _count_failure(context: ToolContext) -> int:
    """Count the failures of this turn since the last change."""
    turn, times = context.session_state.get(STATE, ("", 0))
    times = times + 1 if turn == context.turn_id else 1
    context.session_state[STATE] = (context.turn_id, times)
    return times


def _change(args: dict[str, Any], store: Store, context: ToolContext) -> str:
    """Make the change that a call asks for, and return the message for the model."""
    action, operations = args.get("action", ""), args.get("operations")
    content, old = str(args.get("content") or ""), str(args.get("old_text") or "")
    if operations and context.behaviour.memory_batches:
        if not isinstance(operations, list):
            raise Malformed("operations must be a list of {action, content?, old_text?} objects.")
        return store.apply(operations)
    if action in ("replace", "remove") and not old:
        if context.behaviour.memory_consolidates:
            raise store.refuse_missing_text(action)
        raise Malformed(f"old_text is required for '{action}' action.")
    if action in ("add", "replace") and not content:
        article = "Content" if action == "add" else "content"
        raise Malformed(f"{article} is required for '{action}' action.")
    if action == "add":
        return store.add(content)
    if action == "replace":
        return store.replace(old, content)
    if action == "remove":
        return store.remove(old)
    change = "patch" if context.behaviour.memory_patched else "replace"
    raise Malformed(f"Unknown action '{action or None}'. Use: add, {change}, remove")
