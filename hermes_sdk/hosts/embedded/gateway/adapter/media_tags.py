"""The ``MEDIA:`` tags of a reply: the files that they name, and the text without them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

AS_DOCUMENT = "[[as_document]]"
AS_VOICE = "[[audio_as_voice]]"
START = r"(?:~/|/|[A-Za-z]:[/\\])"
BLOCK = re.compile(r"```[^\n]*\n.*?```", re.DOTALL)
INLINE = re.compile(r"`[^`\n]+`")
_QUOTES = "`\"'"
_AFTER_PATH = _QUOTES + ",.;:)}]"
_QUOTED = r"`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+'"
_QUOTATION = re.compile(r"^>.*$", re.MULTILINE)
_JSON_TEXT = re.compile(r"(?<=[:,{\[])\s*\"((?:[^\"\\\n]|\\.)*)\"")
_TAG_BEFORE = re.compile(r"MEDIA:\s*$")
_TAG_WITHIN = re.compile(r"MEDIA:\s*" + START)
_TAG_ALONE = re.compile(r"MEDIA:\s*(.+)", re.IGNORECASE)
_MARKUP = r"[`\"'*_]{0,3}"
_MARKS = r"\s`\"',;:)\]}‘’“”、。〈〉《》【】！（），：；？"


class _Tag(NamedTuple):
    """Tag in a text, with its path and its span."""

    path: str
    start: int
    end: int


class MediaTags:
    """Finds and removes tags.

    Args:
        known: Extensions of files that are extracted without validation.
        audio: Extensions of audio files.
        validate: Returns the resolved path of a file that may be sent, otherwise None.
        in_markup: Whether tags may be in markup, end a sentence, follow each other directly and, for files with unknown
            extensions, contain spaces.
    """

    def __init__(
        self, known: Iterable[str], audio: Iterable[str], validate: Callable[[str], str | None], *, in_markup: bool
    ) -> None:
        self._extensions, self._audio = tuple(known), tuple(audio)
        self._validate = validate
        self._in_markup = in_markup

    @cached_property
    def _known_tag(self) -> re.Pattern[str]:
        extension = "|".join(sorted((one[1:] for one in self._extensions), key=len, reverse=True))
        if self._in_markup:
            path = rf"(?P<path>{_QUOTED}|{START}\S+?(?:[^\S\n]+\S+?)*?\.(?:{extension}))"
            tag = rf"{_MARKUP}MEDIA:\s*{path}(?=[{_MARKS}*_\[]|\.(?=\s|$)|MEDIA:|$){_MARKUP}\.?"
        else:
            path = rf"(?P<path>{_QUOTED}|{START}\S+(?:[^\S\n]+\S+)*?\.(?:{extension}))"
            tag = rf"[`\"']?MEDIA:\s*{path}(?=[\s`\"',;:)\]}}]|$)[`\"']?"
        return re.compile(tag, re.IGNORECASE)

    @cached_property
    def _any_tag(self) -> re.Pattern[str]:
        if self._in_markup:
            path = rf"(?P<path>{_QUOTED}|{START}[^\s`\"']+?)"
            tag = rf"{_MARKUP}MEDIA:\s*{path}(?=[{_MARKS}]|MEDIA:|$){_MARKUP}"
        else:
            tag = rf"[`\"']?MEDIA:\s*(?P<path>{_QUOTED}|{START}[^\s`\"']+)[`\"']?\s*"
        return re.compile(tag, re.IGNORECASE)

    def extract(self, content: str) -> tuple[list[tuple[str, bool]], str]:
        """Find the tags outside of code, quotations and JSON.

        Returns:
            Each path and whether it is a voice message, and the text without the tags.
        """
        searched = self._mask_quotes(content)
        known = [tag.path for tag in self._find_known(searched) if tag.path]
        paths = list(dict.fromkeys(known)) if self._in_markup else known
        paths += dict.fromkeys(tag.path for tag in self._find_unknown(searched) if tag.path not in paths)
        cleaned = _remove_marks(content)
        tags = list(self._find(self._mask_quotes(cleaned))) if paths else []
        if tags:
            # Earlier releases also cut the text after overlapping tags.
            cleaned = collapse_blank_lines(_cut(cleaned, _join_overlapping(tags) if self._in_markup else tags))
        voice = AS_VOICE in content
        return [(path, voice and self._may_be_voice(path)) for path in paths], cleaned

    def strip(self, text: str) -> str:
        """Remove the tags from a text; on earlier releases, including those in code."""
        if not _may_have_tags(text):
            return text
        text = _remove_marks(text)
        if self._in_markup:
            return _cut(text, _join_overlapping(self._find(self._mask_quotes(text))))
        text = _cut(text, self._find_known(text))
        return _cut(text, self._find_unknown(text))

    def strip_for_display(self, text: str) -> str:
        """Remove the tags from a text, and the blank lines that they leave."""
        if not _may_have_tags(text):
            return text
        return re.sub(r"\n{3,}", "\n\n", self.strip(text)).rstrip()

    def _may_be_voice(self, path: str) -> bool:
        return not self._in_markup or Path(path).suffix.lower() in self._audio

    def _find(self, text: str) -> Iterator[_Tag]:
        yield from self._find_known(text)
        yield from self._find_unknown(text)

    def _find_known(self, text: str) -> Iterator[_Tag]:
        for one in self._known_tag.finditer(text):
            yield _Tag(expand_user(unquote(one["path"])), *one.span())

    def _find_unknown(self, text: str) -> Iterator[_Tag]:
        """Find tags with an unknown extension whose file may be sent."""
        for one in self._any_tag.finditer(text):
            path = unquote(one["path"])
            if not path or Path(path).suffix.lower() in self._extensions:
                continue
            if safe := self._validate(path):
                yield _Tag(safe, one.start(), one.end("path" if self._in_markup else 0))
            elif self._in_markup and one["path"][0] not in _QUOTES:
                yield from self._find_spaced(text, one)

    def _find_spaced(self, text: str, tag: re.Match[str]) -> Iterator[_Tag]:
        """Find the shortest path to a file whose name contains spaces or punctuation."""
        rest = text[tag.start("path") :].partition("\n")[0].partition("MEDIA:")[0]
        for blank in re.finditer(r"[ \t]+|$", rest):
            if safe := self._validate(unquote(rest[: blank.start()])):
                yield _Tag(safe, tag.start(), tag.start("path") + blank.start())
                return

    def _mask_quotes(self, text: str) -> str:
        """Replace quoted text with blanks: code, quotations, and tags in JSON strings."""
        spans = [one.span() for pattern in (BLOCK, _QUOTATION) for one in pattern.finditer(text)]
        spans += [one.span() for one in INLINE.finditer(text) if not self._is_tag(one, text)]
        spans += [one.span(1) for one in _JSON_TEXT.finditer(_mask(text, spans)) if _TAG_WITHIN.search(one[1])]
        return _mask(text, spans)

    def _is_tag(self, code: re.Match[str], text: str) -> bool:
        """Return whether inline code is the path of a tag or, on some releases, a tag of a file that may be sent."""
        alone = _TAG_ALONE.fullmatch(code[0][1:-1].strip()) if self._in_markup else None
        if alone and self._validate(unquote(alone[1])):
            return True
        return _TAG_BEFORE.search(text[: code.start()][-20:]) is not None


def _may_have_tags(text: str) -> bool:
    return any(mark in text for mark in ("MEDIA:", AS_VOICE, AS_DOCUMENT))


def _remove_marks(text: str) -> str:
    return text.replace(AS_VOICE, "").replace(AS_DOCUMENT, "")


def _cut(text: str, tags: Iterable[_Tag]) -> str:
    for _, start, end in sorted(tags, key=lambda tag: tag[1:], reverse=True):
        text = text[:start] + text[end:]
    return text


def _join_overlapping(tags: Iterable[_Tag]) -> list[_Tag]:
    joined: list[_Tag] = []
    for tag in sorted(tags, key=lambda tag: tag[1:]):
        if joined and tag.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, tag.end))
        else:
            joined.append(tag)
    return joined


def _mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def expand_user(path: str) -> str:
    """Replace a leading ``~`` without normalising the rest, unlike `Path.expanduser`."""
    return os.path.expanduser(path)  # noqa: PTH111


def unquote(text: str) -> str:
    """Remove quotes around a path, and punctuation after it."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
        text = text[1:-1].strip()
    return text.lstrip(_QUOTES).rstrip(_AFTER_PATH)


def collapse_blank_lines(text: str) -> str:
    """Return a text with at most one blank line in a row, and none at its ends."""
    return re.sub(r"\n{3,}", "\n\n", text).strip()
