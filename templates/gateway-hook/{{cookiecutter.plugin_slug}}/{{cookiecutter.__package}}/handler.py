"""{{ cookiecutter.plugin_name }}, a gateway hook for Hermes Agent. The gateway calls `handle`."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.api import GatewayEventContext

KEPT = ("platform", "user_id", "session_id", "command")


def handle(event_type: str, context: GatewayEventContext) -> None:
    """Record an event. The gateway calls this for each event that HOOK.yaml lists."""
    entry = {"time": datetime.now(UTC).isoformat(timespec="seconds"), "event": event_type}
    entry |= {key: str(value) for key, value in context.items() if key in KEPT}
    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(entry) + "\n")


def _file() -> Path:
    # Read the variable in each call, because every test has its own home.
    home = os.environ.get("HERMES_HOME") or Path.home() / ".hermes"
    return Path(home) / "plugin-data" / "{{ cookiecutter.plugin_slug }}" / "diary.jsonl"
