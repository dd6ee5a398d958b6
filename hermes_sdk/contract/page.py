"""What changed for plugin authors from one release to another, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hermes_sdk.contract.diff import Change, diff
from hermes_sdk.contract.loader import api_releases, behaviour_flags
from hermes_sdk.contract.model import Contract
from hermes_sdk.contract.wording import said, where

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
    "cli_commands": "CLI commands",
    "cli_options": "CLI options",
    "auxiliary_tasks": "Auxiliary tasks",
    "env_vars": "Environment variables",
    "entry_point_group": "Entry points",
    "requires_python": "Python",
}
# Of these the names that went are told, because an import of one breaks; the rest is counted.
_MODULES: Final = ("host_modules", "third_party_modules", "bundled_plugins")
_WORDS: Final = {"added": "new", "removed": "gone", "changed": "changed"}


def page(before: Contract, after: Contract, *, level: int = 1) -> str:
    """Describe what changed for plugin authors.

    Args:
        before: The older release.
        after: The newer one.
        level: The level of the heading.

    Returns:
        Markdown that ends with a newline: first how the host behaves otherwise, then what came and went by section.
    """
    changes = diff(before, after)
    parts = [f"{'#' * level} Hermes {before.release} → {after.release}"]
    if after.release not in api_releases():
        parts.append(f"The facts about {after.release} come from documents: they were not read from an installed host.")
    heading = "#" * (level + 1)
    parts += _section(f"{heading} Behaviour", list(_behaviour(changes)))
    for name, title in _TITLES.items():
        parts += _section(f"{heading} {title}", list(_lines([one for one in changes if one.path[0] == name])))
    parts += _section(f"{heading} Arguments of other calls", list(_calls(before, after)))
    parts += _section(f"{heading} Modules and plugins of the host", list(_modules(changes)))
    if len(parts) == 1:
        parts.append("Nothing changed for plugins.")
    return "\n\n".join(parts) + "\n"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [title, "\n".join(lines)] if lines else []


def _behaviour(changes: Sequence[Change]) -> Iterator[str]:
    meanings = {flag["name"]: flag["meaning"] for flag in behaviour_flags()}
    changed = [change for change in changes if change.path[0] == "flags"]
    for change in sorted(changed, key=lambda change: not change.after):
        yield f"- {'Now' if change.after else 'No longer'}: {meanings[change.path[1]]}"


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    """One line for each thing that came, went or has changed parts."""
    for owner in dict.fromkeys(where(change)[:1] for change in changes):
        found = [change for change in changes if where(change)[:1] == owner]
        whole = [change for change in found if len(where(change)) < 2]
        for change in whole:
            yield f"- {_named(change)}"
        if parts := [change for change in found if change not in whole]:
            yield f"- `{owner[0]}`: {'; '.join(_parts(parts))}"


def _named(change: Change) -> str:
    name, text = "".join(where(change)), said(change)
    subject = [f"`{name}`"] if name else []
    if change.kind == "changed":
        return " ".join([*subject, f"`{text}`"])
    return " ".join([*subject, f"is {_WORDS[change.kind]}"]) + (f": `{text}`" if text else "")


def _parts(changes: Sequence[Change]) -> Iterator[str]:
    for kind in _WORDS:
        names = [_part(change) for change in changes if change.kind == kind]
        if names:
            yield f"{_WORDS[kind]} {', '.join(names)}"


def _part(change: Change) -> str:
    # Whether an argument always comes is worth a word only where it does not.
    names = [name for name in where(change)[1:] if name != "always"]
    text, rare = said(change), "sometimes" in names
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
    for section in _MODULES:
        found = [change for change in changes if change.path[0] == section and len(change.path) == 2]
        title = section.replace("_", " ")
        if count := sum(change.kind == "added" for change in found):
            yield f"- {count} new {title}"
        if gone := [change.path[1] for change in found if change.kind == "removed"]:
            yield f"- gone of the {title}: {', '.join(f'`{name}`' for name in gone)}"
