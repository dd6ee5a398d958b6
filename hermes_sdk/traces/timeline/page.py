"""The timeline of a trace: its rows, and one page of HTML that holds everything and needs no network."""

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
    """One event of a timeline.

    Attributes:
        at: Its position among the events.
        plugin: The plugin whose callback it is, or empty.
        indent: How many calls it stands in.
        effect: What the callback did to the run, if anything.
        links: The events that belong to it: a label and the position of each.
    """

    at: int
    event: Event
    plugin: str
    indent: int
    effect: Effect | None
    links: Sequence[tuple[str, int]] = field(default=())

    @property
    def milliseconds(self) -> float | None:
        """Return how long it took; only a trace that was not normalized knows."""
        began, end = self.event.get("t"), self.event.get("end")
        return None if began is None or end is None else (end - began) / 1e6


@dataclass(frozen=True)
class Timeline:
    """The events of a run in order, and what each plugin did at each step.

    Attributes:
        stack: For each step at which a plugin changed something the position of its first event, its name and its
            subject, and by plugin the rows of its callbacks.
    """

    rows: Sequence[Row]
    stack: Sequence[tuple[int, str, str, Mapping[str, Sequence[Row]]]]

    @property
    def plugins(self) -> list[str]:
        """The plugins with a callback in the run, in order of their first one."""
        return list(dict.fromkeys(row.plugin for row in self.rows if row.plugin))

    @property
    def verbs(self) -> list[str]:
        """Return what callbacks did, each word once."""
        return list(dict.fromkeys(row.effect.verb for row in self.rows if row.effect))

    @property
    def kinds(self) -> list[str]:
        """The kinds of the events, in order of their first one."""
        return list(dict.fromkeys(str(row.event["kind"]) for row in self.rows))


def make_timeline(events: Sequence[Event], contract: Contract) -> Timeline:
    """Make the timeline of a run.

    Args:
        events: Those of a `Trace`.
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
    """Yield how far each event stands in: as deep as the calls around it, and below the main thread in another."""
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
    """Link the requests in which a model calls a tool with the tool that ran, or where its result was sent back."""
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
    """Take the tool that ran for a call from the list of those that ran, else find the next request."""
    first, following = bisect(ran, at), requests[bisect(requests, at)]
    return ran.pop(first) if first < len(ran) and ran[first] < following else following


def format_value(value: Any) -> str:
    """Format a value for people: text that is JSON as its value, and only the beginning of what is too long."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse_json(value)
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def summarize(value: Any) -> str:
    """Format a value on one line; of a model's answer its text and the tools that it calls."""
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
    """Make the environment of templates that may include ``timeline.html``, with all texts escaped.

    Args:
        *folders: Where further templates are.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, FOLDER / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
    )
    environment.filters["pretty"] = format_value
    environment.filters["summary"] = summarize
    # The order of a schema is its author's.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return environment


def render_page(trace: Trace, title: str) -> str:
    """Render the page of a trace.

    Args:
        title: Its name, such as that of its file.
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
