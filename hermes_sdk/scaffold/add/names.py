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
        for problem, fix in _RULES[kind](name, _For(release, " and as ".join(plugin.ranges))):
            raise UsageError(problem, fix=fix)


def _tool(name: str, one: _For) -> Iterator[Problem]:
    if not _IDENTIFIER.fullmatch(name):
        yield _bad("tool", name, "lower-case ASCII letters, digits and '_', at most 64, a letter first", "fetch_page")
    elif name in one.release.tools:
        yield (
            f"'{name}' is a tool of Hermes {one.release.release} itself, in the toolset '{one.release.tools[name]}'",
            "Choose another name, for instance with the plugin's name before it.",
        )


def _hook(name: str, one: _For) -> Iterator[Problem]:
    yield from _known("hook", name, one, lambda release: release.hooks)


def _middleware(name: str, one: _For) -> Iterator[Problem]:
    yield from _known("middleware", name, one, lambda release: release.middleware_kinds)


def _known(what: str, name: str, one: _For, names_of: Callable[[Contract], Collection[str]]) -> Iterator[Problem]:
    """What the plugin registers with a release has to be known to that release."""
    if name in names_of(one.release):
        return
    knowing = [release for release in contract.api_releases() if name in names_of(contract.load(release))]
    if knowing:
        yield (
            f"Hermes {one.release.release}, which the plugin is for, has no {what} '{name}': it came with {knowing[0]}",
            f"Write '>={knowing[0]}' as {one.said}.",
        )
    else:
        known = sorted(names_of(one.release))
        problem = f"Hermes {one.release.release} has no {what} '{name}'{suggest_name(name, known)}"
        yield problem, f"There are: {', '.join(known)}."


def _command(name: str, one: _For) -> Iterator[Problem]:
    yield from _shape("slash command", name)
    if name in one.release.slash_commands:
        yield f"/{name} is a command of Hermes {one.release.release} itself", "Choose another name."
    elif name in _SHADOWED_COMMANDS:
        yield f"/{name} is answered by the desktop application of Hermes itself", "Choose another name."


def _cli_command(name: str, one: _For) -> Iterator[Problem]:
    yield from _shape("CLI command", name)
    if any(name in names for names in one.release.cli_commands.values()):
        yield f"`hermes {name}` is a command of Hermes {one.release.release} itself", "Choose another name."


def _shape(what: str, name: str) -> Iterator[Problem]:
    if not _COMMAND.fullmatch(name) or len(name) > _LONGEST_COMMAND:
        rule = f"lower-case ASCII letters and digits with single '-' between, at most {_LONGEST_COMMAND}"
        yield _bad(what, name, rule, "team-status")


def _skill(name: str, one: _For) -> Iterator[Problem]:  # noqa: ARG001
    if not _SKILL.fullmatch(name):
        yield _bad("skill", name, "ASCII letters, digits, '-' and '_', at most 64", "taking-notes")


def _auxiliary_task(name: str, one: _For) -> Iterator[Problem]:
    yield from _known("member of ctx", "register_auxiliary_task", one, lambda release: release.context)
    if not _IDENTIFIER.fullmatch(name):
        yield _bad("auxiliary task", name, "lower-case ASCII letters, digits and '_', a letter first", "note_titles")
    elif name in one.release.auxiliary_tasks:
        yield f"'{name}' is an auxiliary task of Hermes {one.release.release} itself", "Choose another name."


def _setting(name: str, one: _For) -> Iterator[Problem]:  # noqa: ARG001
    if not _IDENTIFIER.fullmatch(name) or name in _NO_SETTINGS:
        rule = f"lower-case ASCII letters, digits and '_', a letter first, but not {', '.join(_NO_SETTINGS)}"
        yield _bad("setting", name, rule, "greeting")


def _variable(name: str, one: _For) -> Iterator[Problem]:
    if not _VARIABLE.fullmatch(name):
        rule = "upper-case ASCII letters, digits and '_', a letter first"
        yield _bad("environment variable", name, rule, "ACME_API_KEY")
    elif name.startswith("HERMES_"):
        yield f"{name} belongs to Hermes {one.release.release} itself", "Choose another name."


def _bad(what: str, name: str, rule: str, example: str) -> Problem:
    article = "an" if what[0] in "aeiou" else "a"
    return f"{name!r} cannot be the name of {article} {what}", f"Use {rule}; for example '{example}'."


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
