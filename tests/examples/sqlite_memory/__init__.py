"""A memory provider that keeps turns and notes in a SQLite database."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

from .store import Store

CONFIG = "sqlite_memory.json"
NOTE = {"type": "string", "description": "What to remember.", "minLength": 1}
SCHEMAS = [
    {
        "name": "sqlite_remember",
        "description": "Keeps a note.",
        "parameters": {"type": "object", "properties": {"note": NOTE}, "required": ["note"]},
    },
    {
        "name": "sqlite_recall",
        "description": "Finds notes and turns by their words.",
        "parameters": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
    },
]


class SqliteMemory(MemoryProvider):
    name = "sqlite_memory"

    def __init__(self) -> None:
        self._store: Store | None = None
        self._session = ""
        self._language = "en"
        self._is_primary = True

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self.shutdown()
        self._store = Store(Path(kwargs["hermes_home"]) / "sqlite_memory.db")
        self._session = session_id
        self._is_primary = kwargs.get("agent_context", "primary") == "primary"
        saved = Path(kwargs["hermes_home"]) / CONFIG
        if saved.exists():
            self._language = json.loads(saved.read_text())["language"]

    def get_config_schema(self) -> list[dict[str, Any]]:
        return [
            {"key": "language", "description": "The language of the notes.", "default": "en"},
            {"key": "key", "description": "The key of the notes.", "secret": True, "env_var": "SQLITE_MEMORY_KEY"},
        ]

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        Path(hermes_home, CONFIG).write_text(json.dumps(values))

    def backup_paths(self) -> list[str]:
        return []

    def system_prompt_block(self) -> str:
        return f"Notes of earlier sessions are kept in {self._language}; sqlite_recall finds them."

    def prefetch(self, query: str, *, session_id: str = "", **kwargs: Any) -> str:
        try:
            return "\n".join(self._store.search(query)) if self._store else ""
        except sqlite3.Error:
            return ""

    def queue_prefetch(self, query: str, *, session_id: str = "", **kwargs: Any) -> None:
        pass

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "", **kwargs: Any) -> None:
        self._keep(f"{user_content}\n{assistant_content}")

    def _keep(self, text: str) -> None:
        if self._store and self._is_primary and text.strip():
            self._store.add(text, self._session)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return [dict(schema) for schema in SCHEMAS]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        argument = args.get("note" if tool_name == "sqlite_remember" else "words")
        if not isinstance(argument, str) or self._store is None:
            return json.dumps({"error": f"{tool_name} needs text."})
        if tool_name == "sqlite_remember":
            self._keep(argument)
            return json.dumps({"kept": argument})
        return json.dumps({"found": self._store.search(argument)})

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        pass

    def on_session_end(self, messages: list[dict[str, Any]], **kwargs: Any) -> None:
        pass

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        self._session = new_session_id

    def on_pre_compress(self, messages: list[dict[str, Any]], **kwargs: Any) -> str:
        said = [one["content"] for one in messages if isinstance(one["content"], str)]
        return "\n".join(said[-2:])

    def on_delegation(self, task: str, result: str, *, child_session_id: str = "", **kwargs: Any) -> None:
        self._keep(f"{task}\n{result}")

    def on_memory_write(self, action: str, target: str, content: str, **kwargs: Any) -> None:
        if action != "remove":
            self._keep(content)

    def shutdown(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None


def register(ctx: Any) -> None:
    ctx.register_memory_provider(SqliteMemory())
