"""``memory`` since 0.22.2: patch entries, and validate a batch as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_sdk.hosts.embedded.builtins.memory_store import SEPARATOR, STORES, MalformedCall, RejectedCall, Store
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext
from hermes_sdk.hosts.embedded.wording import Wording

_HINT = "Patch a longer text to remove a part of an entry."
_MIN_SHARED_WORDS = 0.3
"""Lowest share of the words of a text that a suggested entry contains."""
_MAX_CLOSEST = 3
_QUOTES = '"`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f'
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_FOLDED_CHARACTERS = str.maketrans({**dict.fromkeys(_QUOTES, "'"), **dict.fromkeys(_DASHES, "-")})
_SWITCHES = {"memory": "memory_enabled", "user": "user_profile_enabled"}


class PatchedStore(Store):
    """The stored entries of one target, which can be patched."""

    def patch(self, old_text: str, content: str) -> str:
        """Replace a part of the entry that contains it."""
        if not old_text.strip():
            raise RejectedCall("old_text cannot be empty.")
        if not content.strip():
            raise RejectedCall(f"new_text cannot be empty. {_HINT}")
        index = self._find_entry(old_text, "patch")
        before = self.entries[index]
        after = _patch_entry(before, old_text, content)
        entries = [*self.entries[:index], after, *self.entries[index + 1 :]]
        if (size := len(SEPARATOR.join(entries))) > self._limit:
            raise self._refuse_overflow(
                f"Patch would put memory at {size:,}/{self._limit:,} chars. Make it shorter or remove"
                " other entries, and try again in this turn."
            )
        self._write(entries)
        self._changes = {"patched_entry_before": before, "patched_entry_after": after}
        return "Entry patched."

    def apply(self, operations: Sequence[Any]) -> str:
        """Apply all operations, or none if one of them fails."""
        entries = list(self.entries)
        patched: dict[int, str] = {}
        results: dict[int, str] = {}
        removed: dict[int, str] = {}
        for number, operation in enumerate(operations, start=1):
            action, before, after = self._apply_to_entries(entries, operation or {}, number)
            if action == "remove":
                removed[number] = before
            elif action == "patch":
                patched[number], results[number] = before, after
        if self.entries and not entries:
            raise self._refuse_batch(
                f"Refusing to empty {self._file.name}: this batch would remove every entry from a"
                " previously non-empty store. Keep one entry, or remove the last one alone."
            )
        if (size := len(SEPARATOR.join(entries))) > self._limit:
            raise self._refuse_batch(
                f"Applying all {len(operations)} operations would put memory at {size:,}/{self._limit:,} chars: free at"
                f" least {size - self._limit:,} chars more. Add removes or shortening patches of other stale entries to"
                " the same batch, then retry."
            )
        self._write(entries)
        changes = {"patched_entries": patched, "patched_entries_after": results, "removed_entries": removed}
        self._changes = {name: one for name, one in changes.items() if one}
        return f"Applied {len(operations)} operation(s)."

    def _apply_to_entries(self, entries: list[str], operation: Mapping[str, Any], number: int) -> tuple[str, str, str]:
        """Apply an operation to `entries` in place; return its action, the previous entry and the new one."""
        action = operation.get("action")
        content, old = operation.get("content") or operation.get("new_text") or "", operation.get("old_text") or ""
        if action != "patch":
            content, old = content.strip(), old.strip()
        where = f"Operation {number} ({action or 'unknown'})"
        if action not in ("add", "patch", "remove"):
            raise self._refuse_batch(f"{where}: unknown action. Use add, patch, or remove.")
        if action == "add":
            if not content:
                raise self._refuse_batch(f"{where}: content is required.")
            entries.extend([content] if content not in entries else [])
            return action, "", content
        if not old.strip():
            raise self._refuse_batch(f"{where}: old_text is required.")
        if action == "patch" and not content.strip():
            raise self._refuse_batch(f"{where}: content is required — it is the new text. {_HINT}")
        indices = _find_matches(entries, old)
        if len({entries[index] for index in indices}) > 1:
            raise self._refuse_batch(f"{where}: '{old}' matched multiple distinct entries -- be more specific.")
        if not indices:
            message, closest = _explain_miss(entries, old, action)
            raise self._refuse_batch(f"{where}: {message}", **closest)
        before, after = entries[indices[0]], ""
        if action == "patch":
            try:
                after = _patch_entry(before, old, content)
            except RejectedCall as refused:
                raise self._refuse_batch(f"{where}: {refused}") from None
        entries[indices[0] : indices[0] + 1] = [after] if action == "patch" else []
        return action, before, after

    def _find_entry(self, old_text: str, action: str) -> int:
        if not old_text:
            raise RejectedCall("old_text cannot be empty.")
        indices = _find_matches(self.entries, old_text)
        if not indices:
            message, closest = _explain_miss(self.entries, old_text, action)
            raise RejectedCall(message, counts=True, **closest, current_entries=self.entries)
        if len({self.entries[index] for index in indices}) > 1:
            matches = [self.entries[index] for index in indices]
            previews = [entry[:80] + ("..." if len(entry) > 80 else "") for entry in matches]
            raise RejectedCall(f"Multiple entries matched '{old_text}'. Be more specific.", matches=previews)
        return indices[0]

    def refuse_addition(self, content: str, after: Sequence[str]) -> RejectedCall:
        """Build the exception for an entry that does not fit; `after` are the entries including it."""
        over = len(SEPARATOR.join(after)) - self._limit
        return self._refuse_overflow(
            f"Memory at {self.usage} chars; adding this entry ({len(content)} chars) would exceed the"
            f" limit by {over:,} chars. Send one batch that frees enough and adds the entry."
        )


def find_fault(args: Mapping[str, Any], context: ToolContext) -> dict[str, Any] | None:
    """Return the error fields for a call with an invalid target, or None."""
    target, operations = args.get("target"), args.get("operations")
    if target is None:
        return {"error": context.state.wording("memory.target")}
    if target not in STORES:
        return {"error": f"Invalid memory target '{target}'. Use 'memory' or 'user'."}
    listed: list[Any] = operations if isinstance(operations, list) else []
    for number, operation in enumerate(listed, start=1):
        if isinstance(operation, dict) and operation.get("target") not in (None, target):
            return {
                "error": f"Operation {number} names a different target than the one at the top level."
                " Call once for each target. Nothing was written or staged."
            }
    if context.section("memory").get(_SWITCHES[target], True):
        return None
    return {"error": f"Built-in {STORES[target][0]} writes are disabled in memory config.", "target": target}


def change(args: Mapping[str, Any], store: PatchedStore, wording: Wording) -> str:
    """Apply the change that a call requests, and return the message for the model."""
    action, operations = args.get("action"), args.get("operations")
    content, old = str(args.get("content") or args.get("new_text") or ""), str(args.get("old_text") or "")
    if operations:
        if not isinstance(operations, list):
            raise MalformedCall("operations must be a list of {action, content?, old_text?} objects.")
        if any(isinstance(one, dict) and one.get("action") == "replace" for one in operations):
            raise MalformedCall(wording("memory.replace"))
        return store.apply(operations)
    if not action:
        raise MalformedCall(
            "Missing required parameter: provide 'action' (add/patch/remove) or 'operations' (batch list). Got neither."
        )
    if action == "replace":
        raise MalformedCall(wording("memory.replace"))
    if action not in ("add", "patch", "remove"):
        raise MalformedCall(f"Unknown action '{action}'. Use: add, patch, remove")
    if action == "add" and not content:
        raise MalformedCall("Content is required for 'add' action.")
    if action != "add" and not old:
        raise store.refuse_missing_text(action)
    if action == "patch" and not content:
        raise MalformedCall(f"content (the new text for the old_text span) is required for 'patch' action. {_HINT}")
    if action == "add":
        return store.add(content)
    return store.patch(old, content) if action == "patch" else store.remove(old)


def _patch_entry(entry: str, old_text: str, content: str) -> str:
    count = sum(entry.startswith(old_text, start) for start in range(len(entry) - len(old_text) + 1))
    if count > 1:
        raise RejectedCall(
            f"'{old_text}' appears {count} times in the matched entry, and patch edits one span. Give"
            " more of the text around it."
        )
    patched = entry.replace(old_text, content, 1)
    if patched == entry:
        raise RejectedCall(f"Patch is a no-op: '{old_text}' -> '{content}' leaves the entry unchanged.")
    return patched


def _find_matches(entries: Sequence[str], text: str) -> list[int]:
    """Return the indices of entries that equal a text, or contain it, or contain it with other quotes and dashes."""
    numbered = list(enumerate(entries))
    if matches := [index for index, entry in numbered if entry == text]:
        return matches
    if matches := [index for index, entry in numbered if text in entry]:
        return matches
    folded = _fold_text(text)
    if not any(sign.isalnum() for sign in folded):
        return []
    return [index for index, entry in numbered if folded in _fold_text(entry)]


def _fold_text(text: str) -> str:
    return " ".join(text.replace("\\n", " ").translate(_FOLDED_CHARACTERS).split())


def _explain_miss(entries: Sequence[str], text: str, action: str) -> tuple[str, dict[str, list[str]]]:
    """Return the error for a text without a match, and the closest entries as a field of the result."""
    words = _list_words(text)
    shares = [len(words & _list_words(entry)) / len(words) if words else 0.0 for entry in entries]
    best = sorted(range(len(entries)), key=lambda index: -shares[index])[:_MAX_CLOSEST]
    closest = [entries[index] for index in best if shares[index] >= _MIN_SHARED_WORDS]
    hint = " Take old_text from a single entry." if "§" in text else ""
    end = " (closest_entries below)." if closest else "."
    message = f"No entry matched '{text}'.{hint} Retry the {action} with the text of the entry{end}"
    return message, {"closest_entries": closest} if closest else {}


def _list_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
