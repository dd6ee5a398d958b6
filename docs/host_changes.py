"""Writes `docs/reference/host-changes.md`: what changed for plugin authors in each release of Hermes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hermes_sdk import contract
from hermes_sdk.contract.page import page as changes

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "host-changes.md"
HEAD = """# What changed in Hermes for plugin authors

Made from the contracts of the releases, newest first; `hermes-sdk contract diff A B --markdown` does it for any two.
`hermes-sdk check --target A,B` says which of it a plugin meets, and `hermes-sdk compat` runs it on all of them.

"""


def page() -> str:
    """The page that the contracts make."""
    steps = [changes(*map(contract.load, pair), level=2) for pair in pairwise(contract.api_releases())]
    return HEAD + "\n".join(reversed(steps))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
