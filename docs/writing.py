"""What the scripts beside this one share: tables of Markdown, and what `hermes_sdk.api` says about itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import griffe

import hermes_sdk.api
from hermes_sdk import contract

ROOT = Path(__file__).parents[1]
RELEASES = contract.api_releases()[: contract.api_releases().index(contract.DEFAULT) + 1]
"""The releases that `hermes_sdk.api` describes."""

_PIPE = re.compile(r"(?P<ticks>`+).*?(?P=ticks)|\|")
_MARK = re.compile(r"\s*\bSince (?P<release>\d+\.\d+\.\d+)\.")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; a cell is one line."""
    return "\n".join([_row(head), _row(["---"] * len(head)), *map(_row, rows)]) + "\n"


def facts(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table without its columns that are empty."""
    used = [any(row[column] for row in rows) for column in range(len(head))]
    kept_head, *kept = ([cell for cell, shown in zip(row, used, strict=True) if shown] for row in [head, *rows])
    return table(kept_head, kept)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_PIPE.sub(_escape_pipe, ' '.join(cell.split())) for cell in cells)} |"


def _escape_pipe(found: re.Match[str]) -> str:
    # Python-Markdown shows a backslash within code.
    return found[0] if found["ticks"] else r"\|"


def code(text: object) -> str:
    """A piece of code within a line; empty for nothing."""
    return f"`{text}`" if str(text) else ""


def since(told: str) -> str:
    """The release from which on something is there, by the mark that `hermes_sdk.api` gives it; empty for all of them.

    `tests/api` holds every mark against the contract of each release.
    """
    mark = _MARK.search(told)
    return mark["release"] if mark else ""


def unmarked(told: str) -> str:
    """A text without that mark."""
    return _MARK.sub("", told).strip()


@cache
def _loaded(name: str) -> griffe.Object | griffe.Alias:
    return griffe.load(name, search_paths=[ROOT], docstring_parser="google", resolve_aliases=True)


def package(name: str) -> griffe.Module:
    """A package or module of ours as it is written."""
    top, _, rest = name.partition(".")
    found = _loaded(top)[rest] if rest else _loaded(top)
    assert isinstance(found, griffe.Module)
    return found


def api() -> griffe.Module:
    """The typed surface of plugins."""
    return package("hermes_sdk.api")


def found(name: str, where: str = "hermes_sdk.api") -> griffe.Object:
    """A public name of a package, wherever it is defined."""
    member = package(where)[name]
    return member.final_target if isinstance(member, griffe.Alias) else member


def found_class(name: str, where: str = "hermes_sdk.api") -> griffe.Class:
    """A public class of a package."""
    of = found(name, where)
    assert isinstance(of, griffe.Class)
    return of


def public(annotation: object) -> Iterator[griffe.Object]:
    """The public names of `hermes_sdk.api` that stand in a type, in their order."""
    for name in re.findall(r"\w+", str(annotation)):
        if name in hermes_sdk.api.__all__:
            yield found(name)


def text(of: griffe.Object) -> str:
    """The docstring without its sections."""
    parts = of.docstring.parsed if of.docstring else []
    return "\n\n".join(part.value for part in parts if isinstance(part, griffe.DocstringSectionText))


def entries(of: griffe.Object, kind: griffe.DocstringSectionKind) -> dict[str, str]:
    """What a section of the docstring says about each name."""
    parts = of.docstring.parsed if of.docstring else []
    return {entry.name: entry.description for part in parts if part.kind is kind for entry in part.value}


def attributes(of: griffe.Class) -> Iterator[tuple[griffe.Attribute, str]]:
    """The attributes of a class and its bases, each with what is said about it, the bases' first."""
    for one in [*reversed(of.mro()), of]:
        texts = entries(one, griffe.DocstringSectionKind.attributes)
        for name, member in one.members.items():
            hidden = name.startswith("_") or "property" in member.labels
            if isinstance(member, griffe.Attribute) and not hidden:
                yield member, texts.get(name, "")


def kind(annotation: object) -> str:
    """A type, as a reader of a table wants it."""
    told = str(annotation or "").removeprefix("NotRequired[")
    return told[:-1] if told != str(annotation) else told


def keys(of: griffe.Class, more: Sequence[Sequence[str]] = ()) -> str:
    """A table of the keys or attributes of a class, and of ``more``, such as its properties."""
    rows = [
        [code(member.name), code(kind(member.annotation)), since(said), _optional(member, of) + unmarked(said)]
        for member, said in attributes(of)
    ]
    return facts(["Name", "Type", "Since", "Description"], [*rows, *more])


def _optional(member: griffe.Attribute, of: griffe.Class) -> str:
    partial = any(str(value) == "False" for name, value in of.keywords.items() if name == "total")
    return "*Optional.* " if partial or str(member.annotation).startswith("NotRequired[") else ""


def publish(page: Path, content: str) -> None:
    """Write a page."""
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(content.rstrip() + "\n", encoding="utf-8")
