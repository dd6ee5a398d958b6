"""Chunks of a long message that fit the limit of a platform."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Length = Callable[[str], int]

_FENCE = "\n```"
_INDICATOR = 10
"""Length reserved for the number at the end of each chunk."""


def split_message(
    content: str, max_length: int, len_fn: Length | None = None, *, closes_last: bool = False
) -> list[str]:
    """Split a text at line or word boundaries, close code blocks in each chunk, and number the chunks.

    `len_fn` measures lengths in the platform's unit. A code block that the text itself leaves open is closed in the
    last chunk only with `closes_last`.
    """
    length = len_fn or len
    if length(content) <= max_length:
        return [content]
    found = list(_split(content, max_length, length, closes_last=closes_last))
    return [f"{part} ({number}/{len(found)})" for number, part in enumerate(found, 1)] if len(found) > 1 else found


def _split(rest: str, limit: int, length: Length, *, closes_last: bool) -> Iterator[str]:
    language: str | None = None
    while rest:
        prefix = "" if language is None else f"```{language}\n"
        room = limit - _INDICATOR - length(prefix) - length(_FENCE)
        if length(prefix) + length(rest) <= limit - _INDICATOR:
            stays_open = language is not None and _find_open_block(rest, language) is not None
            yield prefix + rest + (_FENCE if closes_last and stays_open else "")
            return
        end = _find_end(rest, _count_fitting(rest, room if room >= 1 else max(1, limit // 2), length))
        body, rest = rest[:end], rest[end:].lstrip()
        language = _find_open_block(body, language)
        yield prefix + body + ("" if language is None else _FENCE)


def _count_fitting(text: str, room: int, length: Length) -> int:
    """Return the number of characters of a text that fit."""
    if length is len:
        return room
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if length(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _find_end(text: str, fitting: int) -> int:
    """Find the end of a chunk: a line end in its second half, or a word end, and never within inline code."""
    end = text.rfind("\n", 0, fitting)
    if end < fitting // 2:
        end = text.rfind(" ", 0, fitting)
    if end < 1:
        end = max(1, fitting)
    part = text[:end]
    if (part.count("`") - part.count("\\`")) % 2 == 0:
        return end
    tick = part.rfind("`")
    while tick > 0 and part[tick - 1] == "\\":
        tick = part.rfind("`", 0, tick)
    before = max(part.rfind(" ", 0, tick), part.rfind("\n", 0, tick)) if tick > 0 else -1
    return before if before > fitting // 4 else end


def _find_open_block(body: str, language: str | None) -> str | None:
    """Return the language of the code block that is open after a chunk, or None."""
    for line in map(str.strip, body.split("\n")):
        if line.startswith("```"):
            language = None if language is not None else next(iter(line[3:].split()), "")
    return language


def utf16_len(s: str) -> int:
    """Return the length of a text in units of UTF-16."""
    return len(s.encode("utf-16-le")) // 2
