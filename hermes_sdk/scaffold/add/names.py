"""Names that Hermes would not take, or would give to somebody else: refused before anything is worked out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from hermes_sdk import contract
from hermes_sdk.contract import Contract
from hermes_sdk.contract.suggestions import suggest_name
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.plugin import Plugin

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,63}")
_COMMAND = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SKILL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LONGEST_COMMAND = 32
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_NO_SETTINGS = ("model", "plugins", "security", "settings")  # `ctx.get_config` of newer releases refuses them.
_SHADOWED_COMMANDS = ("models", "rename")

Problem = tuple[str, str]
"""What is wrong with a name, and what to do."""


class _For(NamedTuple):
    """One of the releases that the plugin is for, and the places that say so."""

    release: Contract
    said: str


def refuse(kind: str, name: str, plugin: Plugin) -> None:
    """Refuse a name that the releases of a plugin do not take.

    Raises:
        UsageError: It is refused, with the reason.
    """
    for release in plugin.releases:
        for problem, fix in _RULES[kind](name, _For(release, " and ".join(plugin.ranges))):
            raise UsageError(problem, fix=fix)


def _tool(name: str, one: _For) -> Iterator[Problem]:
    if not _IDENTIFIER.fullmatch(name):
        yield _bad(
            "tool", name, "at most 64 lowercase ASCII letters, digits and '_', beginning with a letter", "fetch_page"
        )
    elif name in one.release.tools:
        yield (
            f"Hermes {one.release.release} has a built-in tool '{name}', in the toolset '{one.release.tools[name]}'",
            "Choose another name, for example with the plugin's name as a prefix.",
        )


def _hook(name: str, one: _For) -> Iterator[Problem]:
    yield from _find_unknown_names("hook", name, one, lambda release: release.hooks)


def _middleware(name: str, one: _For) -> Iterator[Problem]:
    yield from _find_unknown_names("middleware", name, one, lambda release: release.middleware_kinds)


def _find_unknown_names(
    what: str, name: str, one: _For, names_of: Callable[[Contract], Collection[str]]
) -> Iterator[Problem]:
    """Return what the plugin registers with a release has to be known to that release."""
    if name in names_of(one.release):
        return
    knowing = [release for release in contract.api_releases() if name in names_of(contract.load(release))]
    if knowing:
        yield (
            f"Hermes {one.release.release}, which the plugin supports, has no {what} '{name}'; {knowing[0]} added it",
            f"Set {one.said} to '>={knowing[0]}'.",
        )
    else:
        known = sorted(names_of(one.release))
        problem = f"Hermes {one.release.release} has no {what} '{name}'{suggest_name(name, known)}"
        yield problem, f"Use one of: {', '.join(known)}."


def _command(name: str, one: _For) -> Iterator[Problem]:
    yield from _shape("slash command", name)
    if name in one.release.slash_commands:
        yield f"Hermes {one.release.release} has a built-in command /{name}", "Choose another name."
    elif name in _SHADOWED_COMMANDS:
        yield f"the Hermes desktop application handles /{name} itself", "Choose another name."


def _cli_command(name: str, one: _For) -> Iterator[Problem]:
    yield from _shape("CLI command", name)
    if any(name in names for names in one.release.cli_commands.values()):
        yield f"Hermes {one.release.release} has a built-in command `hermes {name}`", "Choose another name."


def _shape(what: str, name: str) -> Iterator[Problem]:
    if not _COMMAND.fullmatch(name) or len(name) > _LONGEST_COMMAND:
        rule = f"at most {_LONGEST_COMMAND} lowercase ASCII letters and digits, separated by single '-'"
        yield _bad(what, name, rule, "team-status")


def _skill(name: str, one: _For) -> Iterator[Problem]:  # noqa: ARG001
    if not _SKILL.fullmatch(name):
        yield _bad("skill", name, "at most 64 ASCII letters, digits, '-' and '_'", "taking-notes")


def _auxiliary_task(name: str, one: _For) -> Iterator[Problem]:
    yield from _find_unknown_names("member of ctx", "register_auxiliary_task", one, lambda release: release.context)
    if not _IDENTIFIER.fullmatch(name):
        yield _bad(
            "auxiliary task", name, "lowercase ASCII letters, digits and '_', beginning with a letter", "note_titles"
        )
    elif name in one.release.auxiliary_tasks:
        yield f"Hermes {one.release.release} has a built-in auxiliary task '{name}'", "Choose another name."


def _setting(name: str, one: _For) -> Iterator[Problem]:  # noqa: ARG001
    if not _IDENTIFIER.fullmatch(name) or name in _NO_SETTINGS:
        rule = f"lowercase ASCII letters, digits and '_', beginning with a letter, except {', '.join(_NO_SETTINGS)}"
        yield _bad("setting", name, rule, "greeting")


def _variable(name: str, one: _For) -> Iterator[Problem]:
    if not _VARIABLE.fullmatch(name):
        rule = "uppercase ASCII letters, digits and '_', beginning with a letter"
        yield _bad("environment variable", name, rule, "ACME_API_KEY")
    elif name.startswith("HERMES_"):
        yield f"{name} is reserved for Hermes {one.release.release}", "Choose another name."


def _bad(what: str, name: str, rule: str, example: str) -> Problem:
    article = "an" if what[0] in "aeiou" else "a"
    return f"{name!r} is not a valid name for {article} {what}", f"Use {rule}; for example '{example}'."


_RULES: Mapping[str, Callable[[str, _For], Iterator[Problem]]] = {
    "tool": _tool,
    "hook": _hook,
    "command": _command,
    "cli-command": _cli_command,
    "skill": _skill,
    "middleware": _middleware,
    "aux-task": _auxiliary_task,
    "setting": _setting,
    "env": _variable,
}
