"""The differences that are known, from `known.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from fuzz.comparison import Outcome


@cache
def known() -> list[dict[str, str]]:
    """The entries of the list."""
    text = Path(__file__).with_name("known.toml").read_text(encoding="utf-8")
    entries: list[dict[str, str]] = tomllib.loads(text)["known"]
    return entries


def unknown_places(kind: str, outcome: Outcome) -> list[str]:
    """The places in which an example of a kind differs without being known to."""
    entries = [one for one in known() if kind.endswith(one["kind"])]
    return [
        place
        for place, left, _ in outcome.differences
        if not any(re.match(one["place"], place) and re.search(one.get("embedded", ""), left) for one in entries)
    ]
