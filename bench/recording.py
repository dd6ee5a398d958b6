"""CPU time of replaying a recording, including the host that plays it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace as change
from pathlib import Path

from bench.measure import Command, Figure
from hermes_sdk.traces import move_paths, play, read_recording, write_recording

EVENTS = 1000
ROUNDS = 3
_TURNS = 125
# Hide a package that our release tools install and users do not have: jsonschema takes a second to import it.
_REPLAY = """
import sys
sys.modules["rfc3987_syntax"] = None
from hermes_sdk.cli.main import run
run(["replay", sys.argv[1]])
"""
_PLUGIN = """
def tool(args, **more): return '{"found": "tea"}'
def hook(**arguments): pass
def register(ctx):
    ctx.register_tool("search", "notes", {"name": "search", "description": "Searches.", "parameters": {}}, tool)
    for name in ("pre_llm_call", "post_llm_call", "pre_tool_call", "post_tool_call"):
        ctx.register_hook(name, hook)
"""


def figures() -> Iterator[Figure]:
    """Measure the replay of a session with at least `EVENTS` events."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as name:
        path = _record(Path(name))
        recorded = read_recording(path)
        assert len(recorded.events) >= EVENTS, len(recorded.events)
        replaying = Command([sys.executable, "-c", _REPLAY, str(path)])
        yield Figure(f"replay of {len(recorded.events)} events", min(replaying.cpu() for _ in range(ROUNDS)), 1, "s")


def _record(folder: Path) -> Path:
    plugin = folder / "notes"
    plugin.mkdir()
    (plugin / "plugin.yaml").write_text("name: notes\n")
    (plugin / "__init__.py").write_text(_PLUGIN)
    answers = [{"tool_calls": [{"name": "search", "args": {"text": "tea"}}]}, {"text": "There is tea."}]
    scenario = {"plugins": ["notes"], "script": {"main": answers * _TURNS}, "turns": ["/new", "tea?"] * _TURNS}
    (folder / "scenario.yaml").write_text(json.dumps(scenario))
    made = play(folder / "scenario.yaml", record=True)
    path = folder / "bench.trace"
    write_recording(change(made, recording=move_paths(made.recording or {}, folder, folder)), path)
    return path
