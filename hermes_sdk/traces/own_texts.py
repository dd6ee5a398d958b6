"""Texts with a wording of each host: advice to the model and the user, notes and descriptions.

`differences.toml` lists them. A comparison of two kinds of host replaces both wordings with the name of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from hermes_sdk.documents import parse_toml

DIFFERENCES = Path(__file__).with_name("differences.toml")
_LONGEST = 4_000
"""The most characters between the beginning and the end of a text of Hermes."""

_COMMANDS = re.compile(r"(?:`/[a-z][^`\n]*` -- [^\n]+(?:\n|$))+")
"""The lines about built-in commands in what ``/help`` and ``/commands`` answer."""


@dataclass(frozen=True)
class OwnText:
    """A text with a wording of each host.

    Attributes:
        ours: The text of the embedded host.
        hermes: How the text of Hermes begins, then each way in which it ends.
    """

    name: str
    ours: str
    hermes: Sequence[str]

    @property
    def pattern(self) -> str:
        """The pattern of both wordings."""
        begin, *ends = map(re.escape, self.hermes)
        return f"{re.escape(self.ours)}|{begin}(?s:.{{0,{_LONGEST}}}?)(?:{'|'.join(ends)})"


@cache
def own_texts() -> tuple[OwnText, ...]:
    """Return the texts of which each host has a wording."""
    return tuple(OwnText(**one) for one in parse_toml(DIFFERENCES.read_text(encoding="utf-8"))["own_text"])


def name_own_texts(value: Any) -> Any:
    """Replace texts that each host words itself with their names, anywhere in a value.

    Of the lines about built-in commands, only the names of the commands remain, sorted. Of a page of them only their
    number remains, because their order is each host's own.
    """
    if isinstance(value, str):
        return _name_in(value)
    if isinstance(value, dict):
        return {key: name_own_texts(item) for key, item in value.items()}
    return [name_own_texts(item) for item in value] if isinstance(value, list) else value


@lru_cache(maxsize=4096)
def _name_in(text: str) -> str:
    # A search for what begins a text takes a thousandth of the time of a pattern, and nearly every text has none.
    found = [one for one in _by_length() if one.ours in text or one.hermes[0] in text]
    pattern = "|".join(f"({one.pattern})" for one in found)
    named = re.sub(pattern, lambda match: f"<{found[(match.lastindex or 0) - 1].name}>", text) if found else text
    return _COMMANDS.sub(_name_commands, named) if "` -- " in named else named


def _name_commands(match: re.Match[str]) -> str:
    names = sorted(re.findall(r"^`/([\w-]+)", match[0], re.MULTILINE))
    is_page = match.string.startswith("\n", match.end())
    return f"<{len(names)} commands>\n" if is_page else "".join(f"</{name}>\n" for name in names)


@cache
def _by_length() -> list[OwnText]:
    """Return the texts, those with the longest wording of ours first: of two that fit, the longer one counts."""
    return sorted(own_texts(), key=lambda one: len(one.ours), reverse=True)
