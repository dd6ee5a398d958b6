"""Markdown with the changes for plugin authors between two releases."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hermes_sdk.contract.behaviour import read_meanings
from hermes_sdk.contract.diff import Change, diff, format_change, where
from hermes_sdk.contract.loader import OLDEST_MODELLED, api_releases, is_modelled
from hermes_sdk.contract.model import Contract

_BUILTINS: Final = {name.title(): name for name in ("dict", "list", "set", "tuple", "type")} | {
    "FrozenSet": "frozenset"
}


def is_same_type(one: object, other: object) -> bool:
    """Return whether two annotations denote the same type, such as ``Optional[List[str]]`` and ``list[str] | None``."""
    return one == other or (isinstance(one, str) and isinstance(other, str) and _modernise(one) == _modernise(other))


def _modernise(annotation: str) -> str:
    try:
        tree = ast.parse(annotation, mode="eval")
    except SyntaxError:
        return annotation
    return ast.unparse(_Moderniser().visit(tree.body))


class _Moderniser(ast.NodeTransformer):
    """Rewrites annotations with builtin generics, unions with ``|``, and without quotes."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str):
            return node
        try:
            tree = ast.parse(node.value, mode="eval")
        except SyntaxError:
            return node
        return self.visit(tree.body)  # type: ignore[no-any-return]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == "typing":
            return self.visit_Name(ast.Name(node.attr))
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(_BUILTINS.get(node.id, node.id))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        generic, inner = self.visit(node.value), self.visit(node.slice)
        name = generic.id if isinstance(generic, ast.Name) else ""
        if name == "Optional":
            return ast.BinOp(inner, ast.BitOr(), ast.Constant(None))
        if name == "Union" and isinstance(inner, ast.Tuple):
            union, *rest = inner.elts
            for part in rest:
                union = ast.BinOp(union, ast.BitOr(), part)
            return union
        return ast.Subscript(generic, inner)


# Titles of sections, in order of their importance for authors.
_TITLES: Final = {
    "context": "`ctx`",
    "hooks": "Hooks",
    "injected_hook_arguments": "Arguments of every hook",
    "middleware_kinds": "Kinds of middleware",
    "middleware": "Arguments of middleware",
    "shell_hooks": "Shell hooks",
    "gateway_events": "Gateway events",
    "plugin_kinds": "Kinds of plugins",
    "keys_read": "Keys that are read from files",
    "loader_contexts": "Contexts of provider loaders",
    "classes": "Classes",
    "dataclasses": "Data classes",
    "enums": "Enumerations",
    "exceptions": "Exceptions",
    "functions": "Functions",
    "platforms": "Platforms",
    "tools": "Built-in tools",
    "toolsets": "Toolsets",
    "slash_commands": "Slash commands",
    "cli_commands": "CLI commands, before or after those of plugins",
    "cli_options": "CLI options",
    "auxiliary_tasks": "Auxiliary tasks",
    "env_vars": "Environment variables",
    "entry_point_group": "Entry points",
    "requires_python": "Python",
}
# Sections of plain names, without details that can change.
_NAMES: Final = (
    "platforms",
    "tools",
    "toolsets",
    "cli_options",
    "auxiliary_tasks",
    "env_vars",
)
# Only removals are listed by name, because they break imports; additions are counted.
_MODULES: Final = {"host_modules": "module", "third_party_modules": "third-party module", "bundled_plugins": "plugin"}
_WORDS: Final = {"added": "new", "removed": "gone", "changed": "changed"}

NOTHING_CHANGED: Final = "Nothing changed for plugins."
RARE: Final = " (not in every call)"
BEHAVIOUR_UNKNOWN: Final = f"Changes of behaviour are listed from {OLDEST_MODELLED} on."


def page(
    before: Contract, after: Contract, *, level: int = 1, includes: Callable[[Change], bool] = lambda _: True
) -> str:
    """Describe the changes for plugin authors.

    Args:
        before: The older release.
        after: The newer one.
        level: The level of the first heading.
        includes: Return whether a change is listed.

    Returns:
        Markdown that ends with a newline: first the changed behaviour of the host, then additions and removals by
        section.
    """
    changes = [change for change in diff(before, after) if _is_relevant(change) and includes(change)]
    parts = [f"{'#' * level} Hermes {before.release} → {after.release}"]
    if after.release not in api_releases():
        parts.append(f"The facts about {after.release} come from the Hermes documentation, not from an installed host.")
    heading = "#" * (level + 1)
    parts += _format_section(f"{heading} New behaviour", list(_list_behaviour(changes, now=True)))
    parts += _format_section(f"{heading} Removed behaviour", list(_list_behaviour(changes, now=False)))
    inherited = {id(change) for change in changes if _is_inherited(change, changes, after)}
    for name, title in _TITLES.items():
        found = [change for change in changes if change.path[0] == name and id(change) not in inherited]
        parts += _format_section(f"{heading} {title}", list((_list_names if name in _NAMES else _list_owners)(found)))
    parts += _format_section(f"{heading} Arguments of other calls", list(_list_calls(before, after)))
    parts += _format_section(f"{heading} Modules and plugins of the host", list(_count_modules(changes)))
    if len(parts) == 1:
        parts.append(NOTHING_CHANGED)
    if not is_modelled(before.release):
        parts.append(BEHAVIOUR_UNKNOWN)
    return "\n\n".join(parts) + "\n"


