"""Write the drawings in `docs/pictures/`.

They show the layers that the linter enforces, the processes, and a turn, which is drawn from its trace.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from writing import ROOT

from hermes_sdk.traces import Event, play

FOLDER = ROOT / "docs" / "pictures"

# Drawings have their own background, which makes them readable on light and dark pages.
STYLE = """\
<style>
  text { font: 15px system-ui, sans-serif; fill: #e8e8ee; }
  .code { font: 13px ui-monospace, Menlo, Consolas, monospace; }
  .quiet { fill: #a9adbd; }
  .answer { fill: #9ad07a; }
  line, path { stroke: #8b90a5; stroke-width: 1.5; fill: none; }
  .back { stroke-dasharray: 5 4; stroke: #9ad07a; }
  .panel { fill: #1d2130; }
  .box { fill: #2c3350; stroke: #5a66a0; }
  .note { fill: #253a2c; stroke: #4f8a5c; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
<path d="M0,0 L8,4 L0,8 z" style="fill: #c8cbda; stroke: none"/></marker></defs>
"""

WHAT = {
    "cli": "thin commands",
    "submit": "entries of the catalog",
    "verify": "one verdict",
    "inspector": "the page of dev",
    "operate": "plugins of a home",
    "compat": "every release",
    "documentation": "search",
    "explain": "a rule by its code",
    "skill": "for coding agents",
    "scaffold": "templates",
    "check": "rules",
    "testing": "pytest, suites",
    "traces": "play scenarios, record what plugins see, compare two runs",
    "hosts": "embedded and real, behind one interface",
    "llm": "a model that plays a script",
    "home": "one HERMES_HOME on disk",
    "manifest": "plugin.yaml, with positions",
    "cache": "folders, all or nothing",
    "contract": "promises of releases",
    "installer": "uv or pip",
    "requirements": "PEP 508",
    "files": "the one writer",
    "redaction": "the one redactor",
    "journal": "recovery after a kill",
    "disk": "durability, owners",
    "documents": "JSON, TOML in limits",
    "terminal": "safe output",
    "api": "the types of plugins",
    "errors": "one family",
    "links": "one policy",
    "system": "Linux, macOS, Windows",
}


def panel(width: int, height: int, title: str, body: str) -> str:
    """Return a drawing on its own panel."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>{escape(title)}</title>\n{STYLE}"
        f'<rect class="panel" width="{width}" height="{height}" rx="10"/>\n{body}</svg>\n'
    )


def layers() -> str:
    """Draw the layers of the package, as the import linter defines them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = [row.replace("(", "").replace(")", "").split(" | ") for row in contracts[0]["layers"]]
    width, top, parts = 860, 20, []
    for row in rows:
        # A layer with more than three packages has several lines, which are closer together than layers.
        for line in (row[start : start + 3] for start in range(0, len(row), 3)):
            each = (width - 40 - 12 * (len(line) - 1)) / len(line)
            for column, name in enumerate(line):
                left = 20 + column * (each + 12)
                parts.append(f'<rect class="box" x="{left:.0f}" y="{top}" width="{each:.0f}" height="44" rx="6"/>')
                parts.append(f'<text class="code" x="{left + 14:.0f}" y="{top + 27}">{name}</text>')
                shift = left + 30 + 8 * len(name)
                parts.append(f'<text class="quiet" x="{shift:.0f}" y="{top + 27}">{escape(WHAT[name])}</text>')
            top += 50
        top += 8
    return panel(width, top + 8, "The layers of hermes-sdk; imports point down", "\n".join(parts) + "\n")


PLUGIN = """\
import json

HOOKS = [
    "on_session_start", "pre_llm_call", "pre_tool_call", "post_tool_call", "transform_tool_result",
    "transform_llm_output", "post_llm_call", "on_session_end",
]


def remember(**arguments):
    return {"context": "The user likes tea."}


def register(ctx):
    schema = {"name": "brew", "description": "Brews.", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("brew", "kitchen", schema, lambda args, **more: json.dumps({"cup": "ready"}))
    for hook in HOOKS:
        ctx.register_hook(hook, remember if hook == "pre_llm_call" else lambda **arguments: None)
"""
SCENARIO = {
    "plugins": ["kitchen"],
    "script": {"main": [{"tool_calls": [{"name": "brew", "args": {}}]}, {"text": "Your tea is ready."}]},
    "turns": ["Make me some tea."],
}
LANES = {"user": 90, "host": 280, "plugin": 640, "model": 840}
STEP = 40


def turn() -> str:
    """Draw a turn with a tool call as a sequence of calls of the plugin and the model."""
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "kitchen"
        plugin.mkdir()
        (plugin / "plugin.yaml").write_text("name: kitchen\nkind: standalone\n", encoding="utf-8")
        (plugin / "__init__.py").write_text(PLUGIN, encoding="utf-8")
        scenario = Path(folder) / "scenario.yaml"
        scenario.write_text(json.dumps(SCENARIO), encoding="utf-8")
        events = [event for event in play(scenario).events if event["kind"] != "register"]
    arrows = list(_arrows(events))
    bottom = 92 + STEP * len(arrows)
    parts = []
    for name, x in LANES.items():
        parts.append(f'<rect class="box" x="{x - 55}" y="16" width="110" height="34" rx="6"/>')
        parts.append(f'<text x="{x}" y="38" text-anchor="middle">{name}</text>')
        parts.append(f'<line x1="{x}" y1="50" x2="{x}" y2="{bottom - 14}"/>')
    for number, (left, right, said, answer) in enumerate(arrows):
        parts += _arrow(LANES[left], LANES[right], 84 + STEP * number, said, answer)
    return panel(920, bottom, "A turn with a tool call, and the hooks of a plugin", "\n".join(parts) + "\n")


def _arrows(events: list[Event]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the arrows of the sequence: caller, callee, call and result."""
    for event in events:
        returned = event.get("returned")
        if event["kind"] == "turn":
            yield "user", "host", str(event["arguments"]["text"]), ""
        elif event["kind"] == "llm_request":
            calls = [f"calls {call['name']}" for call in returned["tool_calls"]]
            yield "host", "model", "request", calls[0] if calls else f"“{returned['text']}”"
        else:
            told = "" if returned is None else returned if isinstance(returned, str) else json.dumps(returned)
            yield "host", "plugin", f"{event['name']}()" if event["kind"] == "tool" else event["name"], told
    yield "host", "user", str(next(event for event in events if event["kind"] == "turn")["returned"]), ""


def _arrow(start: int, end: int, y: int, said: str, answer: str) -> Iterator[str]:
    shift = 4 if end > start else -4
    yield f'<line x1="{start}" y1="{y}" x2="{end - shift}" y2="{y}" marker-end="url(#tip)"/>'
    x = min(start, end) + 12
    yield f'<text class="code" x="{x}" y="{y - 6}">{escape(said)}</text>'
    if answer:
        told, place = f"↩ {escape(answer)}", f'x="{max(start, end) - 12}" y="{y + 15}" text-anchor="end"'
        yield f'<text class="code answer" {place}>{told}</text>'


COMMAND, SERVERS, CHILDREN = (20, 200), (310, 270), (670, 230)
"""Left edge and width of each column of the drawing of processes."""

PROCESSES = (
    ("fork server", "our Python, everything imported", "child", "embedded host, plugin", "behind layers"),
    ("fork server", "Python of a Hermes release", "child", "real host, plugin", "behind layers,", "but not for pytest"),
    ("runner", "compat; one for each processor", "cell", "load or tests of a project"),
    ("program behind layers", "wheel build, Hermes' own checks"),
    ("hermes", "your own, with our recorder"),
)
"""For each process that a command starts: what it is, and what it forks."""

_ROW = 104


def processes() -> str:
    """Draw the processes of hermes-sdk: which one starts which, and which communicate."""
    left, width = COMMAND
    height = 40 + _ROW * len(PROCESSES)
    parts = [
        f'<rect class="box" x="{left}" y="20" width="{width}" height="{height - 40}" rx="6"/>',
        *_words(left, 20, "hermes-sdk, pytest", "a test's embedded host", "and plugin run here"),
    ]
    for number, (server, about, *forked) in enumerate(PROCESSES):
        top = 52 + _ROW * number
        parts += _process(SERVERS, top, server, about)
        parts += _arrow(left + width, SERVERS[0], top + 28, "starts", "")
        if forked:
            parts += _process(CHILDREN, top, *forked)
            parts += _arrow(sum(SERVERS), CHILDREN[0], top + 28, "forks", "")
        partner = CHILDREN if server == "fork server" else SERVERS
        said = {"runner": "cells and outcomes", "hermes": "events"}.get(server, "requests and answers")
        parts += _channel(left + width, partner[0] + 40, top, said)
    # For a loaded plugin and for a scenario, the server of a real host starts within the isolation of the child.
    start, end = 52 + 64, 52 + _ROW
    parts.append(
        f'<path d="M{CHILDREN[0] + 90},{start} V{end - 26} H{SERVERS[0] + 240} V{end}" marker-end="url(#tip)"/>'
    )
    parts.append(f'<text class="code" x="{SERVERS[0] + 252}" y="{end - 32}">starts</text>')
    return panel(920, height, "The processes of hermes-sdk", "\n".join(parts) + "\n")


def _process(column: tuple[int, int], top: int, name: str, *about: str) -> Iterator[str]:
    left, width = column
    kind = "note" if "behind layers" in (name, *about) or name.endswith("behind layers") else "box"
    yield f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{30 + 17 * len(about)}" rx="6"/>'
    yield from _words(left, top, name, *about)


def _words(left: int, top: int, name: str, *about: str) -> Iterator[str]:
    yield f'<text class="code" x="{left + 12}" y="{top + 20}">{escape(name)}</text>'
    for number, line in enumerate(about):
        yield f'<text class="quiet" x="{left + 12}" y="{top + 38 + 17 * number}">{escape(line)}</text>'


def _channel(start: int, end: int, top: int, said: str) -> Iterator[str]:
    yield f'<path class="back" d="M{start},{top - 12} H{end} V{top}"/>'
    yield f'<text class="code answer" x="{start + 12}" y="{top - 17}">{said}</text>'


DRAWINGS = {"layers": layers, "processes": processes, "turn": turn}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8")
