"""How each case, scenario and probe ended when the real host last ran it, in `outcomes.json`.

A comparison that passed is kept as a digest of three things: the case, what the embedded host showed, and the code that
drives the real host, without docstrings and comments. A release never changes, so while the digest is the same, the
comparison would pass again.
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
"""ID of a case -> release -> the digest, or `FAILED`; and ``case``, the digest of the case that ran."""


class Compared(Protocol):
    """What is run on the real host; `digest` changes with what is run and with how it is compared."""

    @property
    def id(self) -> str: ...

    @property
    def digest(self) -> str: ...


IsRecorded = Callable[[Compared, str, object], bool]
"""Tells of what is compared, on a release, whether what the embedded host showed is as recorded."""

_DRIVES = ("hosts/in_worker", "hosts/real", "llm")
_RECORDS = "hosts/real/attached"
"""What records the user's own host, which no comparison runs."""


@cache
def read_outcomes() -> Outcomes:
    """Read what is recorded."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def digest_comparison(one: Compared, release: str, embedded: object) -> str:
    """Return what is recorded when this comparison passes.

    Args:
        one: The case.
        release: The release of both hosts.
        embedded: What the embedded host showed.
    """
    return digest_json([one.digest, release, embedded, digest_driver()])


@cache
def digest_driver(package: Path = Path(hermes_sdk.__file__).parent) -> str:
    """Return a text that changes with the code that drives the real host."""
    return digest_code(package, *(package / folder for folder in _DRIVES), apart=package / _RECORDS)


def digest_code(root: Path, *folders: Path, apart: Path | None = None) -> str:
    """Return a text that changes with the code and data in folders of a root, except one folder of them."""
    return _digest(root, folders, apart, _read_code)


def digest_files(root: Path) -> str:
    """Return a text that changes with the files below a directory."""
    return _digest(root, [root], None, _read_text)


def _digest(root: Path, folders: Iterable[Path], apart: Path | None, read: Callable[[Path], str]) -> str:
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
    written = [file for file in files if file.suffix != ".pyc" and apart not in file.parents]
    return digest_json([[file.relative_to(root).as_posix(), read(file)] for file in written])


def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _read_code(file: Path) -> str:
    """Read a file; of Python, the syntax tree without docstrings."""
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
    """Whether the case, as it is now, passed when it last ran on a release."""
    recorded = outcomes.get(one.id, {})
    return recorded.get("case") == one.digest and recorded.get(release, FAILED) != FAILED


def record_outcomes(cases: Iterable[Compared], ended: Mapping[tuple[str, str], str]) -> None:
    """Write down how comparisons ended; an outcome of a case that has changed since is dropped.

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
    """Return a short text that changes with a value that JSON can carry."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
