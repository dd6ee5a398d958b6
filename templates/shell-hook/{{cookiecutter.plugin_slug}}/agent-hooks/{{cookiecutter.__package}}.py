#!/usr/bin/env python3
"""{{ cookiecutter.plugin_name }}, a shell hook for Hermes Agent: reads a call as JSON, and may block it."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.api import BlockToolCall, ToolShellHookPayload

RULES = {
    r"\bgit\b.*\bpush\b.*\s(--force|-f)\b": "A forced push deletes the work of others. Push to a new branch.",
    r"\brm\s+(-\w+\s+)*-\w*[rR]\w*\s+(-\w+\s+)*(/|~|\$HOME)/?(\s|$)": "That would delete everything. Name a directory.",
}
"""Patterns of commands that are blocked, each with what the agent is told instead."""


def judge(payload: ToolShellHookPayload) -> BlockToolCall | None:
    """Return the answer that blocks a call, or None to allow it."""
    command = payload["tool_input"].get("command")
    for pattern, message in RULES.items():
        if isinstance(command, str) and re.search(pattern, command):
            return {"action": "block", "message": message}
    return None


if __name__ == "__main__":
    answer = judge(json.load(sys.stdin))
    if answer:
        print(json.dumps(answer))
