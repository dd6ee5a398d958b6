"""Storage of the entries of the ``memory`` tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer

SEPARATOR = "\n§\n"
STORES = {"memory": ("MEMORY.md", "memory_char_limit", 2200), "user": ("USER.md", "user_char_limit", 1375)}
"""Target -> its file, the setting for its limit in characters, and the default limit."""


class RejectedCall(Exception):
    """Raised for a call that is rejected; `counts` adds it to the failures of the turn."""

    def __init__(self, error: str, *, counts: bool = False, **more: Any) -> None:
        super().__init__(error)
        self.result = {"success": False, "error": error, **more}
        self.counts = counts


class MalformedCall(Exception):
    """Raised for missing or invalid arguments."""


class Store:
    """The stored entries of one target, ``memory`` or ``user``.

    Methods that change the entries return the message for the model.
    """

    def __init__(self, target: str, context: ToolContext) -> None:
        name, setting, default = STORES[target]
        limit = context.section("memory").get(setting)
        self._target = target
        self._behaviour = context.behaviour
        self._changes: dict[str, Any] = {}
        self._wording = context.state.wording
        self._file: Path = context.state.home.path / "memories" / name
        self._limit = limit if isinstance(limit, int) else default
        text = self._read(context)
        self.entries = [entry.strip() for entry in text.split(SEPARATOR) if entry.strip()]

    def _read(self, context: ToolContext) -> str:
        """Read the file.

        Raises:
            NotSupported: Another program wrote the file; Hermes reports that and saves a copy.
        """
        data = self._file.read_bytes() if self._file.exists() else b""
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise context.state.unsupported("change a memory file that is not UTF-8") from error
        entries = [entry.strip() for entry in text.split(SEPARATOR)]
        is_clean = SEPARATOR.join(filter(None, entries)) == text.strip()
        if text.startswith("\ufeff") or not is_clean or max(map(len, entries)) > self._limit:
            raise context.state.unsupported("change a memory file that something else wrote")
        return text

    @property
    def usage(self) -> str:
        """The number of characters used, and the limit."""
        return f"{len(SEPARATOR.join(self.entries)):,}/{self._limit:,}"

    def add(self, content: str) -> str:
        """Add an entry."""
        content = content.strip()
        if not content:
            raise RejectedCall("Content cannot be empty.")
        if content in self.entries:
            return "Entry already exists (no duplicate added)."
        after = [*self.entries, content]
        if len(SEPARATOR.join(after)) > self._limit:
            raise self.refuse_addition(content, after)
        self._write(after)
        return "Entry added."

    def replace(self, old_text: str, content: str) -> str:
        """Replace the entry that contains a text."""
        index = self._find_entry(old_text.strip(), "replace")
        if not content.strip():
            raise RejectedCall("new_content cannot be empty. Use 'remove' to delete entries.")
        replaced = self.entries[index]
        after = [*self.entries[:index], content.strip(), *self.entries[index + 1 :]]
        size = len(SEPARATOR.join(after))
        if size > self._limit:
            raise self._refuse_overflow(
                f"Replacement would put memory at {size:,}/{self._limit:,} chars. Make it shorter or"
                " remove other entries, and try again in this turn."
            )
        self._write(after)
        if self._behaviour.memory_replacements_told:
            self._changes = {"replaced_entry": replaced}
        return "Entry replaced."

    def remove(self, old_text: str) -> str:
        """Remove the entry that contains a text."""
        index = self._find_entry(old_text.strip(), "remove")
        removed = self.entries[index]
        self._write([*self.entries[:index], *self.entries[index + 1 :]])
        if self._behaviour.memory_removals_told:
            self._changes = {"removed_entry": removed}
        return "Entry removed."

    def apply(self, operations: Sequence[Any]) -> str:
        """Apply all operations, or none if one of them fails."""
        after = list(self.entries)
        replaced: dict[int, str] = {}
        removed: dict[int, str] = {}
        for number, operation in enumerate(operations, start=1):
            action, before = self._apply_operation(operation or {}, number, after)
            if action == "replace" and self._behaviour.memory_replacements_told:
                replaced[number] = before
            elif action == "remove" and self._behaviour.memory_removals_told:
                removed[number] = before
        size = len(SEPARATOR.join(after))
        if size > self._limit:
            refuse = self._refuse_batch if self._behaviour.memory_batches_refused_briefly else self._refuse_overflow
            raise refuse(
                f"After applying all {len(operations)} operations, memory would be at"
                f" {size:,}/{self._limit:,} chars -- over the limit. Free more space in the same"
                " batch."
            )
        self._write(after)
        changes = {"replaced_entries": replaced, "removed_entries": removed}
        self._changes = {name: one for name, one in changes.items() if one}
        return f"Applied {len(operations)} operation(s)."

    def _apply_operation(self, operation: dict[str, Any], number: int, entries: list[str]) -> tuple[str, str]:
        """Apply an operation to `entries` in place; return its action and the previous entry."""
        action = operation.get("action")
        content = operation.get("content")
        if not content and self._behaviour.memory_takes_new_text:
            content = operation.get("new_text")
        content, old = ((one or "").strip() for one in (content, operation.get("old_text")))
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
            return action, ""
        matches = [index for index, entry in enumerate(entries) if old in entry]
        if not matches:
            raise self._refuse_batch(f"{where}: no entry matched '{old}'.")
        if len({entries[index] for index in matches}) > 1:
            raise self._refuse_batch(f"{where}: '{old}' matched multiple distinct entries -- be more specific.")
        before = entries[matches[0]]
        entries[matches[0] : matches[0] + 1] = [content] if action == "replace" else []
        return action, before

    def _find_entry(self, old_text: str, action: str) -> int:
        if not old_text:
            raise RejectedCall("old_text cannot be empty.")
        matches = [index for index, entry in enumerate(self.entries) if old_text in entry]
        matched = [self.entries[index] for index in matches]
        if not matches:
            advice = self._wording("memory.no_match", action=action)
            raise RejectedCall(f"No entry matched '{old_text}'. {advice}", counts=True, current_entries=self.entries)
        if len(set(matched)) > 1:
            previews = [entry[:80] + ("..." if len(entry) > 80 else "") for entry in matched]
            raise RejectedCall(f"Multiple entries matched '{old_text}'. Be more specific.", matches=previews)
        return matches[0]

    def refuse_addition(self, content: str, after: Sequence[str]) -> RejectedCall:  # noqa: ARG002
        """Build the exception for an entry that does not fit; `after` are the entries including it."""
        return self._refuse_overflow(self._wording("memory.full", usage=self.usage, size=len(content)))

    def refuse_missing_text(self, action: str) -> RejectedCall:
        """Build the exception for a call without the text of the entry to change."""
        is_explained = action == "replace" and self._behaviour.memory_replacements_told
        hint = " Then content is the whole entry." if is_explained else ""
        return RejectedCall(
            f"'{action}' needs old_text -- but none was given. Call it again with a part of an entry"
            f" from current_entries.{hint}",
            current_entries=self.entries,
            usage=self.usage,
        )

    def _refuse_overflow(self, error: str) -> RejectedCall:
        return RejectedCall(error, counts=True, current_entries=self.entries, usage=self.usage)

    def _refuse_batch(self, error: str, **more: Any) -> RejectedCall:
        message = f"{error} No operations were applied (batch is all-or-nothing)."
        entries = {} if self._behaviour.memory_batches_refused_briefly else {"current_entries": self.entries}
        return RejectedCall(message, counts=True, **entries, usage=self.usage, **more)

    def _write(self, entries: list[str]) -> None:
        self.entries = entries
        self._file.parent.mkdir(exist_ok=True)
        self._file.with_name(f"{self._file.name}.lock").touch()
        self._file.write_text(SEPARATOR.join(entries), encoding="utf-8")

    def report(self, message: str) -> str:
        """Format the result of a change."""
        size = len(SEPARATOR.join(self.entries))
        percent = min(100, size * 100 // self._limit) if self._limit > 0 else 0
        return answer(
            success=True,
            done=True,
            target=self._target,
            usage=f"{percent}% — {self.usage} chars",
            entry_count=len(self.entries),
            message=message,
            **self._changes,
            note="Write saved. This update is complete — do not repeat it.",
        )
