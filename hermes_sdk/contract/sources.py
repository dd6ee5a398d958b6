"""Sources of real hosts: the package index, a tag in the repository, or an installed environment."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.contract.ordering import parse_release
from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.errors import UsageError

_TABLE = Path(__file__).with_name("sources.toml")
_VARIABLE = "HERMES_SDK_SOURCES"


class Source(NamedTuple):
    """Source of a release; unused fields are empty.

    Attributes:
        requirement: A requirement for the package index, such as ``hermes-agent==0.19.0``.
        address: The address of a repository.
        revision: A tag, branch or commit of the repository.
        python: The interpreter of an environment with the release.
        needs: The only Python version on which it runs, such as ``3.14``.
    """

    requirement: str = ""
    address: str = ""
    revision: str = ""
    python: str = ""
    needs: str = ""


def find_source(release: str) -> Source | None:
    """Return the source of a release's host, or None if unknown.

    ``$HERMES_SDK_SOURCES`` may name a TOML file whose tables ``requirement``, ``tag`` and ``python`` override the
    built-in entries.

    Raises:
        UsageError: That file cannot be read.
    """
    for table in _load_tables(os.environ.get(_VARIABLE, "")):
        if requirement := table.get("requirement", {}).get(release):
            return Source(requirement=requirement)
        if python := table.get("python", {}).get(release):
            return Source(python=python)
        if tag := table.get("tag", {}).get(release):
            repository = table["repository"]
            return Source(address=repository["address"], revision=tag, needs=_find_python(repository, release))
        if release in table.get("index", {}).get("releases", ()):
            return Source(requirement=f"{table['index']['distribution']}=={release}")
    return None


def find_version(version: str) -> str | None:
    """Return the release for which the sources require this version of a redistribution, or None.

    Raises:
        UsageError: The file of the user's sources cannot be read.
    """
    for table in _load_tables(os.environ.get(_VARIABLE, "")):
        for release, requirement in table.get("requirement", {}).items():
            if requirement.endswith(f"=={version}"):
                return str(release)
    return None


def _find_python(repository: dict[str, Any], release: str) -> str:
    """Return the only Python version on which a release from the repository runs, or an empty string."""
    python = repository.get("python")
    return python["version"] if python and parse_release(release) >= parse_release(python["since"]) else ""


def chosen_sources() -> dict[str, str]:
    """Return the environment variable with the user's file of sources, for a child process."""
    return {_VARIABLE: os.environ[_VARIABLE]} if _VARIABLE in os.environ else {}


@cache
def _load_tables(own: str) -> tuple[dict[str, Any], ...]:
    """Return the tables of sources in order of precedence; `own` is the user's file, if any."""
    return tuple(_read_table(Path(path)) for path in (own, _TABLE) if path)


def _read_table(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path))
    except (OSError, ValueError) as error:
        raise UsageError(f"${_VARIABLE} cannot be read: {error}", where=str(path)) from None
