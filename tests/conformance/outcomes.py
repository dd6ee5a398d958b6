"""Recorded outcomes of cases, scenarios and probes on the real host, in `outcomes.json`.

A passed comparison is recorded as a digest of the case, of the output of the embedded host, and of the code that drives
the real host, without docstrings and comments. A release never changes, so while the digest is the same, the comparison
would pass again.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import hermes_sdk
from hermes_sdk.contract.probe.fingerprints import dump

FILE = Path(__file__).with_name("outcomes.json")
FAILED = "failed"

Outcomes = Mapping[str, Mapping[str, str]]
"""Digest or `FAILED` by case id and release; ``case`` is the digest of the case that ran."""


class Compared(Protocol):
    """Anything compared on the real host; `digest` changes with its content and with the comparison."""

    @property
    def id(self) -> str: ...

    @property
    def digest(self) -> str: ...


IsRecorded = Callable[[Compared, str, object], bool]
"""Predicate for a comparison, a release and what the embedded host showed: whether the recorded outcome is valid."""

_DRIVES = ("hosts/in_worker", "hosts/real", "llm")
_RECORDS = "hosts/real/attached"
"""Code that records the user's own host, which no comparison runs."""


@cache
def read_outcomes() -> Outcomes:
    """Read the recorded outcomes."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def digest_comparison(one: Compared, release: str, embedded: object) -> str:
    """Return the digest to record when this comparison passes.

    Args:
        one: The case.
        release: The release of both hosts.
        embedded: The output of the embedded host.
    """
    return digest_json([one.digest, release, embedded, digest_driver()])


@cache
def digest_driver(package: Path = Path(hermes_sdk.__file__).parent) -> str:
    """Return a digest of the code that drives the real host."""
    return digest_code(package, *(package / folder for folder in _DRIVES), apart=package / _RECORDS)


def digest_code(root: Path, *folders: Path, apart: Path | None = None) -> str:
    """Return a digest of the code and data in directories of a root, except one of their subdirectories."""
    return _digest(root, folders, apart, _read_code)


def digest_files(root: Path) -> str:
    """Return a digest of the files below a directory."""
    return _digest(root, [root], None, _read_text)


def _digest(root: Path, folders: Iterable[Path], apart: Path | None, read: Callable[[Path], str]) -> str:
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
    written = [file for file in files if file.suffix != ".pyc" and apart not in file.parents]
    return digest_json([[file.relative_to(root).as_posix(), read(file)] for file in written])


def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _read_code(file: Path) -> str:
    """Read a file; for Python, dump the syntax tree without docstrings."""
    text = _read_text(file)
    if file.suffix != ".py":
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [line for line in body if not _is_text(line)]
    return dump(tree)


def _is_text(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def has_passed(one: Compared, release: str, outcomes: Outcomes) -> bool:
    """Return whether the current case passed when it last ran on a release."""
    recorded = outcomes.get(one.id, {})
    return recorded.get("case") == one.digest and recorded.get(release, FAILED) != FAILED


def record_outcomes(cases: Iterable[Compared], ended: Mapping[tuple[str, str], str]) -> None:
    """Record the outcomes of comparisons, and drop those of cases that have changed since.

    Args:
        cases: All cases.
        ended: (ID of a case, release) -> the digest, or `FAILED`.
    """
    kept: dict[str, dict[str, str]] = {}
    for one in cases:
        before = read_outcomes().get(one.id, {})
        earlier = before if before.get("case") == one.digest else {}
        now = {release: how for (name, release), how in ended.items() if name == one.id}
        if earlier or now:
            kept[one.id] = {**earlier, **now, "case": one.digest}
    FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def digest_json(value: Any) -> str:
    """Return a short digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
