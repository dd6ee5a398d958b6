"""Texts that the two kinds of hosts word differently: advice to the model and the user, notes and descriptions.

`differences.toml` lists them. Comparisons of different kinds of hosts replace both wordings by the name of the text.
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
"""The maximum number of characters between the beginning and the end of a text of Hermes."""

_COMMANDS = re.compile(r"(?:`/[a-z][^`\n]*` -- [^\n]+(?:\n|$))+")
"""Matches the lines about built-in commands in the output of ``/help`` and ``/commands``."""


@dataclass(frozen=True)
class OwnText:
    """A text with different wordings on the two kinds of hosts.

    Attributes:
        ours: The text of the embedded host.
        hermes: The beginning of the text of Hermes, then its possible endings.
    """

    name: str
    ours: str
    hermes: Sequence[str]

    @property
    def pattern(self) -> str:
        """Return a regular expression that matches both wordings."""
        begin, *ends = map(re.escape, self.hermes)
        return f"{re.escape(self.ours)}|{begin}(?s:.{{0,{_LONGEST}}}?)(?:{'|'.join(ends)})"


@cache
def own_texts() -> tuple[OwnText, ...]:
    """Return the texts that the two kinds of hosts word differently."""
    return tuple(OwnText(**one) for one in parse_toml(DIFFERENCES.read_text(encoding="utf-8"))["own_text"])


def name_own_texts(value: Any) -> Any:
    """Replace texts that hosts word differently by their names, anywhere in a value.

    The order of built-in commands differs, too. Their lines are replaced by the sorted names of the commands, and a
    page of commands is replaced by their number.
    """
    if isinstance(value, str):
        return _name_in(value)
    if isinstance(value, dict):
        return {key: name_own_texts(item) for key, item in value.items()}
    return [name_own_texts(item) for item in value] if isinstance(value, list) else value


@lru_cache(maxsize=4096)
def _name_in(text: str) -> str:
    # Search for the beginnings first, which takes a thousandth of the time of a pattern: few texts have a match.
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
    """Return the texts, those with the longest wording of the embedded host first, so that the longest match wins."""
    return sorted(own_texts(), key=lambda one: len(one.ours), reverse=True)
