"""Writes the table of deviations into `docs/how-to/operate-plugins.md`; run it after a change of deviations.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "operate-plugins.md"
DATA = ROOT / "tests" / "operate" / "deviations.toml"
HEAD = "| | `hermes plugins` | `hermes-sdk plugins` |\n|--|--|--|\n"


def page() -> str:
    """The page with the table that the data makes."""
    rows = [
        f"| {deviation['name'].replace('_', ' ')} | {deviation['theirs']} | {deviation['ours']} |"
        for deviation in tomllib.loads(DATA.read_text(encoding="utf-8"))["deviation"]
    ]
    return PAGE.read_text(encoding="utf-8").partition(HEAD)[0] + HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
