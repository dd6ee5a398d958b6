"""Timeline of a trace: its rows, and a self-contained HTML page that does not need network access."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk import __version__, contract
from hermes_sdk.contract import Contract
from hermes_sdk.documents import parse_json
from hermes_sdk.traces.timeline.effects import Effect, Step, find_effects, find_steps, plugin_of
from hermes_sdk.traces.trace import Event, Trace

if TYPE_CHECKING:
    from jinja2 import Environment, Template


_MAIN = "MainThread"
_SHOWN = 100_000
_SUMMARY = 120
_DEEPEST = 8


@dataclass(frozen=True)
class Row:
    """An event of a timeline.

    Attributes:
        at: Its position among the events.
        plugin: The plugin whose callback was called, or empty.
        indent: The number of calls around it.
        effect: The effect of the callback on the run, if any.
        links: Label and position of each related event.
    """

    at: int
    event: Event
    plugin: str
    indent: int
    effect: Effect | None
    links: Sequence[tuple[str, int]] = field(default=())

    @property
    def milliseconds(self) -> float | None:
        """Return the duration; None for normalised traces."""
        began, end = self.event.get("t"), self.event.get("end")
        return None if began is None or end is None else (end - began) / 1e6


@dataclass(frozen=True)
class Timeline:
    """The events of a run in order, and the effects of plugins at each step.

    Attributes:
        stack: For each step with an effect of a plugin, the position of its first event, its name, its subject, and the
            rows of its callbacks by plugin.
    """

    rows: Sequence[Row]
    stack: Sequence[tuple[int, str, str, Mapping[str, Sequence[Row]]]]

    @property
    def plugins(self) -> list[str]:
        """Return the plugins with a callback in the run, in the order of their first calls."""
        return list(dict.fromkeys(row.plugin for row in self.rows if row.plugin))

    @property
    def verbs(self) -> list[str]:
        """Return the verbs of all effects, without duplicates."""
        return list(dict.fromkeys(row.effect.verb for row in self.rows if row.effect))

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of events, in the order of their first events."""
        return list(dict.fromkeys(str(row.event["kind"]) for row in self.rows))


def make_timeline(events: Sequence[Event], contract: Contract) -> Timeline:
    """Create the timeline of a run.

    Args:
        events: The events of a `Trace`.
    """
    steps = find_steps(events)
    effects = find_effects(events, steps, contract)
    links = _link(events)
    rows = [
        Row(at, event, plugin_of(event), min(indent, _DEEPEST), effects.get(at), links.get(at, ()))
        for at, (event, indent) in enumerate(zip(events, find_indents(events), strict=True))
    ]
    return Timeline(rows, [_stack(step, rows) for step in steps if any(at in effects for at in step.positions)])


def _stack(step: Step, rows: Sequence[Row]) -> tuple[int, str, str, Mapping[str, Sequence[Row]]]:
    by_plugin: dict[str, list[Row]] = {}
    for at in step.positions:
        by_plugin.setdefault(rows[at].plugin, []).append(rows[at])
    first = step.positions[0]
    subject = rows[first].event.get("arguments", {}).get("tool_name")
    return first, step.name, subject if isinstance(subject, str) else "", by_plugin


def find_indents(events: Sequence[Event]) -> Iterator[int]:
    """Yield the indent of each event: the number of calls around it, including those of the main thread."""
    around = main = 0
    for event in events:
        if event["kind"] in ("turn", "register", "message"):
            around = int(event["kind"] == "turn")
            main = 0
            yield 0
        elif event["thread"] == _MAIN:
            around = min(around, event["depth"])
            main = event["depth"] - around
            yield main
        else:
            yield main + 1 + event["depth"]


def _link(events: Sequence[Event]) -> dict[int, list[tuple[str, int]]]:
    """Link requests with tool calls to the tools that ran, or to the requests with their results."""
    links: dict[int, list[tuple[str, int]]] = {}
    ran: dict[str, list[int]] = {}
    requests: dict[str, list[int]] = {}
    for at, event in enumerate(events):
        if event["kind"] in ("tool", "builtin_tool"):
            ran.setdefault(event["name"], []).append(at)
        elif event["kind"] == "llm_request":
            requests.setdefault(event["name"], []).append(at)
    for lane in requests.values():
        lane.append(len(events))
    for at, event in enumerate(events):
        answer = event.get("returned") if event["kind"] == "llm_request" else None
        calls = answer.get("tool_calls") if isinstance(answer, dict) else None
        for call in calls if isinstance(calls, list) else ():
            name = str(call.get("name") if isinstance(call, dict) else None)
            found = _find_result(at, ran.get(name, []), requests[event["name"]])
            if found < len(events):
                links.setdefault(at, []).append((f"result of {name}", found))
                links.setdefault(found, []).append((f"call of {name}", at))
    return links


def _find_result(at: int, ran: list[int], requests: Sequence[int]) -> int:
    """Return the tool that ran for a call, and remove it from `ran`; without such a tool, return the next request."""
    first, following = bisect(ran, at), requests[bisect(requests, at)]
    return ran.pop(first) if first < len(ran) and ran[first] < following else following


def format_value(value: Any) -> str:
    """Format a value for display: parse JSON text, and truncate long values."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse_json(value)
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def summarize(value: Any) -> str:
    """Format a value on one line; for a model's answer, its text and tool calls."""
    if isinstance(value, dict) and value.get("__type__") == "Answer":
        calls = value.get("tool_calls")
        names = [one.get("name") for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
        parts = [value.get("text"), value.get("error"), *(f"calls {name}" for name in names)]
        value = ", ".join(str(one) for one in parts if one)
    text = " ".join(format_value(value).split())
    return text if len(text) <= _SUMMARY else f"{text[: _SUMMARY - 1]}…"


FOLDER = Path(__file__).parent

_STYLES = ("theme.css", "timeline.css", "page.css")
_SCRIPTS = ("timeline.js",)


def make_environment(*folders: Path) -> Environment:
    """Create a template environment with escaping, whose templates can include ``timeline.html``.

    Args:
        *folders: Directories with additional templates.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, FOLDER / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
    )
    environment.filters["pretty"] = format_value
    environment.filters["summary"] = summarize
    # Keep the author's order of the keys in a schema.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return environment


def render_page(trace: Trace, title: str) -> str:
    """Render the page of a trace.

    Args:
        title: The title, such as the name of the trace's file.
    """
    timeline = make_timeline(trace.events, contract.load_closest(trace.release))
    style, script = (
        "".join((FOLDER / "static" / name).read_text(encoding="utf-8") for name in names)
        for names in (_STYLES, _SCRIPTS)
    )
    return _load_template().render(
        title=title,
        trace=trace,
        release=contract.format_release(trace.release, trace.host),
        timeline=timeline,
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
        version=__version__,
    )


@cache
def _load_template() -> Template:
    return make_environment().get_template("page.html")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
