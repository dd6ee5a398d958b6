"""Normalisation of events: values that differ between runs are replaced by names of their kinds."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

_CLOCKED = frozenset(
    {
        "api_duration",
        "approved_at",
        "created_at",
        "duration",
        "duration_ms",
        "duration_seconds",
        "ended_at",
        "first_chunk_at",
        "started_at",
        "timestamp",
        "updated_at",
    }
)
"""Keys whose values are times or durations."""

_UUID = r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"

# Ids are numbered by first use, so that equal ids stay equal. The id of a turn consists of two other ids and its own
# part.
_IDS = (
    ("session", re.compile(r"\b\d{8}_\d{6}_[0-9a-f]{6,8}\b")),
    ("stamp", re.compile(r"(?<=_)\d{8}_\d{6}_[0-9a-f]{8}\b")),
    ("uuid", re.compile(_UUID)),
    ("subagent", re.compile(r"\bsa-\d+-[0-9a-f]{8}\b")),
    ("delegation", re.compile(r"\bdeleg_[0-9a-f]{8}\b")),
    ("hex", re.compile(r"\b[0-9a-f]{32}\b")),
    ("turn", re.compile(r"(?<=>:)[0-9a-f]{8}\b")),
)

_OTHERS = (
    ("127.0.0.1:<port>", re.compile(r"\b127\.0\.0\.1:\d+")),
    ("<address>", re.compile(r"\b0x[0-9a-f]{6,}\b")),
    ("<time>", re.compile(r"\b\d+\.\ds(?= elapsed\))")),
    ("<time>", re.compile(r"(?<=shell hook timed out after )\d+\.\d\ds")),
    ("<time>", re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")),
    ("<code>", re.compile(r"\b[A-HJ-NP-Z2-9]{8}(?=`)")),
    ("__source_<digest>", re.compile(r"__source_[0-9a-f]{16}\b")),
    (r"\1<tip>", re.compile(r"(\bTip: )[^\n]*")),
    (r"\1<seconds>", re.compile(r'("?duration_seconds\\?"?: )[\d.]+')),
)


class Normaliser:
    """Replacement of volatile values in the events of one run.

    Args:
        places: Path -> the name that replaces it.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._names: dict[str, str] = {}
        # Cache: most texts recur, and names never change.
        self._texts: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def event(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Return an event without times and with names instead of ids."""
        kept = {key: value for key, value in event.items() if key not in ("t", "end")}
        return {**self._value(kept), "thread": thread_name(event["thread"])}

    def text(self, text: str) -> str:
        """Return a text with its ids, times, ports, addresses and paths replaced by names."""
        if text not in self._texts:
            self._texts[text] = self._normalise(text)
        return self._texts[text]

    def _normalise(self, text: str) -> str:
        text = replace_places(text, self._places)
        for kind, pattern in _IDS:
            text = pattern.sub(functools.partial(self._name_match, kind), text)
        for name, pattern in _OTHERS:
            text = pattern.sub(name, text)
        return text

    def _name_match(self, kind: str, match: re.Match[str]) -> str:
        return self._name(kind, match[0])

    def _name(self, kind: str, found: str) -> str:
        if found not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._names[found] = f"<{kind} {self._counts[kind]}>"
        return self._names[found]

    def _value(self, value: Any, key: str = "") -> Any:
        if key in _CLOCKED and isinstance(value, (int, float)):
            return f"<{type(value).__name__}>"
        if isinstance(value, str):
            if key == "description":
                return replace_places(value, self._places)  # IDs in a description are examples.
            return self._name("question", value) if key == "clarify_id" else self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return value


def replace_places(text: str, places: Mapping[str, str]) -> str:
    """Replace paths in a text, directories before their parents; ``/tmp/x`` does not match ``/tmp/x2``."""
    found = [path for path in sorted(places, key=len, reverse=True) if path in text]
    if not found:
        return text
    pattern = "|".join(map(re.escape, found))
    return re.sub(rf"(?:{pattern})(?![\w-])", lambda match: places[match[0]], text)


def thread_name(name: str) -> str:
    """Return the name of a thread without its number: ``Thread`` for ``Thread-3 (run)``."""
    return re.sub(r"[-_ ]?\d+", "", re.sub(r"\(.*\)", "", name)).strip()
