"""Results of `make prove` for unproven releases, from `measured/<release>.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hermes_sdk.documents import parse_toml

FOLDER = Path(__file__).with_name("measured")


class Measured(NamedTuple):
    """Result of running the conformance cases on the real host of a release.

    Attributes:
        host: Distribution and version of the host.
        cases: The number of cases and scenarios that ran.
        different: The IDs of the cases in which the embedded host differs.
        flags: Flags whose settings differ from the dates in `behaviour.py`.
        unverified: Flags whose two settings both differ from the host.
    """

    host: str
    cases: int
    different: tuple[str, ...]
    flags: Mapping[str, bool]
    unverified: tuple[str, ...]

    @property
    def grade(self) -> str:
        """The grade, such as ``measured 1079/1084``."""
        return f"measured {self.cases - len(self.different)}/{self.cases}"


@cache
def read_measured(release: str) -> Measured | None:
    """Return the measurements of a release; None if there are none."""
    file = FOLDER / f"{release}.toml"
    if not file.exists():
        return None
    content = parse_toml(file.read_text(encoding="utf-8"))
    return Measured(
        content["host"],
        content["cases"],
        tuple(content["different"]),
        content["flags"],
        tuple(content["unverified"]),
    )
