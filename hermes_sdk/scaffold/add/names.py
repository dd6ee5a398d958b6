"""Names that Hermes would not take, or would give to somebody else: refused before anything is worked out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from hermes_sdk import contract
from hermes_sdk.contract import Contract
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.plugin import Plugin

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,63}")
_COMMAND = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SKILL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_COMMAND = 32
_SHADOWED_COMMANDS = ("models", "rename")

Problem = tuple[str, str]
"""What is wrong with a name, and what to do."""


def refuse(kind: str, name: str, plugin: Plugin) -> None:
    """Refuse a name that the releases of a plugin do not take.

    Raises:
        UsageError: It is refused, with the reason.
    """
    for release in plugin.releases:
        for problem, fix in _RULES[kind](name, release):
            raise UsageError(problem, fix=fix)


def _tool(name: str, release: Contract) -> Iterator[Problem]:
    if not _IDENTIFIER.fullmatch(name):
        yield _bad("tool", name, "lower-case ASCII letters, digits and '_', at most 64, a letter first", "fetch_page")
    elif name in release.tools:
        yield (
            f"'{name}' is a tool of Hermes {release.release} itself, in the toolset '{release.tools[name]}'",
            "Choose another name, for instance with the plugin's name before it.",
        )


def _hook(name: str, release: Contract) -> Iterator[Problem]:
    yield from _known("hook", name, release, lambda one: one.hooks)


def _middleware(name: str, release: Contract) -> Iterator[Problem]:
    yield from _known("middleware", name, release, lambda one: one.middleware_kinds)


def _known(
    what: str, name: str, release: Contract, names_of: Callable[[Contract], Collection[str]]
) -> Iterator[Problem]:
    """What the plugin registers with a release has to be known to that release."""
    if name in names_of(release):
        return
    knowing = [one for one in contract.releases() if name in names_of(contract.load(one))]
    if knowing:
        yield (
            f"Hermes {release.release}, which the plugin is for, has no {what} '{name}': it came with {knowing[0]}",
            f"Write requires_hermes: '>={knowing[0]}' in the manifest.",
        )
    else:
        from difflib import get_close_matches

        known = sorted(names_of(release))
        close = get_close_matches(name, known, n=1)
        guess = f"Did you mean '{close[0]}'? " if close else ""
        yield f"Hermes {release.release} has no {what} '{name}'", f"{guess}There are: {', '.join(known)}."


def _command(name: str, release: Contract) -> Iterator[Problem]:
    yield from _shape("slash command", name)
    if name in release.slash_commands:
        yield f"/{name} is a command of Hermes {release.release} itself", "Choose another name."
    elif name in _SHADOWED_COMMANDS:
        yield f"/{name} is answered by the desktop application of Hermes itself", "Choose another name."


def _cli_command(name: str, release: Contract) -> Iterator[Problem]:
    yield from _shape("CLI command", name)
    if any(name in names for names in release.cli_commands.values()):
        yield f"`hermes {name}` is a command of Hermes {release.release} itself", "Choose another name."


def _shape(what: str, name: str) -> Iterator[Problem]:
    if not _COMMAND.fullmatch(name) or len(name) > _LONGEST_COMMAND:
        rule = f"lower-case ASCII letters and digits with single '-' between, at most {_LONGEST_COMMAND}"
        yield _bad(what, name, rule, "team-status")


def _skill(name: str, release: Contract) -> Iterator[Problem]:  # noqa: ARG001
    if not _SKILL.fullmatch(name):
        yield _bad("skill", name, "ASCII letters, digits, '-' and '_', at most 64", "taking-notes")


def _auxiliary_task(name: str, release: Contract) -> Iterator[Problem]:
    yield from _known("member of ctx", "register_auxiliary_task", release, lambda one: one.context)
    if not _IDENTIFIER.fullmatch(name):
        yield _bad("auxiliary task", name, "lower-case ASCII letters, digits and '_', a letter first", "note_titles")
    elif name in release.auxiliary_tasks:
        yield f"'{name}' is an auxiliary task of Hermes {release.release} itself", "Choose another name."


def _bad(what: str, name: str, rule: str, example: str) -> Problem:
    return f"{name!r} cannot be the name of a {what}", f"Use {rule}; for example '{example}'."


_RULES: Mapping[str, Callable[[str, Contract], Iterator[Problem]]] = {
    "tool": _tool,
    "hook": _hook,
    "command": _command,
    "cli-command": _cli_command,
    "skill": _skill,
    "middleware": _middleware,
    "aux-task": _auxiliary_task,
}
