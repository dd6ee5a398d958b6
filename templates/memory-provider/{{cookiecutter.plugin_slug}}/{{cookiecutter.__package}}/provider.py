"""The provider: the methods that Hermes calls, in the order of a session."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

from .store import Store
from .writer import Writer

DEFAULT_LIMIT = 5

REMEMBER: dict[str, Any] = {
    "name": "{{ cookiecutter.__package }}_remember",
    "description": "Save a note. Use it when the user asks you to remember something.",
    "parameters": {
        "type": "object",
        "properties": {
            "note": {"type": "string", "description": "The note, in one sentence that will make sense in a month."},
        },
        "required": ["note"],
    },
}
RECALL: dict[str, Any] = {
    "name": "{{ cookiecutter.__package }}_recall",
    "description": "Search notes and earlier conversations by keyword.",
    "parameters": {
        "type": "object",
        "properties": {"words": {"type": "string", "description": "Words that the note contains."}},
        "required": ["words"],
    },
}


class Memory(MemoryProvider):
    """Remembers turns and notes in the home of Hermes."""

    def __init__(self) -> None:
        self._store: Store | None = None
        self._writer: Writer | None = None
        self._session = ""
        self._limit = DEFAULT_LIMIT

    @property
    def name(self) -> str:
        """The name in messages and logs."""
        return "{{ cookiecutter.plugin_slug }}"

    def is_available(self) -> bool:
        """Return True: the provider has no requirements."""
        return True

    def get_config_schema(self) -> list[dict[str, Any]]:
        """Return the fields that `hermes memory setup` prompts for."""
        return [{"key": "limit", "description": "How many notes to show per turn", "default": str(DEFAULT_LIMIT)}]

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        """Save the answers of the setup."""
        directory = _directory(hermes_home)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "config.json").write_text(json.dumps(values), encoding="utf-8")

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Start for an agent. Hermes passes `hermes_home`, `platform`, `agent_context` and more."""
        self.shutdown()
        directory = _directory(kwargs["hermes_home"])
        directory.mkdir(parents=True, exist_ok=True)
        self._limit = _limit(directory)
        self._session = session_id
        self._store = Store(directory / "memory.db")
        # Turns of subagents and scheduled jobs are not conversations of the user.
        if kwargs.get("agent_context", "primary") == "primary":
            self._writer = Writer(self._store)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools that the model is offered."""
        return [dict(REMEMBER), dict(RECALL)]

    def system_prompt_block(self) -> str:
        """Return a section of the system prompt; it must not change within a session."""
        return "Earlier conversations are stored; {{ cookiecutter.__package }}_recall searches them by keyword."

    def prefetch(self, query: str, *, session_id: str = "", **kwargs: Any) -> str:
        """Return the text that the model reads before a turn. Hermes waits at most 8 seconds."""
        try:
            found = self._find(query)
        except sqlite3.Error:
            return ""
        return "\n".join(["From earlier conversations:", *(f"- {text}" for text in found)]) if found else ""

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool and return JSON text, including for errors."""
        text = args.get("note" if tool_name == REMEMBER["name"] else "words")
        if not isinstance(text, str) or not text.strip():
            return json.dumps({"error": f"{tool_name} needs at least one word."})
        if tool_name == REMEMBER["name"]:
            self._keep(text)
            return json.dumps({"kept": text})
        try:
            return json.dumps({"found": self._find(text)})
        except sqlite3.Error as error:
            return json.dumps({"error": f"The memory cannot be read now: {error}"})

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "", **kwargs: Any) -> None:
        """Store a turn."""
        self._keep(f"{user_content}\n{assistant_content}")

    def on_memory_write(
        self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Store a text that the Hermes tool `memory` writes."""
        if action != "remove":
            self._keep(content)

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        """Continue with another session ID."""
        self._session = new_session_id

    def shutdown(self) -> None:
        """Write pending texts and close. Hermes waits at most 5 seconds."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._store is not None:
            self._store.close()
            self._store = None

    def _keep(self, text: str) -> None:
        if self._writer is not None and text.strip():
            self._writer.add(text, self._session)

    def _find(self, text: str) -> list[str]:
        if self._writer is not None:
            self._writer.settle()
        return self._store.search(text, self._limit) if self._store is not None else []


def _directory(hermes_home: str) -> Path:
    return Path(hermes_home) / "plugin-data" / "{{ cookiecutter.plugin_slug }}"


def _limit(directory: Path) -> int:
    """Return the limit from the setup, or the default if it is missing or not a number."""
    try:
        return max(1, int(json.loads((directory / "config.json").read_text(encoding="utf-8"))["limit"]))
    except (OSError, ValueError, KeyError, TypeError):
        return DEFAULT_LIMIT
