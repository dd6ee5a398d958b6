"""A plugin to inspect."""

from __future__ import annotations

from pathlib import Path

import pytest

BODY = """
import json

SCHEMA = {
    "name": "total",
    "description": "Adds numbers.",
    "parameters": {"type": "object", "properties": {"numbers": {"type": "array", "items": {"type": "integer"}}}},
}


def total(args, **more):
    return json.dumps({"total": sum(args["numbers"])})


def remind(user_message=None, **more):
    return {"context": f"They said {user_message.upper()}"}


def register(ctx):
    ctx.register_tool("total", "sums", SCHEMA, total)
    ctx.register_hook("pre_llm_call", remind)
    ctx.register_command("echo", lambda line: f"echo {line}", "Echo.")
"""


def write_plugin(parent: Path) -> Path:
    folder = parent / "sums"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: sums\nversion: 1.0.0\nkind: standalone\n")
    (folder / "__init__.py").write_text(BODY)
    return folder


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    return write_plugin(tmp_path)
