"""Texts of Hermes in each release, from ``wording.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

from hermes_sdk.contract import parse_release
from hermes_sdk.documents import parse_toml


class Wording:
    """Texts of a release; the file is read on first use."""

    def __init__(self, release: str) -> None:
        self._release = release

    def __call__(self, sentence: str, /, **values: object) -> str:
        """Format a text; raise `KeyError` if the release lacks it."""
        return self._texts[sentence].format(**values)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        release = parse_release(self._release)
        texts: dict[str, str] = {}
        for entry in sentences():
            since, until = (parse_release(entry[key]) if key in entry else None for key in ("since", "until"))
            if (since is None or since <= release) and (until is None or release < until):
                texts[entry["name"]] = entry["text"]
        return texts


@cache
def sentences() -> tuple[dict[str, str], ...]:
    """Return the entries of ``wording.toml``."""
    content = parse_toml(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(content["sentence"])