def _is_relevant(change: Change) -> bool:
    """Return whether a change matters to authors, unlike a different spelling of a type or a private name."""
    if change.kind == "changed" and change.path[-1] in ("annotation", "returns"):
        return not is_same_type(change.before, change.after)
    return not any(name[:1] == "_" and name[:2] != "__" for name in where(change))


def _is_inherited(change: Change, changes: Sequence[Change], after: Contract) -> bool:
    """Return whether a class only inherits a change from one of its bases."""
    if change.path[0] != "classes" or len(change.path) < 3:
        return False
    bases = after.section("classes").get(change.path[1], {}).get("bases", ())
    places = {("classes", base, *change.path[2:]) for base in bases}
    return any(one.path in places and one.kind == change.kind and one.after == change.after for one in changes)


def _format_section(title: str, lines: Sequence[str]) -> list[str]:
    return [title, "\n".join(lines)] if lines else []


def _list_behaviour(changes: Sequence[Change], *, now: bool) -> Iterator[str]:
    meanings = read_meanings()
    for change in changes:
        if change.path[0] == "flags" and change.after == now:
            yield f"- {meanings[change.path[1]]}"


def _list_names(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line each for the names that were added to or removed from the same place."""
    for kind in ("added", "removed"):
        groups: dict[str, list[str]] = {}
        for change in changes:
            if change.kind == kind and len(where(change)) == 1:
                groups.setdefault(format_change(change), []).append(f"`{change.path[-1]}`")
        for place, names in groups.items():
            of = f" (`{place}`)" if place else ""
            yield f"- {_WORDS[kind]}{of}: {', '.join(names)}"
    yield from _list_owners([change for change in changes if change.kind == "changed" or len(where(change)) > 1])


def _list_owners(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each object that was added, removed or changed."""
    for owner in dict.fromkeys(where(change)[:1] for change in changes):
        found = [change for change in changes if where(change)[:1] == owner]
        whole = [change for change in found if len(where(change)) < 2]
        for change in whole:
            yield f"- {_format_name(change)}"
        if parts := [change for change in found if change not in whole]:
            yield f"- `{owner[0]}`: {'; '.join(_describe_parts(parts))}"


def _format_name(change: Change) -> str:
    name, text = "".join(where(change)), format_change(change)
    subject = [f"`{name}`"] if name else []
    if change.kind == "changed":
        return " ".join([*subject, f"`{text}`"])
    return " ".join([*subject, f"is {_WORDS[change.kind]}"]) + (f": `{text}`" if text not in ("", "()") else "")


def _describe_parts(changes: Sequence[Change]) -> Iterator[str]:
    removed = {where(change)[-1] for change in changes if change.kind == "removed" and _find_presence(change)}
    moved = [
        change
        for change in changes
        if change.kind == "added" and where(change)[-1] in removed and _find_presence(change)
    ]
    for presence, words in (("always", "now in every call:"), ("sometimes", "no longer in every call:")):
        if names := [f"`{where(change)[-1]}`" for change in moved if _find_presence(change) == presence]:
            yield f"{words} {', '.join(names)}"
    named = {where(change)[-1] for change in moved}
    for kind in _WORDS:
        found = [change for change in changes if change.kind == kind and where(change)[-1] not in named]
        if names := [_format_part(change) for change in found]:
            yield f"{_WORDS[kind]} {', '.join(names)}"


def _find_presence(change: Change) -> str:
    """Return ``always`` or ``sometimes`` for an argument, otherwise an empty string."""
    return next((name for name in where(change)[1:-1] if name in ("always", "sometimes")), "")


def _format_part(change: Change) -> str:
    # Mention only arguments that are not passed in every call.
    names = [name for name in where(change)[1:] if name != "always"]
    text, rare = format_change(change), "sometimes" in names
    name = ".".join(name for name in names if name != "sometimes")
    joined = text if change.kind != "changed" and text.startswith("(") else f" {text}" if text else ""
    return f"`{name}{joined}`" + RARE * rare


def _list_calls(before: Contract, after: Contract) -> Iterator[str]:
    """Yield a line for each call of plugin code, other than hooks, whose keyword arguments changed."""
    callees = before.section("host_calls").keys() & after.section("host_calls").keys()
    for callee in sorted(callees):
        old, new = before.host_call_arguments(callee), after.host_call_arguments(callee)
        parts = [(_WORDS["added"], new - old), (_WORDS["removed"], old - new)]
        texts = [f"{word} {', '.join(f'`{name}`' for name in sorted(names))}" for word, names in parts if names]
        if texts:
            yield f"- `{callee}`: {'; '.join(texts)}"


def _count_modules(changes: Sequence[Change]) -> Iterator[str]:
    for section, noun in _MODULES.items():
        found = [change for change in changes if change.path[0] == section and len(change.path) == 2]
        if count := sum(change.kind == "added" for change in found):
            yield f"- {count} new {noun}{'' if count == 1 else 's'}"
        if gone := [change.path[1] for change in found if change.kind == "removed"]:
            yield f"- removed {noun}s: {', '.join(f'`{name}`' for name in gone)}"
