"""Encodings of known secrets, and their places in a text."""

from __future__ import annotations

import base64
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import quote

from hermes_sdk.redaction.names import REDACTED

SHORTEST: Final = 6
"""Minimum length of a secret that is replaced within other text; shorter ones occur by accident."""

_SHORTEST_ALONE = 4
_SHORTEST_PART = 8
_LONGEST_PART = 64
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]|%2[BFbf])*(?:=|%3[Dd])*")
_ESCAPE = re.compile(
    r"(?<!\\)\\+(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\+u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>[0-9a-fA-F]{4})|(?P<one>[^\\]))",
    re.DOTALL,
)
_AT_END = re.compile(r"(?<!\\)\\+$")


class KnownSecrets:
    """Finds secrets in a text in all encodings, even if truncated to half of their length and eight characters."""

    def __init__(self) -> None:
        self._secrets: set[str] = set()
        self._by_head: dict[str, list[tuple[str, bool]]] = {}
        self._parts: dict[str, int] = {}
        self._alone: re.Pattern[str] | None = None
        # A replay uses this text instead of a secret, so its encodings must be redacted like those of a secret.
        self._add_forms(REDACTED)

    def add(self, secrets: Iterable[str]) -> bool:
        """Add secrets, and return whether any of them is new."""
        new = {one for one in secrets if len(one) >= _SHORTEST_ALONE} - self._secrets
        self._secrets |= new
        for secret in new:
            if len(secret) >= SHORTEST:
                self._add_forms(secret)
                self._add_parts(drop_escapes(secret)[0])
        if any(len(one) < SHORTEST for one in new):
            forms = {form for one in self._secrets if len(one) < SHORTEST for form in _list_forms(one)}
            self._alone = re.compile(rf"(?<![\w%])(?:{'|'.join(map(re.escape, forms))})(?!\w)")
        return bool(new)

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of secrets in a text, in order; they may overlap."""
        plain, places = drop_escapes(text)
        found = [*self._find_forms(plain), *self._find_parts(plain)]
        found += [match.span() for match in self._alone.finditer(plain)] if self._alone else []
        return [(places[start], places[end]) for start, end in sorted(found)]

    def _add_forms(self, secret: str) -> None:
        forms = [(drop_escapes(one)[0], False) for one in {*_list_forms(secret)} - {REDACTED}]
        for form, is_base64 in [*forms, *((one, True) for one in {*_list_base64(secret)})]:
            alike = self._by_head.setdefault(form[:SHORTEST], [])
            alike.append((form, is_base64))
            alike.sort(key=lambda one: -len(one[0]))

    def _add_parts(self, secret: str) -> None:
        needed = min(max(_SHORTEST_PART, (len(secret) + 1) // 2), _LONGEST_PART)
        for start in range(len(secret) - _SHORTEST_PART + 1):
            part = secret[start : start + _SHORTEST_PART]
            self._parts[part] = min(needed, self._parts.get(part, needed))

    def _find_forms(self, text: str) -> Iterator[tuple[int, int]]:
        heads = self._by_head
        for start in [at for at in range(len(text) - SHORTEST + 1) if text[at : at + SHORTEST] in heads]:
            for form, is_base64 in heads[text[start : start + SHORTEST]]:
                if text.startswith(form, start):
                    end = start + len(form)
                    yield _extend(text, start, end) if is_base64 else (start, end)
                    break

    def _find_parts(self, text: str) -> Iterator[tuple[int, int]]:
        parts = self._parts
        found = [at for at in range(len(text) - _SHORTEST_PART + 1) if text[at : at + _SHORTEST_PART] in parts]
        for _, run in itertools.groupby(enumerate(found), lambda pair: pair[1] - pair[0]):
            starts = [start for _, start in run]
            end = starts[-1] + _SHORTEST_PART
            if end - starts[0] >= min(parts[text[start : start + _SHORTEST_PART]] for start in starts):
                yield starts[0], end


def _extend(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a part of a text to the entire base64 text that contains it."""
    while start and (text[start - 1].isalnum() or text[start - 1] in "+/_-"):
        start -= 1
    match = _BASE64.match(text, end)
    return start, match.end() if match else end


def drop_escapes(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without JSON and Python escapes, even repeated ones, and the original positions.

    Returns:
        The text, and for each of its characters and its end the index in the original text.
    """
    if "\\" not in text:
        return text, range(len(text) + 1)
    parts: list[str] = []
    places: list[int] = []
    position = 0
    for match in _ESCAPE.finditer(text):
        start = match.start()
        if start > position:
            parts.append(text[position:start])
            places += range(position, start)
        parts.append(
            match["one"] or _decode(match["high"], match["low"])
            if match["code"] is None
            else chr(int(match["code"], 16))
        )
        places.append(start)
        position = match.end()
    end = len(text) - len(found[0]) if (found := _AT_END.search(text, position)) else len(text)
    return "".join([*parts, text[position:end]]), [*places, *range(position, end), len(text)]


def _decode(high: str, low: str) -> str:
    """Return the character encoded by a surrogate pair."""
    return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))


def _list_forms(secret: str) -> Iterator[str]:
    """Yield a secret in plain, URL, HTML, Python bytes and hexadecimal form."""
    data = secret.encode("utf-8", "surrogatepass")
    yield secret
    for safe in ("", "/", "/:@", "-_.!~*'()"):
        quoted = quote(data, safe=safe)
        yield from (quoted, re.sub("%..", lambda code: code[0].lower(), quoted), quoted.replace("%20", "+"))
        yield quote(quoted, safe="")
    yield from (html.escape(secret), html.escape(secret).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"))
    yield from (repr(data)[2:-1], data.hex(), data.hex().upper())


def _list_base64(secret: str) -> Iterator[str]:
    """Yield the base64 of a secret, without characters that depend on the surrounding text."""
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        # Characters at the ends contain bits of the surrounding text.
        inner = whole[-(-before * 8 // 6) : len(whole) - (1 if (before + len(data)) % 3 else 0)]
        yield from {inner, inner.replace("+", "-").replace("/", "_"), quote(inner, safe="")}
