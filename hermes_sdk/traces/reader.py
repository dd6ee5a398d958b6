"""Reader of traces. Traces are untrusted, so their size, their depth and the types of their values are checked.

`trace.schema.json` defines the types. For an event, jsonschema would take longer than parsing, so this module checks
the few keywords of that schema itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hermes_sdk.documents import DocumentError, parse_json, read_user_file
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.fields import TYPES
from hermes_sdk.traces.trace import SCHEMA, Trace

MAX_BYTES = 256 * 1024 * 1024
"""The maximum size of a trace in bytes."""

MAX_EVENTS = 200_000

_CLASSES: Mapping[str, type] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "object": dict,
    "string": str,
}
_SHOWN = 60


def read_trace(path: Path) -> Trace:
    """Read a trace.

    Args:
        path: The file; ``-`` is standard input.

    Raises:
        UsageError: The file cannot be read, or is not a trace.
    """
    try:
        content = (
            sys.stdin.buffer.read(MAX_BYTES + 1) if path == Path("-") else read_user_file(path, max_bytes=MAX_BYTES)
        )
    except OSError as error:
        raise UsageError(f"the trace cannot be read: {error.strerror}", where=str(path)) from None
    except DocumentError as error:
        raise UsageError(f"the trace is rejected: {error}", where=str(path), fix=_SHORTER) from None
    return parse_trace(content, str(path))


def parse_trace(content: bytes | str, where: str) -> Trace:
    """Parse the content of a file.

    Args:
        content: JSON Lines in UTF-8; lone surrogates, which a plugin may return, are preserved.
        where: The name of the file, for errors.

    Raises:
        UsageError: The content is not a trace, or too large.
    """
    if len(content) > MAX_BYTES:
        raise UsageError(f"the trace is rejected: larger than {MAX_BYTES >> 20} MiB", where=where, fix=_SHORTER)
    try:
        text = content.decode(errors="surrogatepass") if isinstance(content, bytes) else content
    except UnicodeDecodeError:
        raise UsageError("the trace is not UTF-8", where=where) from None
    text = text.removesuffix("\n")
    if text.count("\n") > MAX_EVENTS:
        raise UsageError(f"the trace is rejected: more than {MAX_EVENTS} events", where=where, fix=_SHORTER)
    header, *events = (
        _parse_line(line, "event" if number > 1 else "header", f"{where}:{number}")
        for number, line in enumerate(text.split("\n"), 1)
    )
    return Trace(
        host=header["host"],
        release=header["release"],
        scenario=header["scenario"],
        events=tuple(events),
        problems=tuple(header["problems"]),
        normalised=header["normalised"],
        observed=header.get("observed", False),
        recording=header.get("recording"),
        reason=header.get("reason"),
        rerun=header.get("rerun", False),
        forms=header.get("forms", {}),
    )


_SHORTER = "Record a shorter session."


def _parse_line(line: str, kind: str, where: str) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except ValueError as error:
        raise UsageError(f"not a valid trace of schema {SCHEMA}: {error}", where=where) from None
    wrong = make_rule(kind).find_violation(value, kind)
    if wrong:
        raise UsageError(f"not a valid trace of schema {SCHEMA}: {wrong}", where=where, fix="Record the trace again.")
    found: dict[str, Any] = value
    return found


@cache
def _definitions() -> dict[str, Any]:
    text = Path(__file__).with_name("trace.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = parse_json(text)["$defs"]
    return found


@cache
def make_rule(name: str) -> Rule:
    """Return the rule of a part of the schema: ``header`` or ``event``."""
    return Rule(_definitions()[name])


class Rule:
    """A part of a schema, with the keywords that ``trace.schema.json`` uses."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        if "$ref" in schema:
            schema = _definitions()[schema["$ref"].rpartition("/")[2]]
        wanted = schema.get("type", list(_CLASSES))
        self._types = [wanted] if isinstance(wanted, str) else wanted
        self._classes = {_CLASSES[one] for one in self._types} | ({float} if "type" not in schema else set())
        self._allowed = [schema["const"]] if "const" in schema else schema.get("enum")
        self._range = (schema["minimum"], schema["maximum"]) if "minimum" in schema else None
        self._required = schema.get("required", ())
        self._properties = {key: Rule(part) for key, part in schema.get("properties", {}).items()}
        self._items = Rule(schema["items"]) if "items" in schema else None
        self._values = Rule(schema["additionalProperties"]) if "additionalProperties" in schema else None
        # All conditions of the schema check the kind of an event.
        self._branches = [
            (part["if"]["properties"]["kind"]["enum"], Rule(part.get("then", {})), Rule(part.get("else", {})))
            for part in schema.get("allOf", ())
        ]

    def find_violation(self, value: Any, name: str) -> str:
        """Return why a value is not valid, or an empty string."""
        if type(value) not in self._classes:
            return (
                f"{name} must be {' or '.join(TYPES.get(one, one) for one in self._types)}, not {format_short(value)}"
            )
        if self._allowed is not None and value not in self._allowed:
            return f"{name} must be {' or '.join(map(format_short, self._allowed))}, not {format_short(value)}"
        if self._range and not self._range[0] <= value <= self._range[1]:
            return f"{name} is not between {self._range[0]} and {self._range[1]}"
        if isinstance(value, dict):
            for key in self._required:
                if key not in value:
                    return f"the key {key!r} is missing in {name}"
            for key, rule in self._properties.items():
                if key in value and (wrong := rule.find_violation(value[key], key)):
                    return wrong
            for kinds, then, otherwise in self._branches:
                rule = then if value["kind"] in kinds else otherwise
                if wrong := rule.find_violation(value, name):
                    return wrong
            if self._values:
                for key, item in value.items():
                    if wrong := self._values.find_violation(item, key):
                        return wrong
        if self._items and isinstance(value, list):
            for item in value:
                if wrong := self._items.find_violation(item, f"an item of {name}"):
                    return wrong
        return ""


def format_short(value: Any) -> str:
    """Format a value for an error message, truncated to 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
