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


def find_reason(kind: str, outcome: Outcome) -> str:
    """Return why an example of a kind differs, from the first entry that covers one of its differences, or nothing.

    The other differences are taken for consequences of that one.
    """
    for one in known():
        if kind.endswith(one["kind"]) and any(
            re.match(one["place"], place) and re.search(one.get("value", ""), f"{left}\n{right}")
            for place, left, right in outcome.differences
        ):
            return one["why"]
    return ""
