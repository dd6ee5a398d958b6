"""Time until a browser shows the page of a long trace."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from playwright.sync_api import sync_playwright

from bench.measure import Figure
from hermes_sdk.traces import Trace
from hermes_sdk.traces.timeline import render_page

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-headless-shell")
EVENTS = 1000
ROUNDS = 5


def figures() -> Iterator[Figure]:
    """Measure wall-clock time; other programs only add time, so the quickest round counts."""
    with tempfile.TemporaryDirectory(prefix="hermes-sdk-bench-") as folder:
        page = Path(folder) / "page.html"
        began = perf_counter()
        page.write_text(render_page(make_trace(), "long.trace"))
        yield Figure(f"view, trace of {EVENTS} events to page", perf_counter() - began, 1, "s")
        yield Figure(f"view, page of {EVENTS} events open in a browser", _open(page), 1, "s")


def make_trace() -> Trace:
    """Make a trace of sessions with ten questions each; requests and hooks contain the messages before them."""
    said: list[dict[str, str]] = []
    events: list[dict[str, object]] = []
    for number in range(EVENTS // 4):
        said = [*(said if number % 10 else ()), {"role": "user", "content": f"Question {number}"}]
        history = {"session_id": f"<session {number // 10}>", "conversation_history": said}
        for kind, name, arguments in (
            ("hook", "pre_llm_call", history),
            ("llm_request", "main", {"messages": said}),
            ("tool", "notes", {"args": {"number": number}}),
            ("hook", "post_tool_call", {**history, "tool_name": "notes"}),
        ):
            event = {"kind": kind, "name": name, "thread": "", "t": len(events), "end": len(events), "returned": "Yes."}
            events.append({**event, "callback": "hermes_plugins.notes.answer", "arguments": arguments})
        said = [*said, {"role": "assistant", "content": "An answer. " * 100}]
    return Trace.of(events, host="embedded", release="0.22.2", scenario="long.yaml")


def _open(page: Path) -> float:
    times: list[float] = []
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=BROWSER) as browser:
        for _ in range(ROUNDS):
            tab = browser.new_page()
            began = perf_counter()
            tab.goto(page.as_uri())
            tab.get_by_text(f"{EVENTS} events").wait_for()
            times.append(perf_counter() - began)
            tab.close()
    return min(times)
