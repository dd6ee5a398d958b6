"""Helpers of the page scripts: Markdown, and the docstrings of `hermes_sdk.api`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import griffe

import hermes_sdk.api
from hermes_sdk import contract

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "tests" / "docs" / "examples"
RELEASES = contract.api_releases()[: contract.api_releases().index(contract.DEFAULT) + 1]
"""The releases that `hermes_sdk.api` describes."""

_PIPE = re.compile(r"(?P<ticks>`+).*?(?P=ticks)|\|")
_EMPTY_WORDS = frozenset(
    ["", *["a", "an", "the", "of", "it", "its", "identifie", "is", "or", "none", "file", "platform"]]
)
"""Words that add nothing to a description, as `essential` compares them."""

_MARK = re.compile(r"\s*\bSince (?P<release>\d+\.\d+\.\d+)\.")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table with one line per cell."""
    return "\n".join([_row(head), _row(["---"] * len(head)), *map(_row, rows)]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_PIPE.sub(_escape_pipe, ' '.join(cell.split())) for cell in cells)} |"


def _escape_pipe(found: re.Match[str]) -> str:
    # Python-Markdown shows a backslash within code.
    return found[0] if found["ticks"] else r"\|"


def code(text: object) -> str:
    """Return a text as inline code, or an empty string if it is empty."""
    return f"`{text}`" if str(text) else ""


def since(told: str) -> str:
    """Return the first release of an entry from the mark in its text; empty if all releases have it.

    `tests/api` compares every mark with the contract of each release.
    """
    mark = _MARK.search(told)
    return mark["release"] if mark else ""


def describe(of: griffe.Object, said: str = "") -> str:
    """Return the docstring of an object without its sections, or `said` if given, after its first release."""
    told = text(of) or said
    return f"*{since(told)}+* {remove_mark(told)}" if since(told) else told


def remove_mark(told: str) -> str:
    """Return a text without the mark of its first release."""
    return _MARK.sub("", told).strip()


@cache
def _load(name: str) -> griffe.Object | griffe.Alias:
    return griffe.load(name, search_paths=[ROOT], docstring_parser="google", resolve_aliases=True)


def package(name: str) -> griffe.Module:
    """Return the source of a package or module of the project."""
    top, _, rest = name.partition(".")
    found = _load(top)[rest] if rest else _load(top)
    assert isinstance(found, griffe.Module)
    return found


def api() -> griffe.Module:
    """Return the package with the types of plugins."""
    return package("hermes_sdk.api")


def find_object(name: str, where: str = "hermes_sdk.api") -> griffe.Object:
    """Return the definition of a public name of a package."""
    member = package(where)[name]
    return member.final_target if isinstance(member, griffe.Alias) else member


def find_class(name: str, where: str = "hermes_sdk.api") -> griffe.Class:
    """Return a public class of a package."""
    of = find_object(name, where)
    assert isinstance(of, griffe.Class)
    return of


def public(annotation: object) -> Iterator[griffe.Object]:
    """Yield the public names of `hermes_sdk.api` in a type, in order."""
    for name in re.findall(r"\w+", str(annotation)):
        if name in hermes_sdk.api.__all__:
            yield find_object(name)


def text(of: griffe.Object) -> str:
    """Return the docstring without its sections."""
    parts = of.docstring.parsed if of.docstring else []
    return "\n\n".join(part.value for part in parts if isinstance(part, griffe.DocstringSectionText))


def entries(of: griffe.Object, kind: griffe.DocstringSectionKind) -> dict[str, str]:
    """Return the descriptions in a section of the docstring by name."""
    parts = of.docstring.parsed if of.docstring else []
    return {entry.name: entry.description for part in parts if part.kind is kind for entry in part.value}


def attributes(of: griffe.Class) -> Iterator[tuple[griffe.Attribute, str]]:
    """Yield the attributes of a class and its bases with their descriptions, those of bases first."""
    for one in [*reversed(of.mro()), of]:
        texts = entries(one, griffe.DocstringSectionKind.attributes)
        for name, member in one.members.items():
            hidden = name.startswith("_") or "property" in member.labels
            if isinstance(member, griffe.Attribute) and not hidden:
                yield member, texts.get(name, "")


def kind(annotation: object) -> str:
    """Return a type without the mark of an optional key, the parameters of plain mappings, and an optional callable."""
    told = str(annotation or "").removeprefix("NotRequired[")
    told = (told[:-1] if told != str(annotation) else told).replace("[str, Any]", "")
    return told.removesuffix(" | None") if told.startswith("Callable[") else told


def keys(of: griffe.Class, omitted: Collection[str] = ()) -> str:
    """Return a list of the keys or attributes of a class, without those that are omitted."""
    partial = any(str(value) == "False" for name, value in of.keywords.items() if name == "total")
    shown = ["All keys are optional:\n"] * partial
    for member, said in ((one, said) for one, said in attributes(of) if one.name not in omitted):
        type_, told = kind(member.annotation), remove_mark(said)
        if told.startswith("Always "):
            shown.append(f"- {code(member.name)}: {told[0].lower()}{told[1:]}")
        else:
            optional = str(member.annotation).startswith("NotRequired[")
            shown.append(entry(member.name, type_, told, release=since(said), optional=optional))
    is_plain = shown and all(" (" not in one and ": " not in one for one in shown)
    return ", ".join(one.removeprefix("- ") for one in shown) if is_plain else "\n".join(shown)


def essential(name: str, type_: str, said: str) -> str:
    """Return a description without words that repeat the name or the type; empty if no other words remain."""
    told = " ".join(said.split())
    if type_.endswith("None"):
        told = told.replace(", or None.", ".")
    named = {word.removesuffix("s") for word in re.findall("[a-z]+", name.lower())}
    words = {word.removesuffix("s") for word in re.findall("[a-z]+", told.lower())}
    return "" if words - _EMPTY_WORDS <= named else told


def entry(name: str, type_: str, said: str, *, release: str = "", rare: bool = False, optional: bool = False) -> str:
    """Return a list item that describes an argument or a key; without a type, its value is text."""
    marks = [*mark_type(type_), *[f"{release}+"] * bool(release)]
    marks += [*["not always"] * rare, *["optional"] * optional]
    told = essential(name, type_, said)
    return f"- {with_marks(code(name), marks)}{f': {told}' if told else ''}"


def mark_type(type_: str) -> list[str]:
    """Return the marks of a type; empty for text."""
    return ["or None"] if type_ == "str | None" else [code(type_)] * (type_ not in ("str", "Any", ""))


def with_marks(name: str, marks: Sequence[str]) -> str:
    """Return a name, followed by marks in brackets if there are any."""
    return f"{name} ({', '.join(marks)})" if marks else name


def example(page: str, name: str) -> str:
    """Return an example, which `tests/docs/test_examples.py` runs, as a block of code."""
    source = (EXAMPLES / page / f"{name}.py").read_text(encoding="utf-8")
    return f"```python\n{source}```\n"


def publish(page: Path, content: str) -> None:
    """Write a page."""
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(content.rstrip() + "\n", encoding="utf-8")
