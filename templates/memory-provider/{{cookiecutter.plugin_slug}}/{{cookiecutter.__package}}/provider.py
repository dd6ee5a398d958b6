"""The provider: what Hermes calls, in the order of a session."""

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
    "description": "Keep a note. Use it when the user asks you to remember something.",
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
    "description": "Find notes and earlier conversations by their words.",
    "parameters": {
        "type": "object",
        "properties": {"words": {"type": "string", "description": "Words that the note has."}},
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
        """Its name in messages."""
        return "{{ cookiecutter.plugin_slug }}"

    def is_available(self) -> bool:
        """It needs nothing that could be missing."""
        return True

    def get_config_schema(self) -> list[dict[str, Any]]:
        """What `hermes memory setup` asks for."""
        return [{"key": "limit", "description": "How many notes a turn gets to see", "default": str(DEFAULT_LIMIT)}]

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        """Keep the answers of the setup."""
        directory = _directory(hermes_home)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "config.json").write_text(json.dumps(values), encoding="utf-8")

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Begin to work for an agent. Hermes sends `hermes_home`, `platform`, `agent_context` and more."""
        self.shutdown()
        directory = _directory(kwargs["hermes_home"])
        directory.mkdir(parents=True, exist_ok=True)
        self._limit = _limit(directory)
        self._session = session_id
        self._store = Store(directory / "memory.db")
        # What a subagent or a scheduled job says to itself is not what the user wants to find again.
        if kwargs.get("agent_context", "primary") == "primary":
            self._writer = Writer(self._store)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """The tools that the model is offered."""
        return [dict(REMEMBER), dict(RECALL)]

    def system_prompt_block(self) -> str:
        """What the model reads once; it must stay the same for a session."""
        return "Earlier conversations are kept; {{ cookiecutter.__package }}_recall finds them by their words."

    def prefetch(self, query: str, *, session_id: str = "", **kwargs: Any) -> str:
        """What the model reads before a turn. Hermes waits for it, for at most 8 seconds."""
        try:
            found = self._find(query)
        except sqlite3.Error:
            return ""
        return "\n".join(["From earlier conversations:", *(f"- {text}" for text in found)]) if found else ""

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run one of the tools; it answers with JSON text, also when something is wrong."""
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
        """Keep a turn."""
        self._keep(f"{user_content}\n{assistant_content}")

    def on_memory_write(
        self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Keep what the tool `memory` of Hermes writes."""
        if action != "remove":
            self._keep(content)

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        """Go on under another session id."""
        self._session = new_session_id

    def shutdown(self) -> None:
        """Write what is left and close. Hermes waits for it, for at most 5 seconds."""
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
    """The limit that the setup asked for; the default when it was not run, or its answer is not a number."""
    try:
        return max(1, int(json.loads((directory / "config.json").read_text(encoding="utf-8"))["limit"]))
    except (OSError, ValueError, KeyError, TypeError):
        return DEFAULT_LIMIT
