"""Repair of slightly malformed tool calls: names (C18) and arguments (C17)."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Collection, Iterator

from hermes_sdk.hosts.embedded.wording import Wording

_MIN_SIMILARITY = 0.7
_MAX_NAME = 80
_CLOSING = {"{": "}", "[": "]"}


def repair_name(name: str, valid: Collection[str]) -> str | None:
    """Return the tool that a misspelt name refers to, or None; a quote or an angle bracket ends the name.

    The name may differ in case or separators, be in CamelCase, have a suffix such as ``_tool``, or be a close match.
    """
    name = re.split(r"(?<=.)[\"'<>]", name, maxsplit=1)[0]
    if not name:
        return None
    for spelling in _list_spellings(name):
        if spelling in valid:
            return spelling
    near = difflib.get_close_matches(name.lower(), valid, n=1, cutoff=_MIN_SIMILARITY)
    return near[0] if near else None


def refuse_name(name: str, valid: Collection[str], wording: Wording) -> str:
    """Return the result of a call of a tool that does not exist."""
    which = "unknown" if name.strip() else "nameless"
    return wording(f"tool_call.{which}", name=name, tools=", ".join(sorted(valid)))


def shorten_name(name: str) -> str:
    """Shorten a long name for display."""
    return name if len(name) <= _MAX_NAME else f"{name[:_MAX_NAME]}..."


def make_safe_name(name: str) -> str:
    """Return a tool name reduced to characters that every provider accepts; may be empty."""
    if re.fullmatch(r"[\w-]{1,64}", name, re.ASCII):
        return name
    return re.sub("_+", "_", re.sub(r"[^\w-]", "_", name.strip(), flags=re.ASCII)).strip("_")[:64]


def _list_spellings(name: str) -> Iterator[str]:
    """Yield candidate spellings, the closest first; the suffix may occur twice."""
    stems = [name]
    for _ in range(2):
        if match := re.fullmatch(r"(.+?)[_-]*tool", stems[-1], re.IGNORECASE):
            stems.append(match[1])
    for stem in stems:
        yield stem
        yield stem.lower().replace("-", "_").replace(" ", "_")
        yield re.sub(r"(?<!^)(?=[A-Z])", "_", stem).lower()


def repair_arguments(text: str, *, in_order: bool) -> str | None:
    """Repair arguments that are not valid JSON; blank text is returned unchanged.

    Fixes line breaks in strings, trailing commas, and missing or extra brackets at the end. Returns None if that is not
    enough, which counts as a truncated response. With `in_order`, missing brackets are added in nesting order.
    """
    if not text.strip() or _is_json(text):
        return text
    repaired = _repair(text.strip(), in_order=in_order)
    # The host's repair returns an empty object when it fails, so such a result counts as a failure.
    return None if repaired == "{}" else repaired


def _repair(text: str, *, in_order: bool) -> str | None:
    with contextlib.suppress(ValueError):
        return json.dumps(json.loads(text, strict=False), separators=(",", ":"))
    text = re.sub(r",\s*([}\]])", r"\1", text)
    balanced = _balance_brackets((_close_in_order(text) or text) if in_order else text, adds=not in_order)
    return next(filter(_is_json, (balanced, _escape_control_characters(balanced))), None)


def _close_in_order(text: str) -> str | None:
    """Add missing closing brackets outside strings; return None if a string is not terminated."""
    closed, open_brackets = "", ""
    for part in re.findall(r'"(?:[^"\\]|\\.)*"|.', text, re.DOTALL):
        if part == '"':
            return None
        if part in _CLOSING:
            open_brackets += part
        elif part in {_CLOSING[one] for one in open_brackets}:
            while _CLOSING[open_brackets[-1]] != part:
                closed += _CLOSING[open_brackets[-1]]
                open_brackets = open_brackets[:-1]
            open_brackets = open_brackets[:-1]
        closed += part
    return closed + "".join(_CLOSING[one] for one in reversed(open_brackets))


def _balance_brackets(text: str, *, adds: bool) -> str:
    """Remove extra brackets at the end until the text is valid; with `adds`, first add missing brackets."""
    if adds:
        text += "}" * (text.count("{") - text.count("}"))
        text += "]" * (text.count("[") - text.count("]"))
    while not _is_json(text):
        last = text[-1:]
        opening = {"}": "{", "]": "["}.get(last)
        if opening is None or text.count(last) <= text.count(opening):
            break
        text = text[:-1]
    return text


def _escape_control_characters(text: str) -> str:
    """Escape control characters in strings; the last string may be unterminated."""

    def escape(string: re.Match[str]) -> str:
        return re.sub(
            r"\\.|[\x00-\x1f]",
            lambda one: one[0] if one[0][0] == "\\" else f"\\u{ord(one[0]):04x}",
            string[0],
            flags=re.DOTALL,
        )

    return re.sub(r'"(?:[^"\\]|\\.)*"?', escape, text, flags=re.DOTALL)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
