"""Changes for plugin authors from one release to another, as Markdown."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from hermes_sdk.contract.behaviour import read_meanings
from hermes_sdk.contract.diff import Change, diff, format_change, where
from hermes_sdk.contract.loader import OLDEST_MODELLED, api_releases, is_modelled
from hermes_sdk.contract.model import Contract

_BUILTINS: Final = {name.title(): name for name in ("dict", "list", "set", "tuple", "type")} | {
    "FrozenSet": "frozenset"
}


def is_same_type(one: object, other: object) -> bool:
    """Return whether two annotations mean the same type, such as ``Optional[List[str]]`` and ``list[str] | None``."""
    return one == other or (isinstance(one, str) and isinstance(other, str) and _modern(one) == _modern(other))


def _modern(annotation: str) -> str:
    try:
        tree = ast.parse(annotation, mode="eval")
    except SyntaxError:
        return annotation
    return ast.unparse(_Modern().visit(tree.body))


class _Modern(ast.NodeTransformer):
    """Write builtin generics, unions with ``|``, and no quotes."""

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


# What an author would look at first comes first.
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
# Names that come and go, without parts that change.
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


def page(before: Contract, after: Contract, *, level: int = 1) -> str:
    """Describe what changed for plugin authors.

    Args:
        before: The older release.
        after: The newer one.

    Returns:
        Markdown that ends with a newline: first how the host behaves differently, then what came and went by section.
    """
    changes = [change for change in diff(before, after) if _is_told(change)]
    parts = [f"{'#' * level} Hermes {before.release} → {after.release}"]
    if after.release not in api_releases():
        parts.append(f"The facts about {after.release} come from documents: they were not read from an installed host.")
    heading = "#" * (level + 1)
    parts += _section(f"{heading} New behaviour", list(_behaviour(changes, now=True)))
    parts += _section(f"{heading} Behaviour that is gone", list(_behaviour(changes, now=False)))
    inherited = {id(change) for change in changes if _is_inherited(change, changes, after)}
    for name, title in _TITLES.items():
        found = [change for change in changes if change.path[0] == name and id(change) not in inherited]
        parts += _section(f"{heading} {title}", list((_names if name in _NAMES else _lines)(found)))
    parts += _section(f"{heading} Arguments of other calls", list(_calls(before, after)))
    parts += _section(f"{heading} Modules and plugins of the host", list(_modules(changes)))
    if len(parts) == 1:
        parts.append("Nothing changed for plugins.")
    if not is_modelled(before.release):
        parts.append(f"Changes of behaviour are listed from {OLDEST_MODELLED} on.")
    return "\n\n".join(parts) + "\n"


def _is_told(change: Change) -> bool:
    """Return whether a change matters to authors: not the spelling of a type, and not a private name."""
    if change.kind == "changed" and change.path[-1] in ("annotation", "returns"):
        return not is_same_type(change.before, change.after)
    return not any(name[:1] == "_" and name[:2] != "__" for name in where(change))


def _is_inherited(change: Change, changes: Sequence[Change], after: Contract) -> bool:
    """Return whether a class only repeats a change of one of its bases."""
    if change.path[0] != "classes" or len(change.path) < 3:
        return False
    bases = after.section("classes").get(change.path[1], {}).get("bases", ())
    places = {("classes", base, *change.path[2:]) for base in bases}
    return any(one.path in places and one.kind == change.kind and one.after == change.after for one in changes)


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [title, "\n".join(lines)] if lines else []


def _behaviour(changes: Sequence[Change], *, now: bool) -> Iterator[str]:
    meanings = read_meanings()
    for change in changes:
        if change.path[0] == "flags" and change.after == now:
            yield f"- {meanings[change.path[1]]}"


def _names(changes: Sequence[Change]) -> Iterator[str]:
    """One line for the names that came, or went, in one place."""
    for kind in ("added", "removed"):
        groups: dict[str, list[str]] = {}
        for change in changes:
            if change.kind == kind and len(where(change)) == 1:
                groups.setdefault(format_change(change), []).append(f"`{change.path[-1]}`")
        for place, names in groups.items():
            of = f" (`{place}`)" if place else ""
            yield f"- {_WORDS[kind]}{of}: {', '.join(names)}"
    yield from _lines([change for change in changes if change.kind == "changed" or len(where(change)) > 1])


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    """One line for each thing that came, went or has changed parts."""
    for owner in dict.fromkeys(where(change)[:1] for change in changes):
        found = [change for change in changes if where(change)[:1] == owner]
        whole = [change for change in found if len(where(change)) < 2]
        for change in whole:
            yield f"- {_format_name(change)}"
        if parts := [change for change in found if change not in whole]:
            yield f"- `{owner[0]}`: {'; '.join(_parts(parts))}"


def _format_name(change: Change) -> str:
    name, text = "".join(where(change)), format_change(change)
    subject = [f"`{name}`"] if name else []
    if change.kind == "changed":
        return " ".join([*subject, f"`{text}`"])
    return " ".join([*subject, f"is {_WORDS[change.kind]}"]) + (f": `{text}`" if text not in ("", "()") else "")


def _parts(changes: Sequence[Change]) -> Iterator[str]:
    removed = {where(change)[-1] for change in changes if change.kind == "removed" and _presence(change)}
    moved = [
        change for change in changes if change.kind == "added" and where(change)[-1] in removed and _presence(change)
    ]
    for presence, words in (("always", "now in every call:"), ("sometimes", "no longer in every call:")):
        if names := [f"`{where(change)[-1]}`" for change in moved if _presence(change) == presence]:
            yield f"{words} {', '.join(names)}"
    named = {where(change)[-1] for change in moved}
    for kind in _WORDS:
        found = [change for change in changes if change.kind == kind and where(change)[-1] not in named]
        if names := [_part(change) for change in found]:
            yield f"{_WORDS[kind]} {', '.join(names)}"


def _presence(change: Change) -> str:
    """Return whether an argument comes with every call or with some; empty for what is not an argument."""
    return next((name for name in where(change)[1:-1] if name in ("always", "sometimes")), "")


def _part(change: Change) -> str:
    # Whether an argument always comes is worth a word only where it does not.
    names = [name for name in where(change)[1:] if name != "always"]
    text, rare = format_change(change), "sometimes" in names
    name = ".".join(name for name in names if name != "sometimes")
    joined = text if change.kind != "changed" and text.startswith("(") else f" {text}" if text else ""
    return f"`{name}{joined}`" + (" (not in every call)" if rare else "")


def _calls(before: Contract, after: Contract) -> Iterator[str]:
    """One line for each call of plugin code, hooks excepted, that passes other keyword arguments."""
    callees = before.section("host_calls").keys() & after.section("host_calls").keys()
    for callee in sorted(callees):
        old, new = before.host_call_arguments(callee), after.host_call_arguments(callee)
        parts = [(_WORDS["added"], new - old), (_WORDS["removed"], old - new)]
        texts = [f"{word} {', '.join(f'`{name}`' for name in sorted(names))}" for word, names in parts if names]
        if texts:
            yield f"- `{callee}`: {'; '.join(texts)}"


def _modules(changes: Sequence[Change]) -> Iterator[str]:
    for section, noun in _MODULES.items():
        found = [change for change in changes if change.path[0] == section and len(change.path) == 2]
        if count := sum(change.kind == "added" for change in found):
            yield f"- {count} new {noun}{'' if count == 1 else 's'}"
        if gone := [change.path[1] for change in found if change.kind == "removed"]:
            yield f"- {noun}s that are gone: {', '.join(f'`{name}`' for name in gone)}"
