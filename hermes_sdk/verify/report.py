"""A verdict as text and as JSON, both bounded in size."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from hermes_sdk.terminal import format_count, style
from hermes_sdk.verify.verdict import Failure, Verdict

_WIDTH = 100
_MAX_SIZE = 4000
_MAX_TEXT = 400
_MAX_OTHERS = 20
_MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "not run": ("-", "yellow")}


def write_text(verdict: Verdict) -> str:
    """Return a verdict for a person, in lines of at most 100 columns."""
    return "\n".join(_write_lines(verdict))


def _write_lines(verdict: Verdict) -> Iterator[str]:
    failures = verdict.failures
    number = format_count(len(failures), "failure")
    yield style("✓ Ready to ship.", fg="green") if verdict.passed else style(f"✗ Not ready: {number}.", fg="red")
    if failures:
        first, *others = failures
        yield ""
        yield style(first.title, bold=True)
        yield from _wrap("  ", first.message)
        yield from _wrap("  fix   ", first.fix or "See the reason.")
        yield f"  show  {first.command}"
        yield from ["", "Then:"] if others else []
        for one in others[:_MAX_OTHERS]:
            yield f"  {_cut(f'{one.title}: {one.message}', _WIDTH - 2)}"
        if len(others) > _MAX_OTHERS:
            yield f"  and {len(others) - _MAX_OTHERS} more"
    yield ""
    for step in verdict.steps:
        mark, colour = _MARKS[step.state]
        yield f"{style(mark, fg=colour)} {_cut(f'{step.name}: {step.detail}'.removesuffix(': '), _WIDTH - 2)}"
    for note in verdict.notes:
        yield from _wrap("note: ", note)
    if verdict.log:
        yield f"log: {verdict.log}"


def _wrap(label: str, text: str) -> Iterator[str]:
    indented = " " * len(label)
    yield from textwrap.wrap(_cut(text, _MAX_TEXT), _WIDTH, initial_indent=label, subsequent_indent=indented)


def _cut(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def write_json(verdict: Verdict) -> str:
    """Return a verdict in the schema ``hermes-sdk.verify/1``, cut to 4000 bytes."""
    first, *others = verdict.failures or (None,)
    document: dict[str, Any] = {
        "schema": "hermes-sdk.verify/1",
        "path": verdict.path,
        "passed": verdict.passed,
        "steps": [{**step._asdict(), "detail": _cut(step.detail, 80)} for step in verdict.steps],
        "first": _make_entry(first, _MAX_TEXT) if first else None,
        "others": [_make_entry(one, 80) for one in others[:_MAX_OTHERS] if one],
        "omitted": max(len(others) - _MAX_OTHERS, 0),
        "log": verdict.log or None,
        "notes": [_cut(note, _MAX_TEXT) for note in verdict.notes],
    }
    while len((text := json.dumps(document, indent=1, ensure_ascii=False)).encode()) > _MAX_SIZE and document["others"]:
        document["others"].pop()
        document["omitted"] += 1
    return text


def _make_entry(failure: Failure, length: int) -> dict[str, Any]:
    entry = {
        name: _cut(value, length) if isinstance(value, str) else value for name, value in failure._asdict().items()
    }
    if length < _MAX_TEXT:
        # Of the other failures, print only the place and the message: users fix the first one first.
        del entry["fix"], entry["command"], entry["column"]
    return entry
